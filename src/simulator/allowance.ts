import type { Clock } from '../base/clock.ts';
import { MINUTE_MS } from '../base/units.ts';

/** What the maker says in its headers when nothing else is set (maker.md §1.7). */
const OFFICIAL_DATA_PER_MINUTE = 60;

/** One call counted against a minute: whether it is still allowed, and the headers that say so. */
export type Counted = { allowed: boolean; resetS: number; headers: Record<string, string> };

/** Counts data calls per car and minute of `clock`; without `dataPerMinute` all are allowed and the headers are for show. */
export function allowance(clock: Clock, dataPerMinute: number | null): (vin: string) => Counted {
  const limit = dataPerMinute ?? OFFICIAL_DATA_PER_MINUTE;
  const used = new Map<string, number>();
  let minute = -1;
  return (vin) => {
    const nowMs = clock();
    const present = Math.floor(nowMs / MINUTE_MS);
    if (present !== minute) used.clear();
    minute = present;
    const count = (used.get(vin) ?? 0) + 1;
    used.set(vin, count);
    const resetS = Math.ceil(((present + 1) * MINUTE_MS - nowMs) / 1000);
    return {
      allowed: dataPerMinute === null || count <= limit,
      resetS,
      headers: {
        'ratelimit-limit': String(limit),
        'ratelimit-remaining': String(Math.max(0, limit - count)),
        'ratelimit-reset': String(resetS),
      },
    };
  };
}
