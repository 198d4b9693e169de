import { derivedUuid } from '../base/ids.ts';
import { HOUR_MS } from '../base/units.ts';
import type { SignalValues } from '../contract/signals.ts';
import { addSample } from './drive-figures.ts';
import { distanceKm, positionOf } from './geodesy.ts';
import { noMean } from './mean.ts';
import { placeAt } from './places.ts';
import { levelOf } from './sample.ts';
import type { Earlier, MachineState, Moment, OpenDrive } from './state.ts';

/** Movement of the odometer that proves a drive though no gear was seen [km] (maker.md §3.3). */
export const ODOMETER_EVIDENCE_KM = 0.02;
/** Rise of the level that only a charger explains [%]; the usable level alone also rises as the pack warms up. */
export const LEAST_RISE_PCT = 3;
/** Speed assumed for the stretch nobody saw, when the drive was under way at its first sample [km/h]. */
export const ASSUMED_SPEED_KMH = 40;

/** A drive that begins with the values known now, and its first sample. */
export function begun(state: MachineState, moment: Moment): OpenDrive {
  const startedAt = startOf(moment.before, state.values, moment.at);
  const drive = emptyDrive(startedAt, moment.before, state.values, moment);
  addSample(drive, state.values, moment, true);
  return drive;
}

/** When the drive began: now, or earlier by the distance that the odometer gained since the vehicle was last heard. */
function startOf(before: Earlier, values: SignalValues, at: number): number {
  const unseenKm = Math.max(gainedKm(before, values), wanderedKm(before, values));
  if (before.driveSeenAt === null || unseenKm < ODOMETER_EVIDENCE_KM) return at;
  const speedKmh = Math.max(values.speedKmh ?? 0, ASSUMED_SPEED_KMH);
  return Math.max(before.driveSeenAt, Math.round(at - (unseenKm / speedKmh) * HOUR_MS));
}

/** What the odometer gained since it was last known [km]. */
export function gainedKm(before: Pick<Earlier, 'values'>, values: SignalValues): number {
  return (values.odometerKm ?? 0) - (before.values.odometerKm ?? values.odometerKm ?? 0);
}

/** How far the vehicle is from where it was last known to be, where no odometer tells of it [km]. */
export function wanderedKm(before: Pick<Earlier, 'values'>, values: SignalValues): number {
  if (before.values.odometerKm != null && values.odometerKm != null) return 0;
  const from = positionOf(before.values.latitude, before.values.longitude);
  const to = positionOf(values.latitude, values.longitude);
  return from === null || to === null ? 0 : distanceKm(from, to);
}

function emptyDrive(
  startedAt: number,
  before: Earlier,
  now: SignalValues,
  moment: Moment,
): OpenDrive {
  // Whatever stood still since the vehicle was last heard is better known from then than from the first moving sample.
  const charged = (levelOf(now) ?? 0) - (levelOf(before.values) ?? 100) >= LEAST_RISE_PCT;
  const stood = charged ? wayOfStart : [...wayOfStart, ...packAtStart];
  const start: SignalValues = { ...now, ...pick(before.values, stood) };
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
      startBatteryLevelPct: levelOf(start),
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

const wayOfStart = ['latitude', 'longitude', 'odometerKm'] as const;

const packAtStart = [
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
