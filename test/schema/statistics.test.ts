import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aCharge, aDrive, anAccount, aPrincipal, aVehicle } from '../support/rows.ts';
import { answer, ask, at, codes, listAt } from './ask.ts';

describeEachEngine('statistics', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  async function garage(timezone = 'UTC'): Promise<{ account: Account; vehicle: Vehicle }> {
    const account = await anAccount(db.prisma, { timezone });
    return { account, vehicle: await aVehicle(db.prisma, account) };
  }

  const driveAt = (vehicle: Vehicle, at: string, data = {}) =>
    aDrive(db.prisma, vehicle, 0, { startedAt: new Date(at), endedAt: new Date(at), ...data });

  async function sums(
    { account, vehicle }: { account: Account; vehicle: Vehicle },
    args: string,
    fields: string,
  ): Promise<unknown[]> {
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { statistics${args} { ${fields} } } }`,
      { id: vehicle.publicId },
    );
    return listAt(data, 'vehicle.statistics');
  }

  it('sum drives and charges, without discarded and deleted ones', async () => {
    const own = await garage();
    await aDrive(db.prisma, own.vehicle, 3, { distanceKm: 10.5, energyUsedKwh: 2 });
    await aDrive(db.prisma, own.vehicle, 2, { distanceKm: 9.5, energyUsedKwh: null });
    await aDrive(db.prisma, own.vehicle, 2, { state: 'DISCARDED' });
    await aDrive(db.prisma, own.vehicle, 2, { deletedAt: new Date() });
    await aCharge(db.prisma, own.vehicle, 1, { kind: 'DC' });
    await aCharge(db.prisma, own.vehicle, 2, { kind: null, energyAddedKwh: null, durationS: null });
    const found = await sums(
      own,
      '',
      'periodStart periodEnd drives distanceKm driveDurationS energyUsedKwh efficiencyWhPerKm charges dcCharges energyAddedKwh chargeDurationS since',
    );
    expect(found).toEqual([
      {
        periodStart: null,
        periodEnd: null,
        drives: 2,
        distanceKm: 20,
        driveDurationS: 3600,
        energyUsedKwh: 2,
        efficiencyWhPerKm: 190.5,
        charges: 2,
        dcCharges: 1,
        energyAddedKwh: 30,
        chargeDurationS: 3600,
        since: '2026-02-26T12:00:00.000Z',
      },
    ]);
  });

  it('are zero for a vehicle that did nothing', async () => {
    expect(await sums(await garage(), '', 'drives distanceKm efficiencyWhPerKm since')).toEqual([
      { drives: 0, distanceKm: 0, efficiencyWhPerKm: null, since: null },
    ]);
    expect(await sums(await garage(), '(period: DAY)', 'drives')).toEqual([]);
  });

  it('cut days in the time zone asked for', async () => {
    const own = await garage();
    await driveAt(own.vehicle, '2026-02-10T23:30:00Z');
    await driveAt(own.vehicle, '2026-02-11T00:30:00Z');
    expect(await sums(own, '(period: DAY)', 'periodStart drives')).toEqual([
      { periodStart: '2026-02-11T00:00:00.000Z', drives: 1 },
      { periodStart: '2026-02-10T00:00:00.000Z', drives: 1 },
    ]);
    expect(
      await sums(own, '(period: DAY, timezone: "Europe/Berlin")', 'periodStart drives'),
    ).toEqual([{ periodStart: '2026-02-10T23:00:00.000Z', drives: 2 }]);
    expect(
      await sums(own, '(period: DAY, timezone: "America/New_York")', 'periodStart drives'),
    ).toEqual([{ periodStart: '2026-02-10T05:00:00.000Z', drives: 2 }]);
  });

  it('cut days in the time zone of the account where none is asked for', async () => {
    const own = await garage('Asia/Kolkata');
    await driveAt(own.vehicle, '2026-02-10T19:00:00Z');
    expect(await sums(own, '(period: DAY)', 'periodStart')).toEqual([
      { periodStart: '2026-02-10T18:30:00.000Z' },
    ]);
  });

  it('give the days on which clocks change their 23 and 25 hours', async () => {
    const own = await garage('Europe/Berlin');
    // Clocks go forward on 2026-03-29 and back on 2026-10-25.
    for (const day of ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-25']) {
      await driveAt(own.vehicle, `${day}T10:00:00Z`);
    }
    await driveAt(own.vehicle, '2026-03-29T21:59:00Z');
    await driveAt(own.vehicle, '2026-10-25T22:59:00Z');
    await driveAt(own.vehicle, '2026-10-24T22:00:00Z');
    expect(await sums(own, '(period: DAY)', 'periodStart periodEnd drives')).toEqual([
      { periodStart: '2026-10-24T22:00:00.000Z', periodEnd: '2026-10-25T23:00:00.000Z', drives: 3 },
      { periodStart: '2026-03-29T22:00:00.000Z', periodEnd: '2026-03-30T22:00:00.000Z', drives: 1 },
      { periodStart: '2026-03-28T23:00:00.000Z', periodEnd: '2026-03-29T22:00:00.000Z', drives: 2 },
      { periodStart: '2026-03-27T23:00:00.000Z', periodEnd: '2026-03-28T23:00:00.000Z', drives: 1 },
    ]);
  });

  it.each([
    ['WEEK', '2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['MONTH', '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
    ['YEAR', '2025-12-31T23:00:00.000Z', '2026-12-31T23:00:00.000Z'],
  ])('cut by %s in local time', async (period, periodStart, periodEnd) => {
    const own = await garage('Europe/Berlin');
    await driveAt(own.vehicle, '2026-03-29T21:59:59Z');
    expect(await sums(own, `(period: ${period})`, 'periodStart periodEnd')).toEqual([
      { periodStart, periodEnd },
    ]);
  });

  it.each([
    ['MONDAY', '2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['SUNDAY', '2026-03-28T23:00:00.000Z', '2026-04-04T22:00:00.000Z'],
    ['SATURDAY', '2026-03-27T23:00:00.000Z', '2026-04-03T22:00:00.000Z'],
  ])(
    'begin weeks on the %s that the account prefers, also where clocks change',
    async (weekStart, periodStart, periodEnd) => {
      const account = await anAccount(db.prisma, {
        timezone: 'Europe/Berlin',
        preferences: { weekStart },
      });
      const own = { account, vehicle: await aVehicle(db.prisma, account) };
      await driveAt(own.vehicle, '2026-03-29T21:59:59Z');
      expect(await sums(own, '(period: WEEK)', 'periodStart periodEnd')).toEqual([
        { periodStart, periodEnd },
      ]);
    },
  );

  it('put no drive before its day where midnight comes twice', async () => {
    // Havana's clocks went back from 01:00 to 00:00 on 2025-11-02.
    const own = await garage('America/Havana');
    await driveAt(own.vehicle, '2025-11-02T04:30:00Z');
    await driveAt(own.vehicle, '2025-11-02T05:30:00Z');
    await driveAt(own.vehicle, '2025-11-02T03:59:00Z');
    expect(await sums(own, '(period: DAY)', 'periodStart periodEnd drives')).toEqual([
      { periodStart: '2025-11-02T04:00:00.000Z', periodEnd: '2025-11-03T05:00:00.000Z', drives: 2 },
      { periodStart: '2025-11-01T04:00:00.000Z', periodEnd: '2025-11-02T04:00:00.000Z', drives: 1 },
    ]);
  });

  it('begin a day without a midnight with its first moment', async () => {
    // Cairo's clocks went from 00:00 to 01:00 on 2025-04-25.
    const own = await garage('Africa/Cairo');
    await driveAt(own.vehicle, '2025-04-24T21:59:00Z');
    await driveAt(own.vehicle, '2025-04-24T22:00:00Z');
    expect(await sums(own, '(period: DAY)', 'periodStart periodEnd drives')).toEqual([
      { periodStart: '2025-04-24T22:00:00.000Z', periodEnd: '2025-04-25T21:00:00.000Z', drives: 1 },
      { periodStart: '2025-04-23T22:00:00.000Z', periodEnd: '2025-04-24T22:00:00.000Z', drives: 1 },
    ]);
  });

  it('sum what started in the stretch asked for, its end left out', async () => {
    const own = await garage();
    for (const day of [1, 2, 3]) await aDrive(db.prisma, own.vehicle, day);
    const args = '(from: "2026-02-26T12:00:00Z", to: "2026-02-28T12:00:00Z")';
    expect(await sums(own, args, 'drives')).toEqual([{ drives: 2 }]);
  });

  it('count nothing of another vehicle', async () => {
    const [one, other] = [await garage(), await garage()];
    await aDrive(db.prisma, other.vehicle, 1);
    expect(await sums(one, '', 'drives')).toEqual([{ drives: 0 }]);
  });

  it.each(['Berlin', '+02:00', 'Europe/Berlin; DROP TABLE drive', ''])(
    'refuse the time zone %j, naming the argument',
    async (timezone) => {
      const own = await garage();
      const result = await ask(
        db.prisma,
        aPrincipal(own.account),
        'query ($id: ID!, $tz: String) { vehicle(publicId: $id) { statistics(timezone: $tz) { drives } } }',
        { id: own.vehicle.publicId, tz: timezone },
      );
      expect(codes(result)).toEqual(['VALIDATION_FAILED']);
      expect(at(result.errors?.[0]?.extensions, 'fields.timezone')).toHaveLength(1);
    },
  );

  it('refuse more periods than one answer holds', async () => {
    const own = await garage();
    await db.prisma
      .$executeRaw`INSERT INTO drive (id, vehicle_id, state, started_at, distance_km, source, updated_at)
      SELECT gen_random_uuid(), ${own.vehicle.id}::uuid, 'ENDED', '2020-01-01'::timestamptz + n * interval '1 day', 1, 'POLL', now()
      FROM generate_series(1, 1001) AS n`;
    const result = await ask(
      db.prisma,
      aPrincipal(own.account),
      'query ($id: ID!) { vehicle(publicId: $id) { statistics(period: DAY) { drives } } }',
      { id: own.vehicle.publicId },
    );
    expect(codes(result)).toEqual(['VALIDATION_FAILED']);
    expect(await sums(own, '(period: MONTH)', 'drives')).toHaveLength(33);
  });
});
