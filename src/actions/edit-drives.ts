import { ServiceError } from '../base/errors.ts';
import { newUuid } from '../base/ids.ts';
import { mergedFigures } from '../ingest/edit-figures.ts';
import { bare, type DriveFigures, halvesOf } from '../ingest/reapply-edits.ts';
import type { Drive, HistoryEdit } from '../store/generated/prisma/client.ts';
import type { AccountCall } from './account-call.ts';
import {
  conflict,
  drivesIn,
  type EditCourse,
  editHistory,
  remember,
  tellDrive,
  touchTrip,
  vehicleOf,
  type Within,
} from './edit-history.ts';
import { readDriveChanges } from './edit-input.ts';

/** Drives that can be merged at once. */
const MOST_DRIVES = 50;

/** Puts tags, purpose, note or driver on a drive. Throws `not_found` and `validation_failed`. */
export async function updateDrive(
  call: AccountCall,
  { id, ...within }: Within & { id: string },
  input: unknown,
): Promise<HistoryEdit> {
  const changes = readDriveChanges(input);
  const vehicleId = await vehicleOf(call, 'drive', { id, ...within });
  return editHistory(call, { kind: 'DRIVE_UPDATE', vehicleId }, async (course) => {
    const [drive] = await drivesIn(course, [id]);
    if (drive === undefined) return;
    const { tags, purpose, note, driver, editedAt } = drive;
    remember(course, 'drive', { id: drive.id, tags, purpose, note, driver, editedAt });
    const data = { ...changes, editedAt: new Date(course.at) };
    await course.tx.drive.update({ where: { id: drive.id }, data });
    tellDrive(course, drive);
  });
}

/** Deletes a drive; it is kept for the undo. Throws `not_found`, and `merge_conflict` while it is under way. */
export async function deleteDrive(
  call: AccountCall,
  { id, ...within }: Within & { id: string },
): Promise<HistoryEdit> {
  const vehicleId = await vehicleOf(call, 'drive', { id, ...within });
  return editHistory(call, { kind: 'DRIVE_DELETE', vehicleId }, async (course) => {
    const [drive] = await endedDrives(course, [id]);
    if (drive === undefined) return;
    await touchTrip(course, drive.tripId);
    await hide(course, [drive], null);
    tellDrive(course, drive);
  });
}

/**
 * Makes one drive of several that follow each other. Throws `not_found`, `validation_failed` for too few or too many, and
 * `merge_conflict` where one is under way or something lies between them.
 */
export async function mergeDrives(
  call: AccountCall,
  { driveIds, ...within }: Within & { driveIds: readonly string[] },
): Promise<HistoryEdit> {
  const [first, ...others] = new Set(driveIds);
  if (first === undefined || others.length === 0 || others.length >= MOST_DRIVES) {
    const sentence = `Give 2 to ${MOST_DRIVES} drives.`;
    throw new ServiceError('validation_failed', sentence, { fields: { driveIds: [sentence] } });
  }
  const vehicleId = await vehicleOf(call, 'drive', { id: first, ...within });
  return editHistory(call, { kind: 'DRIVE_MERGE', vehicleId }, async (course) => {
    const drives = await endedDrives(course, [first, ...others]);
    await checkNothingBetween(course, drives);
    const figures = mergedFigures(drives.map(bare));
    if (figures === null) throw conflict('These drives have no end.');
    for (const { tripId } of drives) await touchTrip(course, tripId);
    await hide(course, drives, course.id);
    const same = <K extends 'tripId' | 'purpose' | 'driver'>(name: K): Drive[K] | null => {
      const [one] = drives;
      return one !== undefined && drives.every((drive) => drive[name] === one[name])
        ? one[name]
        : null;
    };
    const notes = drives.flatMap(({ note }) => note ?? []);
    await make(course, figures, {
      tags: [...new Set(drives.flatMap(({ tags }) => tags))].slice(0, 10),
      note: notes.length === 0 ? null : notes.join('\n'),
      ...{ tripId: same('tripId'), purpose: same('purpose'), driver: same('driver') },
      tripPinned: drives.some(({ tripPinned }) => tripPinned),
    });
  });
}

/**
 * Cuts a drive in two at a time (epoch ms). Throws `not_found`, `validation_failed` for a time outside it, and
 * `merge_conflict` where it is under way or a half would have no sample.
 */
export async function splitDrive(
  call: AccountCall,
  { id, at, ...within }: Within & { id: string; at: number },
): Promise<HistoryEdit> {
  const vehicleId = await vehicleOf(call, 'drive', { id, ...within });
  return editHistory(call, { kind: 'DRIVE_SPLIT', vehicleId }, async (course) => {
    const [drive] = await endedDrives(course, [id]);
    if (drive?.endedAt == null) return;
    if (at <= drive.startedAt.getTime() || at >= drive.endedAt.getTime()) {
      const sentence = 'Give a time between the start and the end of the drive.';
      throw new ServiceError('validation_failed', sentence, { fields: { at: [sentence] } });
    }
    const halves = await halvesOf(course.tx, drive, at);
    if (halves === null) throw conflict('Nothing was recorded on one side of this time.');
    await touchTrip(course, drive.tripId);
    await hide(course, [drive], course.id);
    course.undoing.at = at;
    const { tags, purpose, note, driver, tripId, tripPinned } = drive;
    for (const half of halves) {
      await make(course, half, { tags, purpose, note, driver, tripId, tripPinned });
    }
  });
}

/** Drives that are over. Throws `merge_conflict` for one under way, and for one that was discarded. */
export async function endedDrives(course: EditCourse, ids: readonly string[]): Promise<Drive[]> {
  const drives = await drivesIn(course, ids);
  if (drives.some(({ state }) => state === 'ONGOING')) throw conflict('The drive is under way.');
  if (drives.some(({ state }) => state === 'DISCARDED')) throw conflict('The drive was discarded.');
  return drives;
}

/** Deletes drives, in the place of which an edit may put others. */
async function hide(
  course: EditCourse,
  drives: readonly Drive[],
  replacedById: string | null,
): Promise<void> {
  for (const { id, deletedAt, replacedById: before, editedAt } of drives) {
    remember(course, 'drive', { id, deletedAt, replacedById: before, editedAt });
  }
  const now = new Date(course.at);
  await course.tx.drive.updateMany({
    where: { id: { in: drives.map(({ id }) => id) } },
    data: { deletedAt: now, editedAt: now, replacedById },
  });
}

type Kept = Pick<Drive, 'tags' | 'purpose' | 'note' | 'driver' | 'tripId' | 'tripPinned'>;

async function make(course: EditCourse, figures: DriveFigures, kept: Kept): Promise<void> {
  const id = newUuid();
  const editedAt = new Date(course.at);
  const own = { id, editedAt, madeById: course.id, placeDefaults: true };
  await course.tx.drive.create({ data: { ...figures, ...kept, ...own } });
  course.undoing.made.drive.push(id);
  course.subjects.add(id);
  tellDrive(course, { id, state: figures.state });
}

async function checkNothingBetween(course: EditCourse, drives: readonly Drive[]): Promise<void> {
  const [first] = drives;
  const last = drives.at(-1);
  if (first === undefined || last === undefined) return;
  const between = {
    vehicleId: course.vehicle.id,
    startedAt: { gt: first.startedAt, lt: last.startedAt },
    deletedAt: null,
    state: { not: 'DISCARDED' },
  } as const;
  const known = drives.map(({ id }) => id);
  const others = await course.tx.drive.count({ where: { ...between, id: { notIn: known } } });
  if (others > 0) throw conflict('There are other drives between these.');
  const charges = await course.tx.charge.count({ where: between });
  if (charges > 0) throw conflict('There is a charge between these drives.');
}
