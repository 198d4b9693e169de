import { MINUTE_MS } from './units.ts';

/** What a clock on the wall of a time zone shows. */
export type LocalTime = {
  /** Minutes after midnight, with the seconds as a fraction. */
  minute: number;
  /** Sunday is 0. */
  weekDay: number;
  /** 1 to 12. */
  month: number;
};

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timezone, format);
  return format;
}

/** How far local time is ahead of UTC at an instant [ms]; both are epoch ms. */
export function offsetMsAt(timezone: string, at: number): number {
  const part = Object.fromEntries(
    formatOf(timezone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return local - Math.floor(at / 1000) * 1000;
}

/** What the clock shows at an instant (epoch ms), given how far local time is ahead. */
export function localTimeAt(at: number, offsetMs: number): LocalTime {
  const local = new Date(at + offsetMs);
  const midnight = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate());
  return {
    minute: (local.getTime() - midnight) / MINUTE_MS,
    weekDay: local.getUTCDay(),
    month: local.getUTCMonth() + 1,
  };
}

/**
 * The stretches of [from, to) in which local time is ahead of UTC by the same, in order; clocks that change in between
 * cut them. Times are epoch ms.
 */
export function stretchesOfOneOffset(
  timezone: string,
  from: number,
  to: number,
): { from: number; to: number; offsetMs: number }[] {
  const stretches: { from: number; to: number; offsetMs: number }[] = [];
  let at = from;
  while (at < to) {
    const offsetMs = offsetMsAt(timezone, at);
    const until = sameUntil(timezone, { at, to: Math.min(to, at + LOOK_AHEAD_MS), offsetMs });
    stretches.push({ from: at, to: until, offsetMs });
    at = until;
  }
  return stretches;
}

/** No zone changes its clocks twice within so long. */
const LOOK_AHEAD_MS = 7 * 24 * 60 * MINUTE_MS;

/** The end of the stretch of one offset that begins at `at`, to the millisecond. */
function sameUntil(
  timezone: string,
  { at, to, offsetMs }: { at: number; to: number; offsetMs: number },
): number {
  if (offsetMsAt(timezone, to - 1) === offsetMs) return to;
  let same = at;
  let other = to - 1;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetMsAt(timezone, middle) === offsetMs) same = middle;
    else other = middle;
  }
  return other;
}
