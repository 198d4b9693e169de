import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf } from '../base/ids.ts';
import type { Drive, HistoryEdit, Trip } from '../store/generated/prisma/client.ts';
import type { AccountCall } from './account-call.ts';
import { endedDrives } from './edit-drives.ts';
import {
  conflict,
  type EditCourse,
  editHistory,
  remember,
  touchTrip,
  tripsIn,
  vehicleOf,
  type Within,
} from './edit-history.ts';
import { readTripChanges } from './edit-input.ts';

/** Drives that a person may group at once. */
const MOST_DRIVES = 200;

/** Groups drives of a vehicle, with the charges between them, into a trip. Throws `not_found`, `validation_failed`. */
export async function createTrip(
  call: AccountCall,
  wish: Within & { driveIds: readonly string[]; name?: unknown; tags?: unknown },
): Promise<HistoryEdit> {
  const { driveIds, publicId, ...words } = wish;
  const [first, ...others] = new Set(driveIds);
  if (first === undefined || others.length >= MOST_DRIVES) {
    const sentence = `Give 1 to ${MOST_DRIVES} drives.`;
    throw new ServiceError('validation_failed', sentence, { fields: { driveIds: [sentence] } });
  }
  const given = Object.entries(words).filter(([, value]) => value !== undefined);
  const changes = readTripChanges(Object.fromEntries(given));
  const vehicleId = await vehicleOf(call, 'drive', { id: first, publicId });
  return editHistory(call, { kind: 'TRIP_CREATE', vehicleId }, async (course) => {
    const drives = await endedDrives(course, [first, ...others]);
    const id = await make(course, drives, changes);
    await moveInto(course, drives, id);
  });
}

/** Names a trip or puts tags on it. Throws `not_found` and `validation_failed`. */
export async function updateTrip(
  call: AccountCall,
  { id, ...within }: Within & { id: string },
  input: unknown,
): Promise<HistoryEdit> {
  const changes = readTripChanges(input);
  const vehicleId = await vehicleOf(call, 'trip', { id, ...within });
  return editHistory(call, { kind: 'TRIP_UPDATE', vehicleId }, async (course) => {
    const [trip] = await tripsIn(course, [id]);
    if (trip === undefined) return;
    const { name, tags, state } = trip;
    remember(course, 'trip', { id: trip.id, name, tags });
    await course.tx.trip.update({ where: { id: trip.id }, data: changes });
    const data = { tripId: trip.id, state };
    course.events.push({ type: 'trip.updated', occurredAt: course.at, data });
  });
}

/** Ungroups a trip; its drives and charges stay, in no trip. Throws `not_found`, and `merge_conflict` under way. */
export async function deleteTrip(
  call: AccountCall,
  { id, ...within }: Within & { id: string },
): Promise<HistoryEdit> {
  const vehicleId = await vehicleOf(call, 'trip', { id, ...within });
  return editHistory(call, { kind: 'TRIP_DELETE', vehicleId }, async (course) => {
    const [trip] = await endedTrips(course, [id]);
    if (trip === undefined) return;
    await touchTrip(course, trip.id);
    await move(course, { tripId: trip.id }, null);
  });
}

/** Makes one trip of several. Throws `not_found`, `validation_failed`, and `merge_conflict` where one is under way. */
export async function mergeTrips(
  call: AccountCall,
  { tripIds, ...within }: Within & { tripIds: readonly string[] },
): Promise<HistoryEdit> {
  const [some, ...more] = new Set(tripIds);
  if (some === undefined || more.length === 0 || more.length >= MOST_DRIVES) {
    const sentence = `Give 2 to ${MOST_DRIVES} trips.`;
    throw new ServiceError('validation_failed', sentence, { fields: { tripIds: [sentence] } });
  }
  const vehicleId = await vehicleOf(call, 'trip', { id: some, ...within });
  return editHistory(call, { kind: 'TRIP_MERGE', vehicleId }, async (course) => {
    const [first, ...others] = await endedTrips(course, [some, ...more]);
    if (first === undefined) return;
    // The first subject is the one that stays (`store/trip-figures.ts`).
    for (const trip of [first, ...others]) await touchTrip(course, trip.id);
    await move(course, { tripId: { in: others.map(({ id }) => id) } }, first.id);
    const tags = [...new Set([first, ...others].flatMap((trip) => trip.tags))].slice(0, 10);
    const name = first.name ?? others.find((trip) => trip.name !== null)?.name ?? null;
    await course.tx.trip.update({ where: { id: first.id }, data: { tags, name } });
  });
}

/** Cuts a trip in two before one of its drives. Throws `not_found`, `validation_failed` and `merge_conflict`. */
export async function splitTrip(
  call: AccountCall,
  { id, driveId, ...within }: Within & { id: string; driveId: string },
): Promise<HistoryEdit> {
  const vehicleId = await vehicleOf(call, 'trip', { id, ...within });
  return editHistory(call, { kind: 'TRIP_SPLIT', vehicleId }, async (course) => {
    const [trip] = await endedTrips(course, [id]);
    if (trip === undefined) return;
    const live = { tripId: trip.id, deletedAt: null, state: { not: 'DISCARDED' } } as const;
    const drives = await course.tx.drive.findMany({ where: live, orderBy: { startedAt: 'asc' } });
    const cut = drives.findIndex((drive) => typeIdOf('Drive', drive.id) === driveId);
    if (cut < 1) {
      const sentence = 'Give a drive of the trip that is not its first.';
      throw new ServiceError('validation_failed', sentence, { fields: { driveId: [sentence] } });
    }
    const later = drives.slice(cut);
    const second = await make(course, later, { tags: trip.tags });
    await moveInto(course, later, second);
  });
}

async function endedTrips(course: EditCourse, ids: readonly string[]): Promise<Trip[]> {
  const trips = await tripsIn(course, ids);
  if (trips.some(({ state }) => state === 'ONGOING')) {
    throw conflict('The trip is under way; close it first.');
  }
  return trips;
}

async function make(
  course: EditCourse,
  drives: readonly Drive[],
  { name = null, tags = [] }: { name?: string | null; tags?: string[] },
): Promise<string> {
  const id = newUuid();
  const { tx, vehicle, id: madeById } = course;
  const startedAt = drives[0]?.startedAt ?? new Date(course.at);
  const own = { auto: false, pinned: true, state: 'ENDED', simulated: vehicle.simulated } as const;
  await tx.trip.create({
    data: { id, vehicleId: vehicle.id, madeById, startedAt, name, tags, ...own },
  });
  course.undoing.made.trip.push(id);
  course.subjects.add(id);
  course.trips.add(id);
  return id;
}

/** Puts drives, and the charges from the first to the last of them, into a trip. */
async function moveInto(course: EditCourse, drives: readonly Drive[], id: string): Promise<void> {
  const [first] = drives;
  const end = drives.at(-1)?.endedAt;
  if (first === undefined || end == null) return;
  const charges = await course.tx.charge.findMany({
    where: {
      vehicleId: course.vehicle.id,
      startedAt: { gte: first.startedAt, lte: end },
      deletedAt: null,
      state: { not: 'DISCARDED' },
    },
  });
  for (const { tripId } of [...drives, ...charges]) await touchTrip(course, tripId);
  await put(course, { drives, charges }, id);
}

/** Moves everything that is in some trips, what was deleted too. */
async function move(
  course: EditCourse,
  where: { tripId: string | { in: string[] } },
  to: string | null,
): Promise<void> {
  const drives = await course.tx.drive.findMany({ where });
  const charges = await course.tx.charge.findMany({ where });
  await put(course, { drives, charges }, to);
}

type Member = { id: string; tripId: string | null; tripPinned: boolean };

async function put(
  course: EditCourse,
  { drives, charges }: { drives: readonly Member[]; charges: readonly Member[] },
  tripId: string | null,
): Promise<void> {
  const note = (table: 'drive' | 'charge', { id, tripId: before, tripPinned }: Member) =>
    remember(course, table, { id, tripId: before, tripPinned });
  for (const drive of drives) note('drive', drive);
  for (const charge of charges) note('charge', charge);
  const data = { tripId, tripPinned: true };
  const ids = (rows: readonly Member[]) => ({ id: { in: rows.map(({ id }) => id) } });
  await course.tx.drive.updateMany({ where: ids(drives), data });
  await course.tx.charge.updateMany({ where: ids(charges), data });
}
