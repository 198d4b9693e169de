import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS } from '../../src/base/units.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aParkedSpan, aPlace, aPrincipal, aVehicle, now } from '../support/rows.ts';
import { answer, at, listAt } from './ask.ts';

describeEachEngine('visited locations', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  it('gather stops at one place, and stops near each other outside any, the latest first', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    const place = await aPlace(db.prisma, account);
    const atHome = { placeId: place.id, latitude: 52.52, longitude: 13.4 };
    await aParkedSpan(db.prisma, vehicle, 1, { ...atHome, endedAt: null });
    await aParkedSpan(db.prisma, vehicle, 5, { ...atHome, latitude: 52.521, energyAddedKwh: 12.5 });
    await aParkedSpan(db.prisma, vehicle, 3, { latitude: 48.1, longitude: 11.5 });
    await aParkedSpan(db.prisma, vehicle, 4, { latitude: 48.10001, longitude: 11.50001 });
    await aParkedSpan(db.prisma, vehicle, 6, { latitude: 48.11, longitude: 11.5 });
    await aParkedSpan(db.prisma, vehicle, 7, { latitude: null, longitude: null });
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { locations { totalCount nodes {
        visits firstAt lastAt totalParkedS energyAddedKwh location { latitude longitude place { name } } } } } }`,
      { id: vehicle.publicId },
    );
    const iso = (daysAgo: number) => new Date(now - daysAgo * DAY_MS).toISOString();
    expect(at(data, 'vehicle.locations')).toEqual({
      totalCount: 3,
      nodes: [
        {
          visits: 2,
          firstAt: iso(5),
          lastAt: iso(1),
          totalParkedS: 86_400 + 43_200,
          energyAddedKwh: 12.5,
          location: {
            latitude: expect.closeTo(52.5205, 6),
            longitude: 13.4,
            place: { name: 'Home' },
          },
        },
        {
          visits: 2,
          firstAt: iso(4),
          lastAt: iso(3),
          totalParkedS: 86_400,
          energyAddedKwh: 0,
          location: {
            latitude: expect.closeTo(48.100005, 6),
            longitude: expect.closeTo(11.500005, 6),
            place: null,
          },
        },
        {
          visits: 1,
          firstAt: iso(6),
          lastAt: iso(6),
          totalParkedS: 43_200,
          energyAddedKwh: 0,
          location: { latitude: 48.11, longitude: 11.5, place: null },
        },
      ],
    });
  });

  it('are paged like every list, and their cursors tell no position', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    for (let i = 0; i < 5; i++) await aParkedSpan(db.prisma, vehicle, i, { latitude: 40 + i });
    const seen: unknown[] = [];
    let after: unknown = null;
    for (let turn = 0; turn < 9; turn++) {
      const data = await answer(
        db.prisma,
        aPrincipal(account),
        `query ($id: ID!, $after: String) { vehicle(publicId: $id) { locations(first: 2, after: $after) {
          pageInfo { hasNextPage endCursor } nodes { location { latitude } } } } }`,
        { id: vehicle.publicId, after },
      );
      seen.push(
        ...listAt(data, 'vehicle.locations.nodes').map((node) => at(node, 'location.latitude')),
      );
      after = at(data, 'vehicle.locations.pageInfo.endCursor');
      expect(Buffer.from(String(after), 'base64url').toString()).toMatch(/"[0-9a-f]{32}"\]$/);
      if (at(data, 'vehicle.locations.pageInfo.hasNextPage') !== true) break;
    }
    expect(seen).toEqual([40, 41, 42, 43, 44]);
  });
});
