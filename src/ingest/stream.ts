import { MINUTE_MS } from '../base/units.ts';
import type { DriveRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { saysMoving } from './derive.ts';
import { withLateOdometer } from './drive-figures.ts';
import type { Earlier, MachineState, Moment, StreamMemory } from './state.ts';
import { withDrive, withLongerDrive } from './trip.ts';

/** A stream sends the odometer by steps of a tenth of a mile: a gain below this may be of the drive before [km]. */
export const UNEXPLAINED_KM = 0.2;
/** How long after its end a drive may still get its last odometer. */
const LATE_ODOMETER_MS = MINUTE_MS;
/** How long an odometer may be ahead of the gear or speed that tells of the drive it belongs to. */
export const EARLY_ODOMETER_MS = MINUTE_MS;

/**
 * Keeps what a stream's records leave to memory, before the drive and the charge are followed. `told` is what the record
 * said itself, without what was derived from it.
 */
export function followStream(
  state: MachineState,
  moment: Moment,
  told: SignalValues,
): MachineState {
  if (state.stream === null && moment.observation.source !== 'STREAM') return state;
  const memory = state.stream ?? firstMemory(moment);
  const statusHeard = statusHeardAfter(memory, told);
  const next =
    memory === state.stream && statusHeard === memory.statusHeard
      ? state
      : { ...state, stream: { ...memory, statusHeard } };
  if (moment.observation.source !== 'STREAM' || next.drive !== null) return next;
  return withOdometer(next, moment);
}

function firstMemory({ at, before }: Moment): StreamMemory {
  return {
    statusHeard: false,
    restAt: before.driveSeenAt ?? at,
    restOdometerKm: before.values.odometerKm ?? null,
    movedAt: null,
    lastDrive: null,
  };
}

function statusHeardAfter(memory: StreamMemory, told: SignalValues): boolean {
  if (told.chargeStatus != null) return told.chargeStatus !== 'DISCONNECTED';
  return memory.statusHeard && !saysMoving(told);
}

/** An odometer heard at rest ends the drive before it, is explained by rest, or proves a movement nobody saw. */
function withOdometer(state: MachineState, moment: Moment): MachineState {
  const memory = state.stream;
  const odometerKm = moment.fresh.odometerKm ?? null;
  if (memory === null || odometerKm === null) return state;
  const { restOdometerKm, lastDrive } = memory;
  if (lastDrive !== null && moment.at - memory.restAt <= LATE_ODOMETER_MS) {
    return ended(state, memory, lastDrive, odometerKm, moment);
  }
  if (restOdometerKm === null) {
    return { ...state, stream: { ...memory, restAt: moment.at, restOdometerKm: odometerKm } };
  }
  if (memory.movedAt !== null || odometerKm - restOdometerKm < UNEXPLAINED_KM) return state;
  return { ...state, stream: { ...memory, movedAt: moment.at } };
}

function ended(
  state: MachineState,
  memory: StreamMemory,
  before: DriveRow,
  odometerKm: number,
  moment: Moment,
): MachineState {
  const row = withLateOdometer(before, odometerKm);
  if (row === before) return state;
  moment.effects.push({ kind: 'drive', row });
  const next = {
    ...state,
    stream: { ...memory, restOdometerKm: odometerKm, lastDrive: row },
  };
  if (before.state === 'DISCARDED') {
    return row.state === 'DISCARDED' ? next : withDrive(next, row, moment.context, moment.effects);
  }
  return withLongerDrive(next, { before, row, trip: null }, moment);
}

/** What a drive is measured against: the vehicle at rest, where an odometer since then proves a movement. */
export function earlierAtRest(memory: StreamMemory | null, before: Earlier): Earlier {
  if (memory === null || memory.movedAt === null) return { ...before, driveSeenAt: null };
  const values = { ...before.values, odometerKm: memory.restOdometerKm };
  if (memory.lastDrive !== null) {
    values.latitude = memory.lastDrive.endLatitude;
    values.longitude = memory.lastDrive.endLongitude;
  }
  return { ...before, driveSeenAt: memory.restAt, values };
}

/** The memory after a drive that ended. */
export function memoryAtRest(memory: StreamMemory | null, row: DriveRow): StreamMemory | null {
  if (memory === null) return null;
  return {
    ...memory,
    restAt: row.endedAt ?? row.startedAt,
    restOdometerKm: row.endOdometerKm ?? memory.restOdometerKm,
    movedAt: null,
    lastDrive: row,
  };
}
