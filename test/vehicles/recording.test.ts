import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateVehicle } from '../../src/actions/update-vehicle.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/base/units.ts';
import { applyEvents } from '../../src/ingest/apply.ts';
import type { IngestEvent } from '../../src/ingest/state.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aPrincipal, aVehicle, closedDoor } from '../support/rows.ts';
import { streamIngest } from '../support/streamed.ts';
import { gear, MPH_60, miles, place, record } from '../support/telemetry.ts';
import { driving, parked, seen, T0 } from '../support/trace.ts';

let db: ScratchDatabase;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db?.close());

type Recorded = { account: Account; vehicle: Vehicle };

async function recorded(): Promise<Recorded> {
  const account = await anAccount(db.prisma);
  return { account, vehicle: await aVehicle(db.prisma, account, { efficiencyWhPerKm: 150 }) };
}

const hear = ({ vehicle }: Recorded, events: IngestEvent[]) =>
  applyEvents(db.prisma, vehicle.id, events);

function switched({ account, vehicle }: Recorded, logging: boolean, at: number): Promise<Vehicle> {
  const call = {
    ...{ prisma: db.prisma, clock: () => at, principal: aPrincipal(account), requestId: 'test' },
    door: closedDoor(db.prisma),
  };
  return updateVehicle(call, vehicle.publicId, { settings: { logging } });
}

/** All that is stored of a vehicle’s history. */
async function historyOf({ vehicle }: Recorded) {
  const query = {
    where: { vehicleId: vehicle.id },
    orderBy: { startedAt: 'asc' },
    omit: { updatedAt: true },
  } as const;
  return {
    drives: await db.prisma.drive.findMany(query),
    charges: await db.prisma.charge.findMany(query),
    trips: await db.prisma.trip.findMany(query),
    parked: await db.prisma.parkedSpan.findMany({ where: query.where }),
    spans: await db.prisma.stateSpan.findMany({ where: query.where, orderBy: query.orderBy }),
    state: await db.prisma.vehicleState.findUnique({ where: query.where }),
  };
}

it('a vehicle that is recorded no more ends what is under way, and leaves nothing open', async () => {
  const one = await recorded();
  await hear(one, [parked(-600, 1000), driving(0, 1000), driving(1800, 1030)]);
  const off = await switched(one, false, T0 + 2000_000);
  expect(off).toMatchObject({ logging: false, status: 'UNKNOWN', connectivity: null });
  const { drives, trips, parked: spans, spans: states } = await historyOf(one);
  expect(drives).toMatchObject([{ state: 'INCOMPLETE', endedAt: new Date(T0 + 1800_000) }]);
  expect(trips).toMatchObject([{ state: 'ENDED' }]);
  expect([...spans, ...states].filter(({ endedAt }) => endedAt === null)).toEqual([]);
  const events = await db.prisma.event.findMany({ where: { vehicleId: one.vehicle.id } });
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['drive.ended', 'vehicle.status_changed', 'vehicle.updated']),
  );
});

it('a charge under way is over where it was last heard', async () => {
  const one = await recorded();
  const plugged = { chargeStatus: 'CHARGING', pluggedIn: true, chargerPowerKw: 11 } as const;
  await hear(one, [
    parked(-600, 1000),
    seen(0, { ...plugged, batteryLevelPct: 50, chargeEnergyAddedKwh: 0 }),
    seen(600, { ...plugged, batteryLevelPct: 53, chargeEnergyAddedKwh: 2 }),
  ]);
  await switched(one, false, T0 + HOUR_MS);
  const { charges } = await historyOf(one);
  expect(charges).toMatchObject([
    { state: 'INCOMPLETE', endedAt: new Date(T0 + 600_000), energyAddedKwh: 2 },
  ]);
});

it('nothing that happened while it was off is kept or concluded afterwards', async () => {
  const one = await recorded();
  await hear(one, [parked(0, 1000), parked(600, 1000)]);
  await switched(one, false, T0 + 900_000);
  const off = await historyOf(one);
  await hear(one, [driving(1200, 1000), driving(3000, 1030), parked(3600, 1040)]);
  expect(await historyOf(one)).toEqual(off);
  await switched(one, true, T0 + 2 * HOUR_MS);
  // Driven on, and charged, since it was last heard.
  await hear(one, [
    parked(7200, 1100, { batteryLevelPct: 95, rangeRatedKm: 480, latitude: 48 }),
    driving(7500, 1100),
    driving(8400, 1115),
    parked(8460, 1116),
  ]);
  const { drives, charges } = await historyOf(one);
  expect(charges).toEqual([]);
  expect(drives).toMatchObject([
    { startedAt: new Date(T0 + 7_500_000), startOdometerKm: 1100, distanceKm: 16 },
  ]);
});

it('what streamed in before is kept, and what comes late does not cross the line', async () => {
  const one = await recorded();
  const { vin, id } = one.vehicle;
  const ingest = streamIngest(db.prisma, T0 + MINUTE_MS);
  const drive = (from: number, km: number) => [
    record(from, { Gear: gear('D'), VehicleSpeed: MPH_60, Odometer: miles(km) }, vin),
    ...[60, 120, 180].map((second) =>
      record(from + second, { Location: place(second / 60), VehicleSpeed: MPH_60 }, vin),
    ),
    record(from + 240, { Gear: gear('P'), VehicleSpeed: 0, Odometer: miles(km + 4) }, vin),
  ];
  const before = [record(-60, { Gear: gear('P'), Odometer: miles(1000) }, vin), ...drive(0, 1000)];
  ingest.clock.at = T0 + 250_000;
  await ingest.take(before);
  await switched(one, false, T0 + 260_000);
  expect((await historyOf(one)).drives).toMatchObject([{ state: 'ENDED', distanceKm: 4 }]);
  expect(await ingest.take(drive(600, 1004))).toMatchObject({ accepted: 0, unknownVehicle: 5 });
  await switched(one, true, T0 + HOUR_MS);
  ingest.clock.at = T0 + HOUR_MS + 5_000;
  expect(await ingest.take(drive(1200, 1008))).toMatchObject({ tooLate: 5 });
  await ingest.settle();
  expect((await historyOf(one)).drives).toHaveLength(1);
  expect(await db.prisma.vehicleCheckpoint.count({ where: { vehicleId: id } })).toBeGreaterThan(0);
});

it('a vehicle is switched off also where what was recorded cannot be read any more, which the audit says', async () => {
  const one = await recorded();
  const { vin, id } = one.vehicle;
  await hear(one, [parked(-600, 1000), driving(0, 1000), driving(1800, 1030)]);
  const ingest = streamIngest(db.prisma, T0 + 1_900_000);
  await ingest.take([record(1_850, { VehicleSpeed: MPH_60 }, vin)]);
  await db.prisma.vehicleMachine.update({
    where: { vehicleId: id },
    data: { state: { version: 0 } },
  });
  expect(await switched(one, false, T0 + 2_000_000)).toMatchObject({ logging: false });
  const { drives, parked: spans, spans: states } = await historyOf(one);
  expect(drives).toMatchObject([
    { state: 'INCOMPLETE', endedAt: new Date(T0 + 1_800_000), distanceKm: 30 },
  ]);
  expect([...spans, ...states].filter(({ endedAt }) => endedAt === null)).toEqual([]);
  expect(await db.prisma.vehicleStream.count({ where: { vehicleId: id } })).toBe(0);
  const entry = await db.prisma.auditEntry.findFirst({ where: { accountId: one.account.id } });
  expect(entry).toMatchObject({ action: 'vehicle.update', details: { unread: true } });
  await switched(one, true, T0 + HOUR_MS);
  await hear(one, [driving(7500, 1100), driving(8400, 1115), parked(8460, 1116)]);
  expect((await historyOf(one)).drives).toHaveLength(2);
});

it('a vehicle that is left open is told of after the time that it has set', async () => {
  const one = await recorded();
  await updateVehicle(
    {
      ...{ prisma: db.prisma, clock: () => T0, principal: aPrincipal(one.account) },
      ...{ requestId: 'test', door: closedDoor(db.prisma) },
    },
    one.vehicle.publicId,
    { settings: { leftOpenMinutes: 5 } },
  );
  await hear(one, [parked(0, 1000, { locked: false }), parked(400, 1000, { locked: false })]);
  const where = { vehicleId: one.vehicle.id, type: 'reminder.left_open' };
  expect(await db.prisma.event.findMany({ where })).toMatchObject([
    {
      occurredAt: new Date(T0 + 300_000),
      data: { parts: ['UNLOCKED'], minutes: 5, since: new Date(T0).toISOString() },
    },
  ]);
});
