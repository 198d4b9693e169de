import { HOUR_MS, MINUTE_MS } from '../base/units.ts';
import { MOST_LEFT_OPEN_MINUTES } from '../contract/vehicle-settings.ts';
import { HOLE_MS } from './drive.ts';
import type { IngestEvent } from './state.ts';

/** When the last thing that waits for time to pass happens: the end of a trip (contract §5). */
const LAST_TICK_MS = 2 * HOUR_MS + MINUTE_MS;

/** When something that was left open is told of that nothing is heard of since. */
const LEFT_OPEN_TICKS_MS = [20, 30, 45, MOST_LEFT_OPEN_MINUTES].map(
  (minutes) => minutes * MINUTE_MS,
);

/** How long after a record time has to pass: each minute while a hole or a rest may end, and once when a trip would. */
const tickOffsetsMs: readonly number[] = [
  ...Array.from({ length: HOLE_MS / MINUTE_MS + 1 }, (_, index) => (index + 1) * MINUTE_MS),
  ...LEFT_OPEN_TICKS_MS,
  LAST_TICK_MS,
];

/** The ticks of the silence after a record of `lastAt`, later than `after` and before `until`; epoch ms. */
export function ticksOf(lastAt: number, after: number, until: number): IngestEvent[] {
  return tickOffsetsMs
    .map((offsetMs) => lastAt + offsetMs)
    .filter((at) => at > after && at < until)
    .map((at) => ({ kind: 'tick', at }));
}

/** The next tick of the silence after a record of `lastAt`, later than `after`; null when all have passed. Epoch ms. */
export function nextTickAt(lastAt: number, after: number): number | null {
  const offsetMs = tickOffsetsMs.find((offset) => lastAt + offset > after);
  return offsetMs === undefined ? null : lastAt + offsetMs;
}
