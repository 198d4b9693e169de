/** Kilometres in one statute mile (exact by definition). */
export const KM_PER_MILE = 1.609344;

/** Bar in one standard atmosphere (exact by definition). */
const BAR_PER_ATMOSPHERE = 1.01325;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Decimals that a converted value keeps: a metre, a millibar; no vehicle tells more. */
const CONVERTED_DIGITS = 3;

/** Miles to kilometres, or miles per hour to km/h, to three decimals. */
export function kmFromMiles(miles: number): number {
  return rounded(miles * KM_PER_MILE, CONVERTED_DIGITS);
}

/** Atmospheres to bar, to three decimals. */
export function barFromAtmospheres(atmospheres: number): number {
  return rounded(atmospheres * BAR_PER_ATMOSPHERE, CONVERTED_DIGITS);
}

/** Kilometres to miles, or km/h to miles per hour. */
export function milesFromKm(km: number): number {
  return km / KM_PER_MILE;
}

/** `value` rounded to `digits` decimals, as numbers leave the service. */
export function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
