import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeDrive } from '../../src/actions/close-history.ts';
import { updateCharge } from '../../src/actions/edit-charge.ts';
import { mergeDrives } from '../../src/actions/edit-drives.ts';
import { createTrip, deleteTrip, mergeTrips } from '../../src/actions/edit-trips.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { applyEvents } from '../../src/ingest/apply.ts';
import { reduceStream } from '../../src/ingest/reduce-stream.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aPlace, aPrincipal, aTariff } from '../support/rows.ts';
import { newStreamed, streamIngest } from '../support/streamed.ts';
import { charger, gear, MPH_60, miles, place, record, S0 } from '../support/telemetry.ts';
import { driving, parked } from '../support/trace.ts';

let db: ScratchDatabase;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db?.close());

let count = 0;

/** A vehicle with an ingest of its own, and what a person may do with it. */
async function aVehicle(startAt = S0 + DAY_MS) {
  count += 1;
  const vin = `TEST${String(count).padStart(13, '0')}`;
  const { id, accountId } = await newStreamed(db.prisma, vin);
  const ingest = streamIngest(db.prisma, startAt);
  const account = await db.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  const principal = aPrincipal(account);
  const call = { prisma: db.prisma, clock: ingest.clock, principal, requestId: 'test' };
  const query = {
    where: { vehicleId: id, deletedAt: null },
    orderBy: { startedAt: 'asc' },
  } as const;
  const live = { ...query, where: { ...query.where, state: { not: 'DISCARDED' } } } as const;
  return {
    ...{ id, vin, ingest, account, call },
    /** Brings lines in, and lets nothing wait. */
    take: async (lines: readonly string[]) => {
      await ingest.take(lines);
      await ingest.settle();
    },
    drives: () => db.prisma.drive.findMany(live),
    trips: () => db.prisma.trip.findMany(query),
    charges: () => db.prisma.charge.findMany(live),
  };
}

const one = { publicId: null };

/** A drive of 14 km, of which the odometer gained a little before. */
const drive = (vin: string, from: number, odometer: number) => [
  record(from, { Gear: gear('D'), VehicleSpeed: MPH_60 }, vin),
  ...Array.from({ length: 14 }, (_, index) => index + 1).map((minute) =>
    record(
      from + minute * 60,
      {
        Location: place(odometer - 1000 + minute),
        Odometer: miles(odometer + minute),
        VehicleSpeed: MPH_60,
      },
      vin,
    ),
  ),
  record(from + 900, { Gear: gear('P'), VehicleSpeed: 0 }, vin),
];

/** Two trips of two drives each, four hours apart. */
const twoTrips = (vin: string) => [
  record(0, { Gear: gear('P'), Odometer: miles(999.5), Location: place(0), Soc: 80 }, vin),
  ...[60, 2160, 14_460, 16_560].flatMap((from, nth) => drive(vin, from, 1000 + nth * 14.15)),
  record(30_000, { Soc: 60 }, vin),
];

it.each([
  ['ungrouped', 1],
  ['ungrouped', 17],
  ['made part of another', 33],
  ['made part of another', 49],
])('a trip that was %s stays so when record %i comes late', async (word, index) => {
  const { vin, call, ingest, take, drives, trips } = await aVehicle();
  const lines = twoTrips(vin);
  const missing = [index, index + 3];
  await take(lines.filter((_, at) => !missing.includes(at)));
  const before = await drives();
  const tripIds = (await trips()).map(({ id }) => typeIdOf('Trip', id));
  expect([before.length, tripIds.length]).toEqual([4, 2]);
  if (word === 'ungrouped') await deleteTrip(call, { ...one, id: tripIds[0] ?? '' });
  else await mergeTrips(call, { ...one, tripIds });
  await take(lines.filter((_, at) => missing.includes(at)));
  expect(ingest.counts.again).toBe(1);
  const after = await drives();
  expect(after.map(({ id }) => id)).not.toEqual(before.map(({ id }) => id));
  const kept = await trips();
  expect(kept).toHaveLength(1);
  const grouped = after.map(({ tripId }) => tripId === kept[0]?.id);
  expect(grouped).toEqual(word === 'ungrouped' ? [false, false, true, true] : Array(4).fill(true));
  const own = after.filter((_, nth) => grouped[nth]);
  const km = own.reduce((sum, { distanceKm }) => sum + distanceKm, 0);
  expect(kept[0]?.distanceKm).toBeCloseTo(km, 3);
});

it('a trip that a person grouped is what is left when one of its drives turns out not to have been', async () => {
  for (const alone of [false, true]) {
    const { vin, call, take, drives, trips } = await aVehicle();
    const stood = (at: number, km: number) =>
      record(at, { Gear: gear('P'), Odometer: miles(km), Location: place(km - 1000) }, vin);
    await take([stood(0, 1000), stood(600, 1004), stood(4500, 1004), stood(10_800, 1010)]);
    const [first, second, ...others] = await drives();
    expect(others).toEqual([]);
    const grouped = alone ? [second] : [first, second];
    const driveIds = grouped.map((row) => typeIdOf('Drive', row?.id ?? ''));
    await createTrip(call, { ...one, driveIds });
    // It had moved an hour before.
    await take([stood(7200, 1010)]);
    expect((await drives())[1]?.endedAt).toEqual(new Date(S0 + 7_200_000));
    const left = alone ? [] : [{ auto: false, distanceKm: first?.distanceKm }];
    expect(await trips()).toMatchObject(left);
  }
});

it('a merged drive is made of what is left when one of its drives turns out not to have been', async () => {
  const { id, vin, call, take, drives } = await aVehicle();
  await applyEvents(db.prisma, id, [
    parked(0, 1000),
    driving(60, 1001),
    driving(120, 1002),
    parked(240, 1004, { latitude: 47.0664 + 4 / 111.195 }),
  ]);
  const stood = (at: number, km: number) =>
    record(at, { Gear: gear('P'), Odometer: miles(km), Location: place(km - 1000) }, vin);
  await take([stood(2400, 1004), stood(4500, 1004), stood(10_800, 1010)]);
  const [first, second, ...others] = await drives();
  expect(others).toEqual([]);
  const driveIds = [first, second].map((row) => typeIdOf('Drive', row?.id ?? ''));
  await mergeDrives(call, { ...one, driveIds });
  // It had moved an hour before.
  await take([stood(7200, 1010)]);
  const [merged, moved, ...more] = await drives();
  expect(more).toEqual([]);
  expect(merged).toMatchObject({
    startedAt: first?.startedAt,
    endedAt: first?.endedAt,
    distanceKm: first?.distanceKm,
  });
  expect(moved?.endedAt).toEqual(new Date(S0 + 7_200_000));
});

it.each(['MANUAL', 'INVOICE'] as const)(
  'a cost that was said (%s) goes over to the charge in the place of its own, alone, and is told',
  async (costMethod) => {
    const { id, vin, account, call, take, charges } = await aVehicle();
    const home = await aPlace(db.prisma, account, { latitude: 47.0664, longitude: 9.5032 });
    await aTariff(db.prisma, account, { placeId: home.id });
    const begin = record(60, { DetailedChargeState: charger('Starting') }, vin);
    const standing = {
      ...{ Gear: gear('P'), Odometer: miles(1000), Soc: 60, Location: place(0) },
      ...{ DetailedChargeState: charger('Disconnected'), DCChargingEnergyIn: 8.2 },
    };
    await take([
      record(0, standing, vin),
      record(63, { DetailedChargeState: charger('Charging'), DCChargingEnergyIn: 0 }, vin),
      ...Array.from({ length: 13 }, (_, index) =>
        record(
          68 + index * 300,
          {
            ACChargingPower: 11,
            PackCurrent: 25,
            DCChargingEnergyIn: (index * 5) / 6,
            Soc: 60 + index,
          },
          vin,
        ),
      ),
      record(3700, { DetailedChargeState: charger('Complete'), ACChargingPower: 0 }, vin),
      record(9000, { DetailedChargeState: charger('Disconnected') }, vin),
    ]);
    const [charge] = await charges();
    expect(charge?.costMethod).toBe('TARIFF');
    const by = { from: S0, to: S0 + 1, kwh: null, rate: '7', amountMinor: 700 };
    const costBreakdown = costMethod === 'MANUAL' ? [] : [{ kind: 'SESSION', ...by }];
    if (costMethod === 'MANUAL') {
      const cost = { amount: '7', currency: 'EUR' };
      await updateCharge(call, { ...one, id: typeIdOf('Charge', charge?.id ?? '') }, { cost });
    } else {
      const bill = { costAmount: '7', costCurrency: 'EUR', tariffId: null, costBreakdown };
      await db.prisma.charge.update({
        where: { id: charge?.id ?? '' },
        data: { costMethod, ...bill },
      });
    }
    await take([begin]);
    const [heir, ...others] = await charges();
    expect(others).toEqual([]);
    expect(heir?.id).not.toBe(charge?.id);
    expect(heir).toMatchObject({ costMethod, tariffId: null, costBreakdown });
    expect(heir?.costAmount?.toNumber()).toBe(7);
    const where = { vehicleId: id, type: 'charge.cost_changed' };
    const events = await db.prisma.event.findMany({ where, orderBy: { position: 'asc' } });
    expect(events.at(-1)?.data).toMatchObject({
      chargeId: heir?.id,
      amount: '7.00',
      method: costMethod,
      previous: { method: 'TARIFF' },
    });
  },
);

it('a drive that is ended while what came late is taken in a part at a time stays ended', async () => {
  const { id, vin, call, ingest, drives } = await aVehicle();
  const on = (from: number, minute: number) =>
    record(
      from + minute * 10,
      { Location: place(minute / 6), VehicleSpeed: MPH_60, Odometer: miles(1000 + minute / 6) },
      vin,
    );
  const begun = [
    record(0, { Gear: gear('P'), Odometer: miles(1000), Location: place(0), Soc: 80 }, vin),
    record(10, { Gear: gear('D'), VehicleSpeed: MPH_60 }, vin),
    ...Array.from({ length: 60 }, (_, index) => on(0, index + 2)),
  ];
  ingest.clock.at = S0 + 700_000;
  await ingest.take(begun.filter((_, index) => index !== 5));
  ingest.clock.at += 70_000;
  await ingest.reduce();
  const [open] = await drives();
  expect(open?.state).toBe('ONGOING');
  // What came late, and a long way on.
  ingest.clock.at = S0 + 3_000_000;
  await ingest.take([begun[5] ?? '', ...Array.from({ length: 200 }, (_, n) => on(0, n + 62))]);
  const commit = () => reduceStream(db.prisma, id, ingest.clock.at, { entries: 50, ms: 60_000 });
  const last = S0 + 610_000;
  const at = async () =>
    (await db.prisma.vehicleRerun.findUnique({ where: { vehicleId: id } }))?.at;
  do expect(await commit()).toMatchObject({ more: true });
  while (((await at())?.getTime() ?? 0) <= last);
  await closeDrive(call, { ...one, id: typeIdOf('Drive', open?.id ?? '') });
  while ((await commit()).more);
  const [closed, next] = await drives();
  expect(closed).toMatchObject({ id: open?.id, state: 'INCOMPLETE' });
  expect(closed?.endedAt?.getTime()).toBeLessThanOrEqual(last);
  expect(next?.startedAt.getTime()).toBeGreaterThanOrEqual(last);
});
