import { MINUTE_MS } from '../base/units.ts';
import type { DriveRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { saysMoving } from './derive.ts';
import { ODOMETER_STEP_KM, withLateOdometer } from './drive-figures.ts';
import type { Earlier, MachineState, Moment, StreamMemory } from './state.ts';
import { withDrive, withLongerDrive } from './trip.ts';

/** A stream sends the odometer by steps of a tenth of a mile: a gain below this may be of the drive before [km]. */
export const UNEXPLAINED_KM = 0.2;
/** How long after its end a drive may still get its last odometer. */
const LATE_ODOMETER_MS = MINUTE_MS;
/** How far the odometer of a drive may be off the way that positions or speeds told of it. */
const LATE_ODOMETER_SHARE = 1.25;
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
  const justEnded = moment.at - memory.restAt <= LATE_ODOMETER_MS;
  if (lastDrive !== null && (justEnded || isItsOdometer(lastDrive, odometerKm))) {
    return ended(state, memory, lastDrive, odometerKm, moment);
  }
  if (restOdometerKm === null) {
    return { ...state, stream: { ...memory, restAt: moment.at, restOdometerKm: odometerKm } };
  }
  if (memory.movedAt !== null || odometerKm - restOdometerKm < UNEXPLAINED_KM) return state;
  return { ...state, stream: { ...memory, movedAt: moment.at } };
}

/** Whether a drive went without the odometer being sent, however late this one is: it says no more than was driven. */
function isItsOdometer(drive: DriveRow, odometerKm: number): boolean {
  if (drive.startOdometerKm === null || !isUncounted(drive)) return false;
  const km = odometerKm - drive.startOdometerKm;
  return km > 0 && km <= drive.distanceKm * LATE_ODOMETER_SHARE + UNEXPLAINED_KM;
}

function isUncounted({ state, odometerDistanceKm, distanceKm }: DriveRow): boolean {
  return state !== 'DISCARDED' && odometerDistanceKm === null && distanceKm > ODOMETER_STEP_KM;
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
  if (memory === null || memory.movedAt === null) {
    const { odometerKm } = before.values;
    const stood = Math.max(odometerKm ?? 0, memory?.restOdometerKm ?? 0);
    const values = odometerKm == null ? before.values : { ...before.values, odometerKm: stood };
    return { ...before, driveSeenAt: null, values };
  }
  const values = { ...before.values, odometerKm: memory.restOdometerKm };
  if (memory.lastDrive !== null) {
    values.latitude = memory.lastDrive.endLatitude;
    values.longitude = memory.lastDrive.endLongitude;
  }
  return { ...before, driveSeenAt: memory.restAt, values };
}

/** The odometer after a drive, about, where it was not sent in it [km]. */
function odometerAfter(row: DriveRow): number | null {
  const { endOdometerKm, distanceKm } = row;
  return endOdometerKm !== null && isUncounted(row) ? endOdometerKm + distanceKm : endOdometerKm;
}

/** The memory after a drive that ended. */
export function memoryAtRest(memory: StreamMemory | null, row: DriveRow): StreamMemory | null {
  if (memory === null) return null;
  return {
    ...memory,
    restAt: row.endedAt ?? row.startedAt,
    restOdometerKm: odometerAfter(row) ?? memory.restOdometerKm,
    movedAt: null,
    lastDrive: row,
  };
}
