import { HOUR_MS, KM_PER_MILE, MINUTE_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { DriveRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { distanceKm, type Position, positionOf } from './geodesy.ts';
import { added, meanOf } from './mean.ts';
import { placeAt } from './places.ts';
import { levelOf, sampleOf } from './sample.ts';
import type { Moment, OpenDrive } from './state.ts';

/** Power is held between samples at most so long when energy is integrated. */
const LONGEST_HOLD_MS = MINUTE_MS;

/** A drive shorter than this is discarded [km] (contract §0 Ingest). */
export const SHORTEST_DRIVE_KM = 0.01;
/** The maker's telemetry sends the odometer by steps of this length [km]: a tenth of a mile (maker.md §5.4). */
export const ODOMETER_STEP_KM = 0.1 * KM_PER_MILE;

/** No vehicle is faster [km/h]. */
const HIGHEST_SPEED_KMH = 350;
/** How far the position of a vehicle at rest may be off [km]. */
const PARKING_KM = 0.2;

/** Whether a record is kept as a sample: every snapshot; of a stream one a position, or one a speed where it has none. */
function isKept(drive: OpenDrive, values: SignalValues, moment: Moment): boolean {
  const { observation, fresh } = moment;
  if (observation.source !== 'STREAM' || drive.row.sampleCount === 0) return true;
  if ('latitude' in fresh || fresh.gear === 'P') return true;
  return values.latitude == null && 'speedKmh' in fresh;
}

/**
 * Adds one more sample to the drive's sums and figures. Written into the drive, because a copy of some sixty fields for
 * every sample is what a long import would spend its time on; the caller owns it (`machine.ts`).
 */
export function addSample(
  drive: OpenDrive,
  values: SignalValues,
  moment: Moment,
  moving: boolean,
): void {
  const { at } = moment;
  const kept = isKept(drive, values, moment);
  if (kept) moment.effects.push({ kind: 'sample', sample: sampleOf(at, values) });
  const position = positionOf(values.latitude, values.longitude);
  const awayKm = position && drive.lastPosition ? distanceKm(drive.lastPosition, position) : 0;
  const powerKw = values.powerKw ?? null;
  const elevationM = values.elevationM ?? null;
  if (position !== null) {
    if (isElsewhere(drive, awayKm, moment)) startAt(drive.row, position, moment);
    else drive.pathKm += awayKm;
    drive.lastPosition = position;
  }
  const heldH = Math.min(at - drive.lastAt, LONGEST_HOLD_MS) / HOUR_MS;
  addSpeed(drive, values.speedKmh ?? 0, heldH);
  const meanKw = ((drive.lastPowerKw ?? powerKw ?? 0) + (powerKw ?? 0)) / 2;
  drive.positiveKwh += Math.max(0, meanKw) * heldH;
  drive.negativeKwh += Math.max(0, -meanKw) * heldH;
  drive.lastPowerKw = powerKw;
  addClimb(drive, elevationM);
  drive.lastAt = at;
  if (moving && (values.speedKmh ?? 0) > 0) drive.lastMovingAt = at;
  drive.insideTemp = added(drive.insideTemp, values.insideTempC);
  drive.outsideTemp = added(drive.outsideTemp, values.outsideTempC);
  drive.onlyNeutral &&= values.gear === 'N' || values.gear === 'P';
  if (kept) drive.row.sampleCount += 1;
  sumUp(drive, values, moment.context.efficiencyWhPerKm);
}

/** Adds the way since the sample before, as far as speeds tell it; `heldH` is for how long [h] they may. */
function addSpeed(drive: OpenDrive, speedKmh: number, heldH: number): void {
  const meanKmh = ((drive.lastSpeedKmh ?? speedKmh) + speedKmh) / 2;
  drive.speedKm = (drive.speedKm ?? 0) + meanKmh * heldH;
  drive.lastSpeedKmh = speedKmh;
}

/**
 * Whether the first position of a stream's drive is too far from where the vehicle was last known to be: it got there
 * unseen, and the drive began where it is.
 */
function isElsewhere(drive: OpenDrive, awayKm: number, { at, observation }: Moment): boolean {
  if (observation.source !== 'STREAM' || drive.pathKm > 0) return false;
  const reachKm = (HIGHEST_SPEED_KMH * (at - drive.row.startedAt)) / HOUR_MS;
  return awayKm > PARKING_KM + reachKm;
}

function startAt(row: DriveRow, position: Position, { context }: Moment): void {
  row.startLatitude = position.latitude;
  row.startLongitude = position.longitude;
  row.startPlaceId = placeAt(context.places, position)?.id ?? null;
}

function addClimb(drive: OpenDrive, elevationM: number | null): void {
  if (elevationM === null) return;
  const climbM = drive.lastElevationM === null ? null : elevationM - drive.lastElevationM;
  drive.lastElevationM = elevationM;
  if (climbM === null) return;
  drive.row.ascentM = (drive.row.ascentM ?? 0) + Math.max(0, climbM);
  drive.row.descentM = (drive.row.descentM ?? 0) + Math.max(0, -climbM);
}

function highest(known: number | null, value: number | null | undefined): number | null {
  return value == null ? known : Math.max(known ?? value, value);
}

function lowest(known: number | null, value: number | null | undefined): number | null {
  return value == null ? known : Math.min(known ?? value, value);
}

/** Brings the row's figures up to the newest sample. */
function sumUp(drive: OpenDrive, values: SignalValues, efficiencyWhPerKm: number | null): void {
  const { row } = drive;
  const odometerKm = values.odometerKm ?? null;
  const byOdometer = odometerDistance(row, odometerKm);
  const km = rounded(byOdometer ?? pathDistance(drive, odometerKm), 3);
  const seconds = Math.round((drive.lastAt - row.startedAt) / SECOND_MS);
  row.speedMaxKmh = highest(row.speedMaxKmh, values.speedKmh);
  row.powerMaxKw = highest(row.powerMaxKw, values.powerKw);
  row.powerMinKw = lowest(row.powerMinKw, values.powerKw);
  row.endLatitude = drive.lastPosition?.latitude ?? null;
  row.endLongitude = drive.lastPosition?.longitude ?? null;
  row.endOdometerKm = odometerKm;
  row.startBatteryLevelPct ??= levelOf(values);
  row.startUsableBatteryLevelPct ??= values.usableBatteryLevelPct ?? null;
  row.startRangeRatedKm ??= values.rangeRatedKm ?? null;
  row.endBatteryLevelPct = levelOf(values);
  row.endUsableBatteryLevelPct = values.usableBatteryLevelPct ?? null;
  row.endRangeRatedKm = values.rangeRatedKm ?? null;
  row.durationS = seconds;
  row.distanceKm = km;
  row.odometerDistanceKm = byOdometer === null ? null : rounded(byOdometer, 3);
  row.speedAvgKmh = speedAvg(km, seconds);
  row.isPrecise = row.sampleCount >= 3 && seconds / row.sampleCount <= 30;
  const isMeasured = row.isPrecise && row.powerMaxKw !== null;
  row.energyUsedKwh = energyUsed(drive, values, efficiencyWhPerKm, isMeasured);
  row.energyRegenKwh = isMeasured ? rounded(drive.negativeKwh, 3) : null;
  row.efficiencyWhPerKm = efficiency(row.energyUsedKwh, km);
  row.reducedRange = isReduced(row.startBatteryLevelPct, row.startUsableBatteryLevelPct);
  row.insideTempAvgC = roundedOrNull(meanOf(drive.insideTemp), 1);
  row.outsideTempAvgC = roundedOrNull(meanOf(drive.outsideTemp), 1);
}

/** Distance by the odometer; null where it says none. One that a stream did not send again is no distance of zero. */
function odometerDistance(row: DriveRow, odometerKm: number | null): number | null {
  if (odometerKm === null || row.startOdometerKm === null) return null;
  const km = odometerKm - row.startOdometerKm;
  return km < 0 || (km === 0 && row.source === 'STREAM') ? null : km;
}

/**
 * Distance by the positions, else by the speeds; never more than a stream's odometer that stood still allows, unless the
 * speeds say that it was not sent.
 */
function pathDistance(drive: OpenDrive, odometerKm: number | null): number {
  const speedKm = drive.speedKm ?? 0;
  const km = drive.lastPosition === null ? speedKm : drive.pathKm;
  const stood = odometerKm !== null && odometerKm === drive.row.startOdometerKm;
  return stood ? Math.min(km, Math.max(ODOMETER_STEP_KM, speedKm)) : km;
}

/**
 * A drive that ended, with the odometer that a stream sent after its end; itself where that says nothing new. One that
 * was discarded as too short may turn out to be long enough.
 */
export function withLateOdometer(row: DriveRow, odometerKm: number): DriveRow {
  if (odometerKm <= (row.endOdometerKm ?? Number.NEGATIVE_INFINITY)) return row;
  const byOdometer = odometerDistance(row, odometerKm);
  const km = byOdometer === null ? row.distanceKm : rounded(byOdometer, 3);
  const { durationS, energyUsedKwh } = row;
  const revived = row.state === 'DISCARDED' && km >= SHORTEST_DRIVE_KM;
  return {
    ...row,
    state: revived ? 'ENDED' : row.state,
    discardReason: revived ? null : row.discardReason,
    endOdometerKm: odometerKm,
    distanceKm: km,
    odometerDistanceKm: byOdometer === null ? null : km,
    speedAvgKmh: speedAvg(km, durationS ?? 0),
    efficiencyWhPerKm: efficiency(energyUsedKwh, km),
  };
}

/** Mean speed [km/h]; null for no time at all. */
export function speedAvg(km: number, seconds: number): number | null {
  return seconds > 0 ? rounded((km / seconds) * 3600, 1) : null;
}

function efficiency(usedKwh: number | null, km: number): number | null {
  return usedKwh !== null && km >= 0.1 ? rounded((usedKwh / km) * 1000, 1) : null;
}

function roundedOrNull(value: number | null, digits: number): number | null {
  return value === null ? null : rounded(value, digits);
}

/** The pack withholds energy when it is cold: more than 2 % lie between level and usable level. */
function isReduced(levelPct: number | null, usablePct: number | null): boolean {
  return levelPct !== null && usablePct !== null && levelPct - usablePct > 2;
}

/**
 * Net energy of a drive [kWh], by the best evidence there is: the energy left in the pack at both ends; else the rated
 * range used up times the consumption it is rated with; else power over time, where the samples are dense enough.
 */
function energyUsed(
  drive: OpenDrive,
  now: SignalValues,
  efficiencyWhPerKm: number | null,
  dense: boolean,
): number | null {
  if (drive.startEnergyKwh !== null && now.energyRemainingKwh != null) {
    return rounded(drive.startEnergyKwh - now.energyRemainingKwh, 3);
  }
  const startKm = drive.row.startRangeRatedKm;
  if (startKm !== null && now.rangeRatedKm != null && efficiencyWhPerKm !== null) {
    return rounded(((startKm - now.rangeRatedKm) * efficiencyWhPerKm) / 1000, 3);
  }
  return dense ? rounded(drive.positiveKwh - drive.negativeKwh, 3) : null;
}
