import { afterAll, beforeAll, expect, it } from 'vitest';
import { typeIdOf } from '../../src/base/ids.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import {
  aCharge,
  aDrive,
  anAccount,
  aPlace,
  aPrincipal,
  aStateSpan,
  aTrip,
  aVehicle,
} from '../support/rows.ts';
import { answer, ask, at, codes, listAt } from './ask.ts';

describeEachEngine('lists', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  async function garage(): Promise<{ account: Account; vehicle: Vehicle }> {
    const account = await anAccount(db.prisma);
    return { account, vehicle: await aVehicle(db.prisma, account) };
  }

  async function drivesWith(
    account: Account,
    vehicle: Vehicle,
    filter: string,
  ): Promise<unknown[]> {
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { drives(filter: ${filter}) { nodes { note } } } }`,
      { id: vehicle.publicId },
    );
    return listAt(data, 'vehicle.drives.nodes').map((node) => at(node, 'note'));
  }

  it('answer the newest first, and the oldest first when asked', async () => {
    const { account, vehicle } = await garage();
    for (const day of [1, 3, 2]) await aDrive(db.prisma, vehicle, day, { note: `${day}` });
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) {
        new: drives { nodes { note } } old: drives(orderBy: OLDEST_FIRST) { nodes { note } } } }`,
      { id: vehicle.publicId },
    );
    const notes = (path: string) => listAt(data, path).map((node) => at(node, 'note'));
    expect(notes('vehicle.new.nodes')).toEqual(['1', '2', '3']);
    expect(notes('vehicle.old.nodes')).toEqual(['3', '2', '1']);
  });

  it('leave out discarded and deleted drives unless they are asked for', async () => {
    const { account, vehicle } = await garage();
    await aDrive(db.prisma, vehicle, 1, { note: 'kept' });
    await aDrive(db.prisma, vehicle, 2, { note: 'discarded', state: 'DISCARDED' });
    await aDrive(db.prisma, vehicle, 3, { note: 'deleted', deletedAt: new Date() });
    expect(await drivesWith(account, vehicle, '{}')).toEqual(['kept']);
    expect(await drivesWith(account, vehicle, '{ state: [DISCARDED] }')).toEqual(['discarded']);
    expect(await drivesWith(account, vehicle, '{ deleted: true }')).toEqual(['deleted']);
  });

  it('keep the drives for which every filter holds', async () => {
    const { account, vehicle } = await garage();
    const place = await aPlace(db.prisma, account);
    const trip = await aTrip(db.prisma, vehicle, 5);
    await aDrive(db.prisma, vehicle, 1, {
      note: 'a',
      distanceKm: 5,
      durationS: 300,
      tags: ['work'],
      purpose: 'COMMUTE',
      driver: 'Ada',
      startPlaceId: place.id,
      tripId: trip.id,
      selfDrivingDistanceKm: 2,
    });
    await aDrive(db.prisma, vehicle, 4, {
      note: 'b',
      endPlaceId: place.id,
      endLatitude: 48,
      endLongitude: 11,
    });
    const placeId = typeIdOf('Place', place.id);
    const kept: [string, string[]][] = [
      ['{ from: "2026-02-27T00:00:00Z" }', ['a']],
      ['{ to: "2026-02-27T01:00:00+01:00" }', ['b']],
      [`{ to: ${Date.UTC(2026, 1, 27) / 1000} }`, ['b']],
      ['{ minDistanceKm: 5.5 }', ['b']],
      ['{ maxDistanceKm: 5 }', ['a']],
      ['{ minDurationS: 301 }', ['b']],
      ['{ maxDurationS: 300 }', ['a']],
      ['{ tag: "work" }', ['a']],
      ['{ notTag: "work" }', ['b']],
      ['{ purpose: COMMUTE }', ['a']],
      ['{ driver: "Ada" }', ['a']],
      ['{ state: [ENDED] }', ['a', 'b']],
      ['{ state: [] }', []],
      ['{ selfDriving: true }', ['a']],
      ['{ selfDriving: false }', ['b']],
      [`{ startPlace: "${placeId}" }`, ['a']],
      [`{ endPlace: "${placeId}" }`, ['b']],
      [`{ trip: "${typeIdOf('Trip', trip.id)}" }`, ['a']],
      ['{ near: { latitude: 48.001, longitude: 11, radiusM: 120 } }', ['b']],
      ['{ near: { latitude: 48.001, longitude: 11, radiusM: 100 } }', []],
      ['{ near: { latitude: 48, longitude: 11, radiusM: 9 }, nearWhich: START }', []],
      [
        '{ near: { latitude: 52.52, longitude: 13.405, radiusM: 50 }, nearWhich: START }',
        ['a', 'b'],
      ],
      ['{ tag: "work", purpose: BUSINESS }', []],
    ];
    for (const [filter, notes] of kept) {
      expect([filter, await drivesWith(account, vehicle, filter)]).toEqual([filter, notes]);
    }
  });

  it('keep the charges for which every filter holds', async () => {
    const { account, vehicle } = await garage();
    const place = await aPlace(db.prisma, account);
    await aCharge(db.prisma, vehicle, 1, {
      note: 'a',
      kind: 'DC',
      network: 'MAKER_FAST',
      energyAddedKwh: 50,
    });
    await aCharge(db.prisma, vehicle, 2, {
      note: 'b',
      placeId: place.id,
      tags: ['cheap'],
      costAmount: '3.20',
      costCurrency: 'EUR',
      costMethod: 'MANUAL',
      latitude: 48,
    });
    await aCharge(db.prisma, vehicle, 3, { note: 'c', state: 'DISCARDED' });
    const kept: [string, string[]][] = [
      ['{}', ['a', 'b']],
      ['{ kind: DC }', ['a']],
      ['{ network: [MAKER_FAST, HOME] }', ['a']],
      ['{ minEnergyKwh: 31 }', ['a']],
      ['{ hasCost: true }', ['b']],
      ['{ hasCost: false }', ['a']],
      ['{ tag: "cheap" }', ['b']],
      [`{ place: "${typeIdOf('Place', place.id)}" }`, ['b']],
      ['{ near: { latitude: 48, longitude: 13.404954, radiusM: 1 } }', ['b']],
      ['{ state: [DISCARDED] }', ['c']],
    ];
    for (const [filter, notes] of kept) {
      const data = await answer(
        db.prisma,
        aPrincipal(account),
        `query ($id: ID!) { vehicle(publicId: $id) { charges(filter: ${filter}) { nodes { note cost { amount currency method } } } } }`,
        { id: vehicle.publicId },
      );
      const nodes = listAt(data, 'vehicle.charges.nodes');
      expect([filter, nodes.map((node) => at(node, 'note'))]).toEqual([filter, notes]);
    }
  });

  it('answer money as exact decimals', async () => {
    const { account, vehicle } = await garage();
    await aCharge(db.prisma, vehicle, 1, {
      costAmount: '12.50',
      costCurrency: 'EUR',
      costMethod: 'MANUAL',
    });
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      'query ($id: ID!) { vehicle(publicId: $id) { charges { nodes { cost { amount currency method } } } } }',
      { id: vehicle.publicId },
    );
    expect(listAt(data, 'vehicle.charges.nodes')).toEqual([
      { cost: { amount: '12.5', currency: 'EUR', method: 'MANUAL' } },
    ]);
  });

  it('answer the spans that touch a stretch of time, the present one too', async () => {
    const { account, vehicle } = await garage();
    await aStateSpan(db.prisma, vehicle, 3);
    await aStateSpan(db.prisma, vehicle, 2, { status: 'DRIVING' });
    await aStateSpan(db.prisma, vehicle, 1, { endedAt: null, status: 'ASLEEP' });
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) {
        inside: stateSpans(filter: { from: "2026-02-27T12:30:00Z", to: "2026-02-27T12:31:00Z" }) { nodes { status } }
        now: stateSpans(filter: { from: "2026-03-01T00:00:00Z" }) { nodes { status endedAt } }
        asleep: stateSpans(filter: { status: [ASLEEP] }) { totalCount } } }`,
      { id: vehicle.publicId },
    );
    expect(data.vehicle).toEqual({
      inside: { nodes: [{ status: 'DRIVING' }] },
      now: { nodes: [{ status: 'ASLEEP', endedAt: null }] },
      asleep: { totalCount: 1 },
    });
  });

  it('refuse a place of another kind of id, naming the field', async () => {
    const { account, vehicle } = await garage();
    const result = await ask(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { drives(filter: { startPlace: "${typeIdOf('Vehicle', vehicle.id)}" }) { totalCount } } }`,
      { id: vehicle.publicId },
    );
    expect(codes(result)).toEqual(['VALIDATION_FAILED']);
    expect(result.errors?.[0]?.extensions.fields).toEqual({ startPlace: [expect.any(String)] });
  });

  it('count only when asked, and honour @include', async () => {
    const { account, vehicle } = await garage();
    await aDrive(db.prisma, vehicle, 1);
    const document = `query ($id: ID!, $total: Boolean!) { vehicle(publicId: $id) {
      drives { ...Part nodes { id } } } } fragment Part on DriveConnection { totalCount @include(if: $total) }`;
    for (const total of [true, false]) {
      db.statements.length = 0;
      const data = await answer(db.prisma, aPrincipal(account), document, {
        id: vehicle.publicId,
        total,
      });
      expect(at(data, 'vehicle.drives.totalCount')).toBe(total ? 1 : undefined);
      expect(db.statements.some((sql) => sql.includes('count(*)'))).toBe(total);
    }
  });
});
