import { DAY_MS, HOUR_MS } from '../base/units.ts';

/** One day of the local calendar; `weekday` counts from Monday as 0, `midnightMs` is its local start in epoch ms. */
export type LocalDay = { index: number; weekday: number; midnightMs: number };

function lastSundayOf(year: number, month: number): number {
  const lastDay = Date.UTC(year, month + 1, 0);
  return lastDay - new Date(lastDay).getUTCDay() * DAY_MS;
}

type Stretch = { fromMs: number; toMs: number; offsetMs: number };

function stretchAround(atMs: number): Stretch {
  const year = new Date(atMs).getUTCFullYear();
  const summerFrom = lastSundayOf(year, 2) + HOUR_MS;
  const summerTo = lastSundayOf(year, 9) + HOUR_MS;
  if (atMs < summerFrom) return { fromMs: Date.UTC(year, 0), toMs: summerFrom, offsetMs: HOUR_MS };
  if (atMs < summerTo) return { fromMs: summerFrom, toMs: summerTo, offsetMs: 2 * HOUR_MS };
  return { fromMs: summerTo, toMs: Date.UTC(year + 1, 0), offsetMs: HOUR_MS };
}

// Asked for at every step of a simulation, and nearly always within the same half year.
let latest: Stretch = stretchAround(0);

/** Offset of local time (Europe/Zurich) from UTC at `atMs`, in milliseconds: one hour, two in summer. */
export function localOffsetMs(atMs: number): number {
  if (atMs < latest.fromMs || atMs >= latest.toMs) latest = stretchAround(atMs);
  return latest.offsetMs;
}

/** The local day with that number, counted from 1 January 1970. */
export function localDay(index: number): LocalDay {
  const guess = index * DAY_MS - HOUR_MS;
  return { index, weekday: (index + 3) % 7, midnightMs: index * DAY_MS - localOffsetMs(guess) };
}

/** Number of the local day in which `atMs` lies. */
export function localDayIndex(atMs: number): number {
  return Math.floor((atMs + localOffsetMs(atMs)) / DAY_MS);
}

/** Hours since local midnight, with fraction. */
export function localHour(atMs: number): number {
  return ((atMs + localOffsetMs(atMs)) % DAY_MS) / HOUR_MS;
}
