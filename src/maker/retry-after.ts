import { waitAskedMs } from '../base/retry-after.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { finiteNumber } from './readers.ts';

/** How long to wait where the maker does not say; what other clients of this API wait (maker.md §3.1). */
const unsaidMs = 5 * MINUTE_MS;

const inSentence = /retry in (\d{1,9}) seconds?/i;

/**
 * How long to wait after a 429, from 1 s to 24 h: `Retry-After` in seconds or as a date, else the sentence
 * `Retry in N seconds`, else `RateLimit-Reset` in seconds, else 5 min (maker.md §1.6).
 */
export function retryAfterMs(headers: Headers, sentence: string, now: number): number {
  const waitMs =
    waitAskedMs(headers.get('retry-after'), now) ??
    fromSeconds(inSentence.exec(sentence)?.[1]) ??
    fromSeconds(headers.get('ratelimit-reset')) ??
    unsaidMs;
  return Math.min(Math.max(waitMs, SECOND_MS), DAY_MS);
}

function fromSeconds(value: unknown): number | undefined {
  const seconds = finiteNumber(value);
  return seconds === undefined ? undefined : Math.ceil(seconds * SECOND_MS);
}
