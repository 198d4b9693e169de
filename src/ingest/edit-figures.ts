import { HOUR_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { Sample } from '../contract/samples.ts';
import type { Drive } from '../store/generated/prisma/client.ts';
import { speedAvg } from './drive-figures.ts';
import { average, climbed, extreme, mean, perKm, total } from './edit-sums.ts';

/** What a drive's samples gave, as it is stored. */
type Figures = Omit<
  Drive,
  | 'id'
  | 'tripId'
  | 'tripPinned'
  | 'tags'
  | 'purpose'
  | 'note'
  | 'driver'
  | 'editedAt'
  | 'deletedAt'
  | 'createdAt'
  | 'updatedAt'
  | 'placeDefaults'
  | 'madeById'
  | 'replacedById'
>;

/**
 * The figures of drives that became one: sums of what adds up, the extremes of what does not, and the ends of the first
 * and the last. Time between them is part of it. Null for none.
 */
export function mergedFigures(drives: readonly Figures[]): Figures | null {
  const [first] = drives;
  const last = drives.at(-1);
  if (first === undefined || last === undefined || last.endedAt === null) return null;
  const seconds = Math.round((last.endedAt.getTime() - first.startedAt.getTime()) / SECOND_MS);
  const byOdometer =
    first.startOdometerKm === null || last.endOdometerKm === null
      ? null
      : rounded(last.endOdometerKm - first.startOdometerKm, 3);
  const distanceKm = byOdometer ?? rounded(total(drives.map((one) => one.distanceKm)) ?? 0, 3);
  const usedKwh = total(drives.map((one) => one.energyUsedKwh));
  return {
    ...first,
    ...endOf(last),
    state: last.state,
    durationS: seconds,
    distanceKm,
    odometerDistanceKm: byOdometer,
    energyUsedKwh: usedKwh,
    energyRegenKwh: total(drives.map((one) => one.energyRegenKwh)),
    efficiencyWhPerKm: perKm(usedKwh, distanceKm),
    isPrecise: drives.every((one) => one.isPrecise),
    speedMaxKmh: extreme(
      Math.max,
      drives.map((one) => one.speedMaxKmh),
    ),
    speedAvgKmh: speedAvg(distanceKm, seconds),
    powerMaxKw: extreme(
      Math.max,
      drives.map((one) => one.powerMaxKw),
    ),
    powerMinKw: extreme(
      Math.min,
      drives.map((one) => one.powerMinKw),
    ),
    ascentM: total(drives.map((one) => one.ascentM)),
    descentM: total(drives.map((one) => one.descentM)),
    insideTempAvgC: mean(drives, (one) => one.insideTempAvgC),
    outsideTempAvgC: mean(drives, (one) => one.outsideTempAvgC),
    selfDrivingDistanceKm: total(drives.map((one) => one.selfDrivingDistanceKm)),
    sampleCount: total(drives.map((one) => one.sampleCount)) ?? 0,
  };
}

/**
 * The figures of the two halves of a drive that is cut at `at` (epoch ms). Its samples say where the vehicle was then;
 * distance and energy of the halves come to those of the whole. Null where a half has no sample.
 */
export function splitFigures(
  drive: Figures,
  samples: readonly Sample[],
  at: number,
): [Figures, Figures] | null {
  const before = samples.filter((sample) => sample.at <= at);
  const after = samples.filter((sample) => sample.at > at);
  const cut = before.at(-1);
  if (cut === undefined || after.length === 0 || drive.endedAt === null) return null;
  const share = shareBefore(drive, { cut, before, after });
  const energyShare = energyOf(before, after) ?? share;
  const [one, two] = [
    halfOf(drive, before, { share, energyShare }),
    halfOf(drive, after, { share: 1 - share, energyShare: 1 - energyShare }),
  ];
  const middle = {
    latitude: cut.latitude,
    longitude: cut.longitude,
    odometerKm: cut.odometerKm,
    levelPct: cut.batteryLevelPct,
    rangeKm: cut.rangeRatedKm,
  };
  const first: Figures = {
    ...one,
    endedAt: new Date(at),
    state: 'ENDED',
    endLatitude: middle.latitude,
    endLongitude: middle.longitude,
    endPlaceId: null,
    endOdometerKm: middle.odometerKm,
    endBatteryLevelPct: middle.levelPct,
    endUsableBatteryLevelPct: null,
    endRangeRatedKm: middle.rangeKm,
  };
  const second: Figures = {
    ...two,
    startedAt: new Date(at),
    startLatitude: middle.latitude,
    startLongitude: middle.longitude,
    startPlaceId: null,
    startOdometerKm: middle.odometerKm,
    startBatteryLevelPct: middle.levelPct,
    startUsableBatteryLevelPct: null,
    startRangeRatedKm: middle.rangeKm,
    reducedRange: false,
  };
  return [timed(first), timed(second)];
}

/** Part of the distance that lies before the cut: by the odometer, else by time. */
function shareBefore(
  { startedAt, endedAt, startOdometerKm, endOdometerKm }: Figures,
  { cut }: { cut: Sample; before: readonly Sample[]; after: readonly Sample[] },
): number {
  if (cut.odometerKm !== null && startOdometerKm !== null && endOdometerKm !== null) {
    const whole = endOdometerKm - startOdometerKm;
    if (whole > 0) return Math.min(1, Math.max(0, (cut.odometerKm - startOdometerKm) / whole));
  }
  const wholeMs = (endedAt?.getTime() ?? cut.at) - startedAt.getTime();
  return wholeMs <= 0 ? 0 : Math.min(1, (cut.at - startedAt.getTime()) / wholeMs);
}

/** Part of the energy that flowed before the cut, by power over time; null where that says nothing. */
function energyOf(before: readonly Sample[], after: readonly Sample[]): number | null {
  const [one, two] = [kwhOf(before), kwhOf(after)];
  if (one === null || two === null || one < 0 || two < 0 || one + two <= 0) return null;
  return one / (one + two);
}

function kwhOf(samples: readonly Sample[]): number | null {
  if (samples.every(({ powerKw }) => powerKw === null)) return null;
  return samples.slice(1).reduce((sum, sample, index) => {
    const earlier = samples[index];
    if (earlier === undefined) return sum;
    const meanKw = ((earlier.powerKw ?? 0) + (sample.powerKw ?? 0)) / 2;
    return sum + (meanKw * (sample.at - earlier.at)) / HOUR_MS;
  }, 0);
}

function halfOf(
  drive: Figures,
  samples: readonly Sample[],
  { share, energyShare }: { share: number; energyShare: number },
): Figures {
  const part = (value: number | null, by: number) =>
    value === null ? null : rounded(value * by, 3);
  const distanceKm = rounded(drive.distanceKm * share, 3);
  const usedKwh = part(drive.energyUsedKwh, energyShare);
  const of = (pick: (sample: Sample) => number | null) => samples.map(pick);
  return {
    ...drive,
    distanceKm,
    odometerDistanceKm: part(drive.odometerDistanceKm, share),
    energyUsedKwh: usedKwh,
    energyRegenKwh: part(drive.energyRegenKwh, energyShare),
    efficiencyWhPerKm: perKm(usedKwh, distanceKm),
    speedMaxKmh: extreme(
      Math.max,
      of(({ speedKmh }) => speedKmh),
    ),
    powerMaxKw: extreme(
      Math.max,
      of(({ powerKw }) => powerKw),
    ),
    powerMinKw: extreme(
      Math.min,
      of(({ powerKw }) => powerKw),
    ),
    ascentM: climbed(samples, 1),
    descentM: climbed(samples, -1),
    insideTempAvgC: average(of(({ insideTempC }) => insideTempC)),
    outsideTempAvgC: average(of(({ outsideTempC }) => outsideTempC)),
    selfDrivingDistanceKm: part(drive.selfDrivingDistanceKm, share),
    sampleCount: samples.length,
  };
}

function timed(half: Figures): Figures {
  const ms = (half.endedAt?.getTime() ?? 0) - half.startedAt.getTime();
  const durationS = Math.max(0, Math.round(ms / SECOND_MS));
  return { ...half, durationS, speedAvgKmh: speedAvg(half.distanceKm, durationS) };
}

function endOf(last: Figures) {
  return {
    endedAt: last.endedAt,
    endLatitude: last.endLatitude,
    endLongitude: last.endLongitude,
    endPlaceId: last.endPlaceId,
    endOdometerKm: last.endOdometerKm,
    endBatteryLevelPct: last.endBatteryLevelPct,
    endUsableBatteryLevelPct: last.endUsableBatteryLevelPct,
    endRangeRatedKm: last.endRangeRatedKm,
  };
}
