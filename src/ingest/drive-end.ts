import { SECOND_MS } from '../base/units.ts';
import type { DriveRow } from '../contract/effects.ts';
import { SHORTEST_DRIVE_KM, speedAvg } from './drive-figures.ts';
import { positionOf } from './geodesy.ts';
import { placeAt } from './places.ts';
import type { MachineState, Moment, OpenDrive } from './state.ts';
import { memoryAtRest } from './stream.ts';

/** What following a drive came to: the state after it, and the drive that ended. */
export type Followed = { state: MachineState; ended: DriveRow | null };

/** Ends the open drive at `endedAt`, or discards it when it is none (contract §0 Ingest). */
export function closed(
  state: MachineState,
  moment: Pick<Moment, 'at' | 'context' | 'effects'>,
  endedAt: number,
  outcome: 'ENDED' | 'INCOMPLETE',
): Followed {
  const drive = state.drive;
  if (drive === null) return { state, ended: null };
  const reason = discardReason(drive);
  const end = positionOf(drive.row.endLatitude, drive.row.endLongitude);
  const seconds = Math.max(0, Math.round((endedAt - drive.row.startedAt) / SECOND_MS));
  const row: DriveRow = {
    ...drive.row,
    state: reason === null ? outcome : 'DISCARDED',
    discardReason: reason,
    endedAt,
    durationS: seconds,
    speedAvgKmh: speedAvg(drive.row.distanceKm, seconds),
    endPlaceId: placeAt(moment.context.places, end)?.id ?? null,
  };
  moment.effects.push(
    { kind: 'drive', row },
    { kind: 'seal', from: row.startedAt, to: drive.lastAt },
  );
  moment.effects.push(driveEvent('drive.ended', row, moment.at));
  const stream = memoryAtRest(state.stream, row);
  return { state: { ...state, drive: null, stream }, ended: row };
}

function discardReason(drive: OpenDrive): string | null {
  const { odometerDistanceKm, distanceKm, source } = drive.row;
  // Positions of a vehicle that is pushed or washed wander; snapshots without an odometer have nothing else.
  const movedKm = odometerDistanceKm ?? (source === 'STREAM' ? 0 : distanceKm);
  if (drive.onlyNeutral && movedKm === 0) return 'no_movement';
  return drive.row.distanceKm < SHORTEST_DRIVE_KM ? 'under_10_m' : null;
}

/** The event that tells of a drive. */
export function driveEvent(
  type: 'drive.started' | 'drive.updated' | 'drive.ended',
  row: DriveRow,
  at: number,
) {
  return {
    kind: 'event',
    type,
    occurredAt: at,
    data: { driveId: row.id, state: row.state },
  } as const;
}
