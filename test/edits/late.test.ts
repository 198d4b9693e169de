import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountCall } from '../../src/actions/account-call.ts';
import { closeDrive } from '../../src/actions/close-history.ts';
import { mergeDrives, splitDrive, updateDrive } from '../../src/actions/edit-drives.ts';
import { createTrip } from '../../src/actions/edit-trips.ts';
import { undoEdit } from '../../src/actions/undo-edit.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aPrincipal } from '../support/rows.ts';
import { newStreamed, streamIngest } from '../support/streamed.ts';
import { gear, MPH_60, miles, place, record, S0, VIN } from '../support/telemetry.ts';

/** Two drives of some minutes, half an hour apart. */
const drive = (from: number, odometer: number, minutes = 4) => [
  record(from, { Gear: gear('D'), VehicleSpeed: MPH_60 }),
  ...Array.from({ length: minutes }, (_, index) => index + 1).map((minute) =>
    record(from + minute * 60, {
      Location: place(odometer - 1000 + minute),
      Odometer: miles(odometer + minute),
      VehicleSpeed: MPH_60,
    }),
  ),
  record(from + (minutes + 1) * 60, { Gear: gear('P'), VehicleSpeed: 0 }),
];
const day = [
  record(0, { Gear: gear('P'), Odometer: miles(999.5), Location: place(0), Soc: 80 }),
  ...drive(60, 1000),
  ...drive(2160, 1004),
  record(3000, { Soc: 70 }),
];

const one = { publicId: null };

describeEachEngine('edits', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  async function streamed(lines: readonly string[]) {
    const vehicle = await newStreamed(db.prisma, VIN);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    await ingest.take(lines);
    await ingest.settle();
    const account = await db.prisma.account.findUniqueOrThrow({ where: { id: vehicle.accountId } });
    const call: AccountCall = {
      prisma: db.prisma,
      clock: ingest.clock,
      principal: aPrincipal(account),
      requestId: 'req-test',
    };
    const drives = (where = {}) =>
      db.prisma.drive.findMany({
        where: { vehicleId: vehicle.id, deletedAt: null, state: { not: 'DISCARDED' }, ...where },
        orderBy: { startedAt: 'asc' },
      });
    /** Brings what was missing, a day late. */
    const late = async (more: readonly string[]) => {
      await ingest.take(more);
      await ingest.settle();
      expect(ingest.counts.again).toBe(1);
    };
    const end = () => db.prisma.account.delete({ where: { id: vehicle.accountId } });
    const ids = async () => (await drives()).map(({ id }) => typeIdOf('Drive', id));
    return { vehicle, call, drives, ids, late, end };
  }

  const without = (lines: readonly string[], ...left: number[]) =>
    lines.filter((_, index) => !left.includes(index));
  const only = (lines: readonly string[], ...kept: number[]) =>
    lines.filter((_, index) => kept.includes(index));

  it('of merged drives hold what late records make of those, and can still be undone', async () => {
    // Without its first record the first drive begins later, under another id.
    const { call, drives, ids, late, end } = await streamed(without(day, 1, 4));
    const before = await ids();
    const edit = await mergeDrives(call, { ...one, driveIds: before });
    const [merged] = await drives();
    await updateDrive(call, { ...one, id: typeIdOf('Drive', merged?.id ?? '') }, { note: 'both' });
    await late(only(day, 1, 4));
    const members = await drives({ deletedAt: { not: null } });
    expect(members).toHaveLength(2);
    const [first, last] = members;
    expect(typeIdOf('Drive', first?.id ?? '')).not.toBe(before[0]);
    const [now, ...others] = await drives();
    expect(others).toEqual([]);
    expect(now).toMatchObject({
      id: merged?.id,
      note: 'both',
      startedAt: first?.startedAt,
      endedAt: last?.endedAt,
    });
    expect(now?.startedAt).not.toEqual(merged?.startedAt);
    expect(now?.sampleCount).toBe((first?.sampleCount ?? 0) + (last?.sampleCount ?? 0));
    const [note] = await db.prisma.historyEdit.findMany({
      where: { kind: 'DRIVE_UPDATE', vehicleId: now?.vehicleId ?? '' },
    });
    await undoEdit(call, { ...one, id: typeIdOf('HistoryEdit', note?.id ?? '') });
    await undoEdit(call, { ...one, id: typeIdOf('HistoryEdit', edit.id) });
    expect((await drives()).map(({ id }) => id)).toEqual([first?.id, last?.id]);
    await end();
  });

  it.each([
    ['that goes on as it was', [4]],
    ['that begins earlier', [1, 4]],
  ])('of merged and cut drives leave them in a trip %s', async (_, missing) => {
    const far = [
      record(0, { Gear: gear('P'), Odometer: miles(999.5), Location: place(0), Soc: 80 }),
      ...drive(60, 1000, 14),
      ...drive(2160, 1014, 14),
      ...drive(4260, 1028, 14),
      record(6000, { Soc: 60 }),
    ];
    const { call, drives, ids, late, end } = await streamed(without(far, ...missing));
    const [first = '', second = '', third = ''] = await ids();
    await mergeDrives(call, { ...one, driveIds: [first, second] });
    await splitDrive(call, { ...one, id: third, at: S0 + 4_700_000 });
    const [trip] = new Set((await drives()).map(({ tripId }) => tripId));
    expect(trip).toEqual(expect.any(String));
    await late(only(far, ...missing));
    const after = await drives();
    expect(after).toHaveLength(3);
    const [now, ...others] = new Set(after.map(({ tripId }) => tripId));
    expect(others).toEqual([]);
    const whole = await db.prisma.trip.findUniqueOrThrow({ where: { id: now ?? '' } });
    const km = after.reduce((sum, { distanceKm }) => sum + (distanceKm ?? 0), 0);
    expect(whole).toMatchObject({ deletedAt: null, startedAt: after[0]?.startedAt });
    expect(whole.distanceKm).toBeCloseTo(km, 3);
    await end();
  });

  it('of a drive that was cut stay where they were', async () => {
    const { call, drives, ids, late, end } = await streamed(without(day, 3));
    const [id = ''] = await ids();
    const at = S0 + 200_000;
    await splitDrive(call, { ...one, id, at });
    const before = await drives();
    await late(only(day, 3));
    const after = await drives();
    expect(after.map((row) => row.id)).toEqual(before.map((row) => row.id));
    expect([after[0]?.endedAt, after[1]?.startedAt]).toEqual([new Date(at), new Date(at)]);
    expect(after[0]?.sampleCount).toBe((before[0]?.sampleCount ?? 0) + 1);
    await end();
  });

  it('that grouped drives keep them together', async () => {
    const { call, vehicle, drives, ids, late, end } = await streamed(without(day, 1, 4));
    const [first = ''] = await ids();
    await createTrip(call, { ...one, driveIds: [first], name: 'Mine' });
    await late(only(day, 1, 4));
    const [kept] = await drives();
    const trips = await db.prisma.trip.findMany({
      where: { vehicleId: vehicle.id, deletedAt: null, auto: false },
    });
    expect(trips).toMatchObject([{ id: kept?.tripId, name: 'Mine', startedAt: kept?.startedAt }]);
    expect(trips[0]?.distanceKm).toBe(kept?.distanceKm);
    await end();
  });

  it('that ended a drive under way end it again', async () => {
    const half = day.slice(0, 4);
    const vehicle = await newStreamed(db.prisma, VIN);
    const ingest = streamIngest(db.prisma, S0 + 200_000);
    await ingest.take(without(half, 2));
    ingest.clock.at += 70_000;
    await ingest.reduce();
    const where = { vehicleId: vehicle.id, state: { not: 'DISCARDED' } } as const;
    const drives = () => db.prisma.drive.findMany({ where, orderBy: { startedAt: 'asc' } });
    const account = await db.prisma.account.findUniqueOrThrow({ where: { id: vehicle.accountId } });
    const call = {
      prisma: db.prisma,
      clock: ingest.clock,
      principal: aPrincipal(account),
      requestId: 'req-test',
    };
    expect(await drives()).toMatchObject([{ state: 'ONGOING' }]);
    const [open] = await drives();
    await closeDrive(call, { ...one, id: typeIdOf('Drive', open?.id ?? '') });
    await ingest.take(day.slice(4));
    await ingest.settle();
    const before = await drives();
    expect(before.map(({ state }) => state)).toEqual(['INCOMPLETE', 'ENDED', 'ENDED']);
    await ingest.take(only(half, 2));
    await ingest.settle();
    expect(ingest.counts.again).toBe(1);
    expect((await drives()).map(({ endedAt }) => endedAt)).toEqual(
      before.map(({ endedAt }) => endedAt),
    );
    await db.prisma.account.delete({ where: { id: vehicle.accountId } });
  });
});
