import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import {
  aMakerAccount,
  anAccount,
  anInstallation,
  aPrincipal,
  aSoftwareUpdate,
  aVehicle,
  now,
} from '../support/rows.ts';
import { answer, at } from './ask.ts';

describeEachEngine('the software catalogue', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());
  // The catalogue belongs to nobody: each promise needs one of its own.
  afterEach(async () => {
    await db.prisma.account.deleteMany();
    await db.prisma.softwareUpdate.deleteMany();
  });

  it('is public, the newest first by when it was first seen, then by version', async () => {
    await aSoftwareUpdate(db.prisma, '2026.8.3', 9);
    await aSoftwareUpdate(db.prisma, '2026.8.4', 2);
    await aSoftwareUpdate(db.prisma, '2026.8.5', 2);
    const document =
      '{ latestSoftwareUpdate { version isLatest } softwareUpdates { totalCount nodes { version isLatest } } softwareUpdate(version: "2026.8.3") { version isLatest } }';
    expect(await answer(db.prisma, null, document)).toEqual({
      latestSoftwareUpdate: { version: '2026.8.5', isLatest: true },
      softwareUpdates: {
        totalCount: 3,
        nodes: [
          { version: '2026.8.5', isLatest: true },
          { version: '2026.8.4', isLatest: false },
          { version: '2026.8.3', isLatest: false },
        ],
      },
      softwareUpdate: { version: '2026.8.3', isLatest: false },
    });
  });

  it('of nothing has no latest version', async () => {
    expect(
      await answer(
        db.prisma,
        null,
        '{ latestSoftwareUpdate { version } softwareUpdates { totalCount } }',
      ),
    ).toEqual({
      latestSoftwareUpdate: null,
      softwareUpdates: { totalCount: 0 },
    });
  });

  it('pages by version where several were first seen at once', async () => {
    for (const version of ['2026.1', '2026.2', '2026.3'])
      await aSoftwareUpdate(db.prisma, version, 1);
    const page =
      'query ($after: String) { softwareUpdates(first: 2, after: $after) { nodes { version } pageInfo { endCursor } } }';
    const first = await answer(db.prisma, null, page);
    const after = at(first, 'softwareUpdates.pageInfo.endCursor');
    const second = await answer(db.prisma, null, page, { after });
    expect(at(second, 'softwareUpdates.nodes')).toEqual([{ version: '2026.1' }]);
  });

  it('counts vehicles, each once, and tells no count below five', async () => {
    const account = await anAccount(db.prisma);
    const makerAccount = await aMakerAccount(db.prisma, account, { region: 'EU' });
    const old = await aSoftwareUpdate(db.prisma, '2026.1', 9);
    const fresh = await aSoftwareUpdate(db.prisma, '2026.2', 1);
    for (let i = 0; i < 9; i++) {
      const vehicle = await aVehicle(db.prisma, account, {
        model: i < 5 ? 'Model 3' : 'Model Y',
        makerAccountId: makerAccount.id,
      });
      await anInstallation(db.prisma, vehicle, old, 8);
      if (i < 5) await anInstallation(db.prisma, vehicle, fresh, 1);
      else
        await anInstallation(db.prisma, vehicle, fresh, 1, { state: 'DOWNLOADING', endedAt: null });
    }
    const another = await anAccount(db.prisma);
    const shared = await db.prisma.vehicle.findFirstOrThrow({ where: { model: 'Model 3' } });
    const twice = await aVehicle(db.prisma, another, { vin: shared.vin, model: 'Model 3' });
    await anInstallation(db.prisma, twice, fresh, 1);
    const counts =
      'counts { total onVersion sharePct byModel { name vehicles } byRegion { name vehicles } pending { downloading available } }';
    const data = await answer(
      db.prisma,
      null,
      `{ a: softwareUpdate(version: "2026.2") { ${counts} } b: softwareUpdate(version: "2026.1") { ${counts} } }`,
    );
    expect(at(data, 'a.counts')).toMatchObject({
      total: 9,
      onVersion: 5,
      sharePct: 55.6,
      byModel: [{ name: 'Model 3', vehicles: 5 }],
      pending: { downloading: null, available: null },
    });
    expect(at(data, 'b.counts')).toEqual({
      total: 9,
      onVersion: null,
      sharePct: null,
      byModel: [],
      byRegion: [],
      pending: { downloading: null, available: null },
    });
  });

  it('counts at most once a minute, and again after it', async () => {
    const account = await anAccount(db.prisma);
    const update = await aSoftwareUpdate(db.prisma, '2026.4', 1);
    const add = async () =>
      anInstallation(db.prisma, await aVehicle(db.prisma, account), update, 1);
    for (let i = 0; i < 5; i++) await add();
    let clockAt = now;
    const counted = async () => {
      const document = '{ softwareUpdate(version: "2026.4") { counts { onVersion } } }';
      const data = await answer(db.prisma, null, document, {}, { clock: () => clockAt });
      return at(data, 'softwareUpdate.counts.onVersion');
    };
    expect(await counted()).toBe(5);
    await add();
    clockAt += 59_999;
    db.statements.length = 0;
    expect(await counted()).toBe(5);
    expect(db.statements).toHaveLength(1);
    clockAt += 1;
    expect(await counted()).toBe(6);
  });

  it('filters by model and region only where at least five vehicles share them', async () => {
    const account = await anAccount(db.prisma);
    const makerAccount = await aMakerAccount(db.prisma, account, { region: 'NA' });
    const update = await aSoftwareUpdate(db.prisma, '2026.1', 1);
    const add = async (model: string) =>
      anInstallation(
        db.prisma,
        await aVehicle(db.prisma, account, { model, makerAccountId: makerAccount.id }),
        update,
        1,
      );
    for (let i = 0; i < 5; i++) await add('Model S');
    await add('Roadster');
    const count = async (filter: string) =>
      at(
        await answer(db.prisma, null, `{ softwareUpdates(filter: ${filter}) { totalCount } }`),
        'softwareUpdates.totalCount',
      );
    expect(await count('{ model: "Model S" }')).toBe(1);
    expect(await count('{ model: "Roadster" }')).toBe(0);
    expect(await count('{ region: NA }')).toBe(1);
    expect(await count('{ region: CN }')).toBe(0);
    expect(await count('{ earlyAccess: true }')).toBe(0);
    expect(await count('{ since: "2026-02-28T12:00:01Z" }')).toBe(0);
    expect(await count('{ since: "2026-02-28T12:00:00Z" }')).toBe(1);
  });

  it('says what a vehicle runs and ran', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    await anInstallation(db.prisma, vehicle, await aSoftwareUpdate(db.prisma, '2026.1', 9), 9);
    await anInstallation(db.prisma, vehicle, await aSoftwareUpdate(db.prisma, '2026.2', 1), 1, {
      state: 'SCHEDULED',
    });
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { software { nodes { state softwareUpdate { version } } }
        installed: software(filter: { state: [INSTALLED] }) { totalCount } } }`,
      { id: vehicle.publicId },
    );
    expect(data.vehicle).toEqual({
      software: {
        nodes: [
          { state: 'SCHEDULED', softwareUpdate: { version: '2026.2' } },
          { state: 'INSTALLED', softwareUpdate: { version: '2026.1' } },
        ],
      },
      installed: { totalCount: 1 },
    });
  });
});
