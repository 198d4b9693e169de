import { derivedUuid } from '../base/ids.ts';
import { HOUR_MS, MINUTE_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { DriveRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { withSample } from './drive-figures.ts';
import { positionOf } from './geodesy.ts';
import { placeAt } from './places.ts';
import { type Earlier, type MachineState, type Moment, noMean, type OpenDrive } from './state.ts';

/** A drive whose vehicle was not heard for so long ended at its last moving sample (maker.md §3.3). */
export const HOLE_MS = 15 * MINUTE_MS;
/** Movement of the odometer that proves a drive though no gear was seen [km] (maker.md §3.3). */
const ODOMETER_EVIDENCE_KM = 0.02;
/** A drive shorter than this is discarded [km] (contract §0 Ingest). */
const SHORTEST_DRIVE_KM = 0.01;
/** Speed assumed for the stretch nobody saw, when the drive was under way at its first sample [km/h]. */
const ASSUMED_SPEED_KMH = 40;

/** Whether what is known says that the vehicle is being driven; null where it says nothing. */
export function isDriving(values: SignalValues): boolean | null {
  if ((values.speedKmh ?? 0) > 0) return true;
  if (values.gear == null) return null;
  return values.gear !== 'P';
}

/** Follows the drive: opens, continues or ends it. Returns the drive that ended here, for the trip. */
export function followDrive(
  state: MachineState,
  moment: Moment,
): { state: MachineState; ended: DriveRow | null } {
  const driving = drivingAt(state, moment);
  if (state.drive === null) {
    if (driving === true) return { state: opened(state, moment), ended: null };
    return reconstructed(state, moment);
  }
  const drive = withSample(state.drive, state.values, moment, driving === true);
  if (driving === false) return closed({ ...state, drive }, moment, moment.at, 'ENDED');
  moment.effects.push({ kind: 'drive', row: drive.row });
  moment.effects.push(driveEvent('drive.updated', drive.row, moment.at));
  return { state: { ...state, drive }, ended: null };
}

/**
 * A snapshot without gear is a parked vehicle; in a stream it only means that the gear was not sent
 * (maker.md §3.3: invalid is not an end).
 */
function drivingAt(state: MachineState, moment: Moment): boolean | null {
  const { fresh, observation } = moment;
  const speaks = 'gear' in fresh || 'speedKmh' in fresh;
  if (observation.connectivity === 'asleep' && !speaks) return false;
  if (!speaks) return null;
  const driving = isDriving(state.values);
  if (driving !== null || observation.source === 'STREAM') return driving;
  return false;
}

function opened(state: MachineState, moment: Moment): MachineState {
  const before = moment.before;
  const startedAt = startOf(before, state.values, moment.at);
  const drive = withSample(
    emptyDrive(startedAt, before, state.values, moment),
    state.values,
    moment,
    true,
  );
  moment.effects.push(
    { kind: 'drive', row: drive.row },
    driveEvent('drive.started', drive.row, moment.at),
  );
  return { ...state, drive };
}

/** When the drive began: now, or earlier by the distance that the odometer gained since the vehicle was last heard. */
function startOf(before: Earlier, values: SignalValues, at: number): number {
  const unseenKm = (values.odometerKm ?? 0) - (before.values.odometerKm ?? values.odometerKm ?? 0);
  if (before.seenAt === null || unseenKm < ODOMETER_EVIDENCE_KM) return at;
  const speedKmh = Math.max(values.speedKmh ?? 0, ASSUMED_SPEED_KMH);
  return Math.max(before.seenAt, Math.round(at - (unseenKm / speedKmh) * HOUR_MS));
}

/** The vehicle moved and nobody saw it drive: the odometer proves it (maker.md §3.2 R1). */
function reconstructed(
  state: MachineState,
  moment: Moment,
): { state: MachineState; ended: DriveRow | null } {
  const before = moment.before;
  const km =
    (state.values.odometerKm ?? 0) - (before.values.odometerKm ?? state.values.odometerKm ?? 0);
  if (before.seenAt === null || km < ODOMETER_EVIDENCE_KM) return { state, ended: null };
  // A stream sends the odometer late: within a minute it still belongs to the drive that just ended.
  if (moment.at - before.seenAt < MINUTE_MS) return { state, ended: null };
  const startedAt = startOf(before, state.values, moment.at);
  const drive = withSample(
    emptyDrive(startedAt, before, state.values, moment),
    state.values,
    moment,
    true,
  );
  return closed({ ...state, drive }, moment, moment.at, 'INCOMPLETE');
}

function emptyDrive(
  startedAt: number,
  before: Earlier,
  now: SignalValues,
  moment: Moment,
): OpenDrive {
  // Whatever stood still since the vehicle was last heard is better known from then than from the first moving sample.
  const start: SignalValues = { ...now, ...pick(before.values, startSignals) };
  const position = positionOf(start.latitude, start.longitude);
  return {
    row: {
      id: derivedUuid(startedAt, moment.context.vehicleId, 'drive'),
      state: 'ONGOING',
      discardReason: null,
      startedAt,
      endedAt: null,
      durationS: null,
      startLatitude: start.latitude ?? null,
      startLongitude: start.longitude ?? null,
      endLatitude: null,
      endLongitude: null,
      startPlaceId: placeAt(moment.context.places, position)?.id ?? null,
      endPlaceId: null,
      startOdometerKm: start.odometerKm ?? null,
      endOdometerKm: null,
      startBatteryLevelPct: start.batteryLevelPct ?? null,
      endBatteryLevelPct: null,
      startUsableBatteryLevelPct: start.usableBatteryLevelPct ?? null,
      endUsableBatteryLevelPct: null,
      startRangeRatedKm: start.rangeRatedKm ?? null,
      endRangeRatedKm: null,
      distanceKm: 0,
      odometerDistanceKm: null,
      energyUsedKwh: null,
      energyRegenKwh: null,
      efficiencyWhPerKm: null,
      reducedRange: false,
      isPrecise: false,
      speedMaxKmh: null,
      speedAvgKmh: null,
      powerMaxKw: null,
      powerMinKw: null,
      ascentM: null,
      descentM: null,
      insideTempAvgC: null,
      outsideTempAvgC: null,
      sampleCount: 0,
      source: moment.observation.source,
    },
    lastAt: startedAt,
    lastMovingAt: startedAt,
    lastPosition: position,
    lastElevationM: null,
    lastPowerKw: null,
    pathKm: 0,
    positiveKwh: 0,
    negativeKwh: 0,
    startEnergyKwh: start.energyRemainingKwh ?? null,
    insideTemp: noMean,
    outsideTemp: noMean,
    onlyNeutral: true,
  };
}

const startSignals = [
  'latitude',
  'longitude',
  'odometerKm',
  'batteryLevelPct',
  'usableBatteryLevelPct',
  'rangeRatedKm',
  'energyRemainingKwh',
] as const;

function pick(values: SignalValues, names: readonly (keyof SignalValues)[]): SignalValues {
  return Object.fromEntries(
    names.flatMap((name) => (values[name] == null ? [] : [[name, values[name]]])),
  );
}

/** Ends the open drive at `endedAt`, or discards it when it is none (contract §0 Ingest). */
export function closed(
  state: MachineState,
  moment: Pick<Moment, 'at' | 'context' | 'effects'>,
  endedAt: number,
  outcome: 'ENDED' | 'INCOMPLETE',
): { state: MachineState; ended: DriveRow | null } {
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
    speedAvgKmh: seconds > 0 ? rounded((drive.row.distanceKm / seconds) * 3600, 1) : null,
    endPlaceId: placeAt(moment.context.places, end)?.id ?? null,
  };
  moment.effects.push(
    { kind: 'drive', row },
    { kind: 'seal', from: row.startedAt, to: drive.lastAt },
  );
  moment.effects.push(driveEvent('drive.ended', row, moment.at));
  return { state: { ...state, drive: null }, ended: row };
}

function discardReason(drive: OpenDrive): string | null {
  if (drive.onlyNeutral && (drive.row.odometerDistanceKm ?? 0) === 0) return 'no_movement';
  return drive.row.distanceKm < SHORTEST_DRIVE_KM ? 'under_10_m' : null;
}

function driveEvent(
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
