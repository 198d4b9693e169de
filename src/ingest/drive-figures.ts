import { HOUR_MS, MINUTE_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { DriveRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { distanceKm, positionOf } from './geodesy.ts';
import { sampleOf } from './sample.ts';
import { added, type Moment, meanOf, type OpenDrive } from './state.ts';

/** Power is held between samples at most so long when energy is integrated. */
const LONGEST_HOLD_MS = MINUTE_MS;

/** The drive with one more sample in its sums. */
export function withSample(
  drive: OpenDrive,
  values: SignalValues,
  moment: Moment,
  moving: boolean,
): OpenDrive {
  const { at } = moment;
  moment.effects.push({ kind: 'sample', sample: sampleOf(at, values) });
  const position = positionOf(values.latitude, values.longitude);
  const stepKm = position && drive.lastPosition ? distanceKm(drive.lastPosition, position) : 0;
  const heldH = Math.min(at - drive.lastAt, LONGEST_HOLD_MS) / HOUR_MS;
  const meanKw = ((drive.lastPowerKw ?? values.powerKw ?? 0) + (values.powerKw ?? 0)) / 2;
  const climbM = climbBetween(drive.lastElevationM, values.elevationM ?? null);
  const next: OpenDrive = {
    ...drive,
    lastAt: at,
    lastMovingAt: moving && (values.speedKmh ?? 0) > 0 ? at : drive.lastMovingAt,
    lastPosition: position ?? drive.lastPosition,
    lastElevationM: values.elevationM ?? drive.lastElevationM,
    lastPowerKw: values.powerKw ?? null,
    pathKm: drive.pathKm + stepKm,
    positiveKwh: drive.positiveKwh + Math.max(0, meanKw) * heldH,
    negativeKwh: drive.negativeKwh + Math.max(0, -meanKw) * heldH,
    insideTemp: added(drive.insideTemp, values.insideTempC),
    outsideTemp: added(drive.outsideTemp, values.outsideTempC),
    onlyNeutral: drive.onlyNeutral && (values.gear === 'N' || values.gear === 'P'),
  };
  return { ...next, row: summed(next, values, moment, climbM) };
}

function climbBetween(fromM: number | null, toM: number | null): number | null {
  return fromM === null || toM === null ? null : toM - fromM;
}

function highest(known: number | null, value: number | null | undefined): number | null {
  return value == null ? known : Math.max(known ?? value, value);
}

function lowest(known: number | null, value: number | null | undefined): number | null {
  return value == null ? known : Math.min(known ?? value, value);
}

/** The row's figures as of the newest sample. */
function summed(
  drive: OpenDrive,
  values: SignalValues,
  moment: Moment,
  climbM: number | null,
): DriveRow {
  const { row } = drive;
  const sampleCount = row.sampleCount + 1;
  const odometerKm = values.odometerKm ?? null;
  const byOdometer =
    odometerKm !== null && row.startOdometerKm !== null && odometerKm >= row.startOdometerKm
      ? odometerKm - row.startOdometerKm
      : null;
  const km = rounded(byOdometer ?? drive.pathKm, 3);
  const seconds = Math.round((drive.lastAt - row.startedAt) / SECOND_MS);
  const isPrecise = sampleCount >= 3 && seconds / sampleCount <= 30;
  const usedKwh = energyUsed(drive, values, moment.context.efficiencyWhPerKm, isPrecise);
  return {
    ...row,
    sampleCount,
    speedMaxKmh: highest(row.speedMaxKmh, values.speedKmh),
    powerMaxKw: highest(row.powerMaxKw, values.powerKw),
    powerMinKw: lowest(row.powerMinKw, values.powerKw),
    ascentM: climbM === null ? row.ascentM : (row.ascentM ?? 0) + Math.max(0, climbM),
    descentM: climbM === null ? row.descentM : (row.descentM ?? 0) + Math.max(0, -climbM),
    endLatitude: drive.lastPosition?.latitude ?? null,
    endLongitude: drive.lastPosition?.longitude ?? null,
    endOdometerKm: odometerKm,
    endBatteryLevelPct: values.batteryLevelPct ?? null,
    endUsableBatteryLevelPct: values.usableBatteryLevelPct ?? null,
    endRangeRatedKm: values.rangeRatedKm ?? null,
    durationS: seconds,
    distanceKm: km,
    odometerDistanceKm: byOdometer === null ? null : rounded(byOdometer, 3),
    speedAvgKmh: seconds > 0 ? rounded((km / seconds) * 3600, 1) : null,
    isPrecise,
    energyUsedKwh: usedKwh,
    energyRegenKwh: isPrecise ? rounded(drive.negativeKwh, 3) : null,
    efficiencyWhPerKm: usedKwh !== null && km >= 0.1 ? rounded((usedKwh / km) * 1000, 1) : null,
    reducedRange: isReduced(row.startBatteryLevelPct, row.startUsableBatteryLevelPct),
    insideTempAvgC: roundedOrNull(meanOf(drive.insideTemp), 1),
    outsideTempAvgC: roundedOrNull(meanOf(drive.outsideTemp), 1),
  };
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
