import { MINUTE_MS } from '../base/units.ts';
import { isSignalName, type SignalValues, sectionOf } from '../contract/signals.ts';
import { begun } from './drive-begin.ts';
import { closed, driveEvent, type Followed } from './drive-end.ts';
import { addSample } from './drive-figures.ts';
import { givenUp, HOLE_MS, unlessFound } from './drive-lost.ts';
import { atRest, reconstructed, reconstructedLate } from './drive-unseen.ts';
import type { MachineState, Moment, OpenDrive } from './state.ts';

/** Longer than any pace at which a vehicle on the road is asked. */
const SILENCE_MS = 2 * MINUTE_MS;

/** Whether what is known says that the vehicle is being driven; null where it says nothing. */
export function isDriving(values: SignalValues): boolean | null {
  if ((values.speedKmh ?? 0) > 0) return true;
  if (values.gear == null) return null;
  return values.gear !== 'P';
}

/** Follows the drive: opens, continues or ends it. Returns the drive that ended here, for the trip. */
export function followDrive(state: MachineState, heard: Moment): Followed {
  const driving = drivingAt(state, heard);
  const { drive } = state;
  if (drive === null) {
    const moment = atRest(state, heard);
    if (driving === true) return { state: opened(state, moment), ended: null };
    const known = unlessFound(state, heard);
    return moment === heard ? reconstructed(known, moment) : reconstructedLate(known, moment);
  }
  // The maker's word on the link is not the vehicle's: the drive is not heard by it (maker.md §3.2 R4).
  if (driving === null && !vehicleSpeaks(heard.fresh)) return { state, ended: null };
  if (ceased(state.values, drive, heard)) {
    return closed(state, heard, drive.lastMovingAt, 'INCOMPLETE');
  }
  // Nobody drives a vehicle that sleeps: it came to rest unseen.
  if (heard.observation.connectivity === 'asleep' && driving === false && !tellsMotion(heard))
    return givenUp(state, drive, heard);
  const endedAt = restedAt(drive, state.values, heard);
  addSample(drive, state.values, heard, isMoving(driving, state.values, heard));
  if (driving === false) return closed(state, heard, endedAt, 'ENDED');
  heard.effects.push({ kind: 'drive', row: drive.row });
  heard.effects.push(driveEvent('drive.updated', drive.row, heard.at));
  return { state, ended: null };
}

/**
 * When a drive ended whose vehicle is found at rest: now, or at its last sample where the odometer shows that it did not
 * move in a silence since (maker.md §3.2 R4). A stream tells of its end when it is, unless it broke off on the way: then the
 * record that it comes back with says where the odometer stands.
 */
function restedAt(drive: OpenDrive, values: SignalValues, moment: Moment): number {
  const { at, observation, fresh } = moment;
  const stood = values.odometerKm != null && values.odometerKm === drive.row.endOdometerKm;
  const silent = at - drive.lastAt > SILENCE_MS;
  const brokeOff = drive.lastMovingAt === drive.lastAt && fresh.odometerKm != null;
  return (observation.source !== 'STREAM' || brokeOff) && silent && stood ? drive.lastAt : at;
}

function vehicleSpeaks(fresh: SignalValues): boolean {
  for (const name in fresh) if (isSignalName(name) && sectionOf(name) !== 'config') return true;
  return false;
}

function isMoving(driving: boolean | null, values: SignalValues, moment: Moment): boolean {
  if (driving !== null || moment.observation.source !== 'STREAM') return driving === true;
  // A speed that does not change is not sent again.
  return (values.speedKmh ?? 0) > 0 && 'latitude' in moment.fresh;
}

/**
 * Whether a drive whose end was not said is over: a stream told of charging, or of no movement and no gear for as long as
 * a hole would last.
 */
function ceased(values: SignalValues, drive: OpenDrive, moment: Moment): boolean {
  const { fresh, observation, at } = moment;
  if (observation.source !== 'STREAM') return false;
  if ((fresh.speedKmh ?? 0) > 0 || fresh.gear != null) return false;
  if (fresh.chargeStatus === 'CHARGING' || fresh.chargeStatus === 'STARTING') return true;
  const inGear = values.gear != null && values.gear !== 'P';
  return !inGear && (values.speedKmh ?? 0) === 0 && at - drive.lastMovingAt >= HOLE_MS;
}

/**
 * A snapshot without gear is a parked vehicle; in a stream it only means that the gear was not sent
 * (maker.md §3.3: invalid is not an end).
 */
function drivingAt(state: MachineState, moment: Moment): boolean | null {
  const { observation } = moment;
  const speaks = tellsMotion(moment);
  if (observation.connectivity === 'asleep' && !speaks) return false;
  if (!speaks) return null;
  const driving = isDriving(state.values);
  if (driving !== null || observation.source === 'STREAM') return driving;
  return false;
}

function tellsMotion({ fresh }: Moment): boolean {
  return 'gear' in fresh || 'speedKmh' in fresh;
}

function opened(state: MachineState, moment: Moment): MachineState {
  const drive = begun(state, moment);
  moment.effects.push(
    { kind: 'drive', row: drive.row },
    driveEvent('drive.started', drive.row, moment.at),
  );
  return { ...state, drive, lost: null };
}
