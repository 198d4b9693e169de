import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aDrive, anAccount, aPrincipal, aVehicle } from '../support/rows.ts';
import { answer, ask, at, codes } from './ask.ts';

describeEachEngine('efficiency', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  async function garage(): Promise<{ account: Account; vehicle: Vehicle }> {
    const account = await anAccount(db.prisma, { timezone: 'Europe/Berlin' });
    return { account, vehicle: await aVehicle(db.prisma, account) };
  }

  async function efficiency(
    { account, vehicle }: { account: Account; vehicle: Vehicle },
    args: string,
    fields: string,
  ): Promise<unknown> {
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { efficiency${args} { ${fields} } } }`,
      { id: vehicle.publicId },
    );
    return at(data, 'vehicle.efficiency');
  }

  /** A drive that started at a time, over 100 km with so many kWh. */
  const driveAt = (vehicle: Vehicle, day: string, energyUsedKwh: number | null, data = {}) =>
    aDrive(db.prisma, vehicle, 0, {
      startedAt: new Date(day),
      distanceKm: 100,
      energyUsedKwh,
      ...data,
    });

  it('is the energy over the distance of the drives that say both, with method and count', async () => {
    const own = await garage();
    await driveAt(own.vehicle, '2026-02-01T10:00:00Z', 15);
    await driveAt(own.vehicle, '2026-02-02T10:00:00Z', 4, { distanceKm: 20 });
    await driveAt(own.vehicle, '2026-02-03T10:00:00Z', null);
    await driveAt(own.vehicle, '2026-02-03T10:00:00Z', 90, { state: 'DISCARDED' });
    await driveAt(own.vehicle, '2026-02-03T10:00:00Z', 90, { deletedAt: new Date() });
    await driveAt(own.vehicle, '2026-02-03T10:00:00Z', 90, { distanceKm: 0.9 });
    await driveAt((await garage()).vehicle, '2026-02-03T10:00:00Z', 90);
    const fields = 'method sampleCount distanceKm energyUsedKwh efficiencyWhPerKm';
    expect(await efficiency(own, '', fields)).toEqual({
      method: 'SUM_OF_DRIVES',
      sampleCount: 2,
      distanceKm: 120,
      energyUsedKwh: 19,
      efficiencyWhPerKm: 158.3,
    });
    expect(await efficiency(own, '(from: "2026-02-02T00:00:00Z")', fields)).toMatchObject({
      sampleCount: 1,
      efficiencyWhPerKm: 200,
    });
  });

  it('is unknown, of no drives, where nothing was driven', async () => {
    const fields =
      'sampleCount distanceKm efficiencyWhPerKm byPeriod { sampleCount } bySpeed { sampleCount } byTemperature { sampleCount }';
    expect(await efficiency(await garage(), '', fields)).toEqual({
      sampleCount: 0,
      distanceKm: 0,
      efficiencyWhPerKm: null,
      byPeriod: [],
      bySpeed: [],
      byTemperature: [],
    });
  });

  it('is told by period in local time, the newest first', async () => {
    const own = await garage();
    await driveAt(own.vehicle, '2026-02-28T22:30:00Z', 15);
    await driveAt(own.vehicle, '2026-02-28T23:30:00Z', 18);
    const fields =
      'byPeriod { periodStart periodEnd sampleCount efficiencyWhPerKm temperatureFromC }';
    expect(await efficiency(own, '', fields)).toEqual({
      byPeriod: [
        {
          periodStart: '2026-02-28T23:00:00.000Z',
          periodEnd: '2026-03-31T22:00:00.000Z',
          sampleCount: 1,
          efficiencyWhPerKm: 180,
          temperatureFromC: null,
        },
        {
          periodStart: '2026-01-31T23:00:00.000Z',
          periodEnd: '2026-02-28T23:00:00.000Z',
          sampleCount: 1,
          efficiencyWhPerKm: 150,
          temperatureFromC: null,
        },
      ],
    });
    expect(await efficiency(own, '(period: NONE)', fields)).toEqual({ byPeriod: [] });
  });

  it('is told by temperature in bands that are open at the ends', async () => {
    const own = await garage();
    const temperatures = [-33, -20.1, -20, -0.1, 0, 4.99, 5, 39.9, 40, 55, null];
    for (const outsideTempAvgC of temperatures)
      await driveAt(own.vehicle, '2026-02-01T10:00:00Z', 15, { outsideTempAvgC });
    const fields = 'sampleCount byTemperature { temperatureFromC temperatureToC sampleCount }';
    const band = (from: number | null, to: number | null, sampleCount: number) => ({
      temperatureFromC: from,
      temperatureToC: to,
      sampleCount,
    });
    expect(await efficiency(own, '', fields)).toEqual({
      sampleCount: temperatures.length,
      byTemperature: [
        band(null, -20, 2),
        band(-20, -15, 1),
        band(-5, 0, 1),
        band(0, 5, 2),
        band(5, 10, 1),
        band(35, 40, 1),
        band(40, null, 2),
      ],
    });
  });

  it('is told by mean speed', async () => {
    const own = await garage();
    for (const [speedAvgKmh, kwh] of [
      [19, 20],
      [95, 16],
      [99, 18],
      [160, 28],
    ] as const)
      await driveAt(own.vehicle, '2026-02-01T10:00:00Z', kwh, { speedAvgKmh });
    const fields = 'bySpeed { speedFromKmh speedToKmh sampleCount efficiencyWhPerKm }';
    const band = (from: number, to: number | null, sampleCount: number, whPerKm: number) => ({
      speedFromKmh: from,
      speedToKmh: to,
      sampleCount,
      efficiencyWhPerKm: whPerKm,
    });
    expect(await efficiency(own, '', fields)).toEqual({
      bySpeed: [band(0, 20, 1, 200), band(80, 100, 2, 170), band(140, null, 1, 280)],
    });
  });

  it('takes one statement for all vehicles, and refuses a zone that does not exist', async () => {
    const own = await garage();
    await aVehicle(db.prisma, own.account);
    db.statements.length = 0;
    await answer(
      db.prisma,
      aPrincipal(own.account),
      '{ vehicles { nodes { efficiency { sampleCount } } } }',
    );
    expect(db.statements).toHaveLength(2);
    const refused = await ask(
      db.prisma,
      aPrincipal(own.account),
      'query ($id: ID!) { vehicle(publicId: $id) { efficiency(timezone: "Berlin") { sampleCount } } }',
      { id: own.vehicle.publicId },
    );
    expect(codes(refused)).toEqual(['VALIDATION_FAILED']);
  });
});
