/** Letters of the tenth character of a VIN, from 1980 or 2010 on (ISO 3779, 49 CFR 565.15). */
const letters = 'ABCDEFGHJKLMNPRSTVWXY123456789';
const CYCLE_YEARS = 30;
const FIRST_YEAR = 1980;

/** The model year that a VIN tells, the newest that can be at `at` (epoch ms): models are sold in the year before theirs. */
export function modelYearOf(vin: string, at: number): number | null {
  const place = letters.indexOf(vin.charAt(9).toUpperCase());
  if (vin.length !== 17 || place === -1) return null;
  const newest = new Date(at).getUTCFullYear() + 1;
  const first = FIRST_YEAR + place;
  return first + CYCLE_YEARS * Math.max(0, Math.floor((newest - first) / CYCLE_YEARS));
}
