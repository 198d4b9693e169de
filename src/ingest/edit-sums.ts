import { rounded } from '../base/units.ts';
import type { Sample } from '../contract/samples.ts';

/** Consumption [Wh/km]; null where it is not known, or the way was too short to tell. */
export function perKm(usedKwh: number | null, km: number): number | null {
  return usedKwh !== null && km >= 0.1 ? rounded((usedKwh / km) * 1000, 1) : null;
}

/** A sum; null where a part is not known. */
export function total(values: readonly (number | null)[]): number | null {
  if (values.some((value) => value === null)) return null;
  return rounded(
    values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    3,
  );
}

/** The least or the greatest of what is known; null where nothing is. */
export function extreme(
  pick: (...values: number[]) => number,
  values: readonly (number | null)[],
): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : pick(...known);
}

/** The mean of what is known; null where nothing is. */
export function average(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0
    ? null
    : rounded(known.reduce((sum, value) => sum + value, 0) / known.length, 1);
}

/** A mean weighted with the samples behind it. */
export function mean<D extends { sampleCount: number }>(
  drives: readonly D[],
  of: (drive: D) => number | null,
): number | null {
  const known = drives.flatMap((drive) => {
    const value = of(drive);
    return value === null ? [] : [{ value, weight: Math.max(1, drive.sampleCount) }];
  });
  const weights = known.reduce((sum, { weight }) => sum + weight, 0);
  if (weights === 0) return null;
  return rounded(known.reduce((sum, { value, weight }) => sum + value * weight, 0) / weights, 1);
}

/** Metres up (`sign` 1) or down (-1) over samples; null where no height is known. */
export function climbed(samples: readonly Sample[], sign: 1 | -1): number | null {
  const heights = samples.map(({ elevationM }) => elevationM).filter((value) => value !== null);
  if (heights.length === 0) return null;
  return heights
    .slice(1)
    .reduce(
      (sum, height, index) => sum + Math.max(0, sign * (height - (heights[index] ?? height))),
      0,
    );
}
