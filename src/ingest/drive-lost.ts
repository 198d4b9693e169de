import { HOUR_MS, MINUTE_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { DriveRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { ASSUMED_SPEED_KMH, gainedKm, wanderedKm } from './drive-begin.ts';
import { closed, driveEvent, type Followed } from './drive-end.ts';
import { speedAvg, withLateOdometer } from './drive-figures.ts';
import { positionOf } from './geodesy.ts';
import { type PlaceShape, placeAt } from './places.ts';
import { sampleOf } from './sample.ts';
import type { LostDrive, MachineState, Moment, OpenDrive } from './state.ts';
import { memoryAtRest } from './stream.ts';
import { withLongerDrive } from './trip.ts';

/** A drive whose vehicle was not heard for so long ended at its last moving sample (maker.md §3.3). */
export const HOLE_MS = 15 * MINUTE_MS;

/**
 * Ends a drive at its last moving sample because nothing more is heard of it, and remembers it: it may have gone on. One
 * that stood when it was last heard is over.
 */
export function givenUp(
  state: MachineState,
  drive: OpenDrive,
  moment: Pick<Moment, 'at' | 'context' | 'effects'>,
): Followed {
  const { lastAt, lastMovingAt } = drive;
  const followed = closed(state, moment, lastMovingAt, 'INCOMPLETE');
  const { ended } = followed;
  if (ended === null || ended.state === 'DISCARDED' || lastAt !== lastMovingAt) return followed;
  const speedKmh = state.values.speedKmh ?? 0;
  return {
    ended,
    state: { ...followed.state, lost: { row: ended, lastAt, speedKmh, trip: null } },
  };
}

/** Remembers the trip of a drive that was given up. */
export function withTripOf(state: MachineState, ended: DriveRow): MachineState {
  const { lost, trip } = state;
  return lost?.row.id === ended.id ? { ...state, lost: { ...lost, trip } } : state;
}

/** Forgets it when the vehicle is heard where it was lost: it came to rest there. */
export function unlessFound(state: MachineState, { fresh }: Moment): MachineState {
  const { lost } = state;
  const stood = fresh.odometerKm != null && fresh.odometerKm === lost?.row.endOdometerKm;
  return stood ? { ...state, lost: null } : state;
}

/**
 * Ends a lost drive where its vehicle is found at rest, such as in the underground garage that it drove into (maker.md §3.2
 * R4): it went on at the speed it had, or at 40 km/h where that is more. Null where the way is too long for that: what takes
 * longer than a hole is another drive. Its energy stays what was seen of it, because the pack went on losing some at rest.
 */
export function wentOn(state: MachineState, moment: Moment): MachineState | null {
  const { lost, values } = state;
  if (lost === null || moment.at > (lost.until ?? Number.POSITIVE_INFINITY)) return null;
  const km = unseenKm(lost, state);
  const speedKmh = Math.max(lost.speedKmh, ASSUMED_SPEED_KMH);
  const tookMs = Math.round((km / speedKmh) * HOUR_MS);
  if (km <= 0 || tookMs > HOLE_MS) return null;
  const endedAt = Math.min(lost.lastAt + tookMs, moment.at);
  const row = longer(lost, { values, km, endedAt }, moment.context.places);
  const { latitude, longitude, odometerKm } = values;
  moment.effects.push(
    { kind: 'sample', sample: sampleOf(endedAt, { latitude, longitude, odometerKm }) },
    { kind: 'drive', row },
    { kind: 'seal', from: row.startedAt, to: endedAt },
    driveEvent('drive.updated', row, moment.at),
  );
  const rested = withParked(
    { ...state, lost: null, stream: memoryAtRest(state.stream, row) },
    moment,
  );
  const longerTrip = withLongerDrive(rested, { before: lost.row, row, trip: lost.trip }, moment);
  return lost.until === undefined ? longerTrip : mayGoOn(longerTrip, row, endedAt);
}

/** Keeps a drive of which nothing but the odometer tells, for the odometer to go on: `at` (epoch ms) is when it moved last. */
export function mayGoOn(state: MachineState, row: DriveRow, at: number): MachineState {
  const { gear, speedKmh } = state.values;
  if (gear != null || speedKmh != null || row.state === 'DISCARDED') return state;
  return { ...state, lost: { row, lastAt: at, speedKmh: 0, trip: null, until: at + HOLE_MS } };
}

/** How far the vehicle is from where the drive was lost [km]. */
function unseenKm({ row }: LostDrive, { values }: MachineState): number {
  const { endLatitude: latitude, endLongitude: longitude, endOdometerKm: odometerKm } = row;
  const then = { values: { latitude, longitude, odometerKm } };
  return Math.max(gainedKm(then, values), wanderedKm(then, values));
}

type Rest = { values: SignalValues; km: number; endedAt: number };

/** The row with the rest of its way. Its places are looked up anew: they may have changed since it was lost. */
function longer(
  { row }: LostDrive,
  { values, km, endedAt }: Rest,
  places: readonly PlaceShape[],
): DriveRow {
  const far = values.odometerKm == null ? row : withLateOdometer(row, values.odometerKm);
  const distanceKm = far === row ? rounded(row.distanceKm + km, 3) : far.distanceKm;
  const durationS = Math.max(0, Math.round((endedAt - row.startedAt) / SECOND_MS));
  const endLatitude = values.latitude ?? row.endLatitude;
  const endLongitude = values.longitude ?? row.endLongitude;
  return {
    ...far,
    endedAt,
    durationS,
    distanceKm,
    speedAvgKmh: speedAvg(distanceKm, durationS),
    sampleCount: row.sampleCount + 1,
    endLatitude,
    endLongitude,
    startPlaceId: placeAt(places, positionOf(row.startLatitude, row.startLongitude))?.id ?? null,
    endPlaceId: placeAt(places, positionOf(endLatitude, endLongitude))?.id ?? null,
  };
}

/** The span at rest that began when the drive was given up stood where the vehicle really went. */
function withParked(state: MachineState, { context, effects }: Moment): MachineState {
  const position = positionOf(state.values.latitude, state.values.longitude);
  if (state.parked === null || position === null) return state;
  const placeId = placeAt(context.places, position)?.id ?? null;
  const parked = { ...state.parked, ...position, placeId };
  effects.push({ kind: 'parkedSpan', row: parked });
  return { ...state, parked };
}
