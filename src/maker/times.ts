import { DAY_MS, SECOND_MS } from '../base/units.ts';
import { isObject } from './json.ts';
import { finiteNumber, isNothing, type Reader } from './readers.ts';

/** No vehicle of this maker reported before 2012; an earlier time is a clock that was never set. */
const earliestAt = Date.UTC(2012, 0, 1);

/** No clock that is believed at all is ahead of this, and no store holds every time beyond it. */
const latestAt = Date.UTC(2100, 0, 1);

/** Below this a number counts seconds: as milliseconds it would lie in 1973, as seconds in the year 5138. */
const leastMilliseconds = 1e11;
/** From these on it counts microseconds and nanoseconds. */
const leastMicroseconds = 1e14;
const leastNanoseconds = 1e17;

const dateText = /^\d{4}-\d{2}-\d{2}T/;

/** Epoch milliseconds of a time in seconds or parts of them, RFC 3339 text or `{seconds, nanos}`; undefined for anything else. */
function instantOf(value: unknown): number | undefined {
  if (isObject(value)) return instantOf(value.seconds);
  if (typeof value === 'string' && dateText.test(value)) return finiteNumber(Date.parse(value));
  const number = finiteNumber(value);
  if (number === undefined) return undefined;
  return Math.round(number * millisecondsIn(Math.abs(number)));
}

function millisecondsIn(number: number): number {
  if (number < leastMilliseconds) return SECOND_MS;
  if (number < leastMicroseconds) return 1;
  return number < leastNanoseconds ? 1e-3 : 1e-6;
}

/** A time from 2012 until `aheadMs` after the answer was received, in epoch milliseconds; 0 stands for none. */
function timeUntil(aheadMs: number): Reader<number> {
  return (value, receivedAt) => {
    if (isNothing(value)) return null;
    const at = instantOf(value);
    if (at === 0) return null;
    const until = Math.min(receivedAt + aheadMs, latestAt);
    return at === undefined || at < earliestAt || at > until ? undefined : at;
  };
}

/** A time that something was observed at; a vehicle's clock may run ahead of ours by up to a day. */
export const observedTime = timeUntil(DAY_MS);

/** A time that something is planned for, at most a year ahead. */
export const plannedTime = timeUntil(366 * DAY_MS);
