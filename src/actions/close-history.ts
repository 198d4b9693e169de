import { closeOpen } from '../ingest/close-open.ts';
import type { HistoryEdit } from '../store/generated/prisma/client.ts';
import type { AccountCall } from './account-call.ts';
import {
  conflict,
  drivesIn,
  editHistory,
  tellDrive,
  tripsIn,
  vehicleOf,
  type Within,
} from './edit-history.ts';

/**
 * Ends a drive that is under way, at its last sample; what the vehicle drives from now on is another one, also when its
 * records come again. Throws `not_found`, and `merge_conflict` where it is over.
 */
export async function closeDrive(
  call: AccountCall,
  { id, ...within }: Within & { id: string },
): Promise<HistoryEdit> {
  const vehicleId = await vehicleOf(call, 'drive', { id, ...within });
  return editHistory(call, { kind: 'DRIVE_CLOSE', vehicleId }, async (course) => {
    const [drive] = await drivesIn(course, [id]);
    if (drive === undefined) return;
    if (drive.state !== 'ONGOING') throw conflict('The drive is over.');
    const close = await closeOpen(course.tx, vehicleId, 'drive');
    if (close === null || close.id !== drive.id) throw conflict('The drive is over.');
    course.subjects.add(drive.id);
    course.undoing.at = close.at;
    // One that came to nothing was discarded.
    tellDrive(course, await course.tx.drive.findUniqueOrThrow({ where: { id: drive.id } }));
  });
}

/**
 * Ends a trip that is under way; the next drive begins another one, also when its records come again. Throws `not_found`,
 * and `merge_conflict` where it is over or a drive is under way.
 */
export async function closeTrip(
  call: AccountCall,
  { id, ...within }: Within & { id: string },
): Promise<HistoryEdit> {
  const vehicleId = await vehicleOf(call, 'trip', { id, ...within });
  return editHistory(call, { kind: 'TRIP_CLOSE', vehicleId }, async (course) => {
    const [trip] = await tripsIn(course, [id]);
    if (trip === undefined) return;
    if (trip.state !== 'ONGOING') throw conflict('The trip is over.');
    const close = await closeOpen(course.tx, vehicleId, 'trip');
    if (close === null || close.id !== trip.id) {
      throw conflict('The trip is over, or a drive of it is under way.');
    }
    course.subjects.add(trip.id);
    course.undoing.at = close.at;
  });
}
