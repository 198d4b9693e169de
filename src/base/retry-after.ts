import { SECOND_MS } from './units.ts';

/** How long a `Retry-After` header asks to wait [ms], in seconds or until a date; null where it says neither (RFC 9110 10.2.3). */
export function waitAskedMs(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d{1,9}(\.\d{1,9})?\s*$/.test(value)) return Math.ceil(Number(value) * SECOND_MS);
  const until = Date.parse(value);
  return Number.isNaN(until) ? null : until - now;
}
