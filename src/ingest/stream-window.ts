import { DAY_MS } from '../base/units.ts';
import { REORDER_MS } from './reorder.ts';
import { nextTickAt } from './silence.ts';

/** How long records that need not wait any more may gather before they are reduced [ms]: fewer and larger commits. */
export const GATHER_MS = 5_000;

/** What is known of a stream; every time is epoch ms. */
export type StreamTimes = {
  /** Event time of the newest record. */
  newestAt: number | null;
  /** When a new record last came in. */
  receivedAt: number;
};

/**
 * The event time up to which nothing earlier is waited for any more, at `now` (epoch ms): a window before the newest
 * record, or everything, once nothing came in for as long as the window. What claims to be of the future waits for it.
 */
export function settledUntil({ newestAt, receivedAt }: StreamTimes, now: number): number {
  const newest = Math.min(newestAt ?? Number.NEGATIVE_INFINITY, now);
  const sinceMs = now - receivedAt;
  // A reception that has not been yet is of a clock that was set right since: nothing waits for it.
  if (sinceMs >= 0 && sinceMs < REORDER_MS) return newest - REORDER_MS;
  return Math.max(newest, now - REORDER_MS);
}

/**
 * Up to when a vehicle is reduced anew at `now`, both epoch ms: as far as it was. Nothing is taken in that is more than a
 * day ahead; a stream that was reduced beyond that had it from a clock of ours that was ahead, and what is of then waits again.
 */
export function reducedAgainUntil(reducedUntil: number, now: number): number {
  return reducedUntil > now + DAY_MS ? now : reducedUntil;
}

/** When the journal has to be looked at again (epoch ms), or null when nothing waits in it and time has done its part. */
export function nextLookAt(
  stream: { receivedAt: number; reducedUntil: number; lastAt: number | null },
  /** Event time of the first record that is not reduced. */
  waitingAt: number | null,
): number | null {
  const tickAt = stream.lastAt === null ? null : nextTickAt(stream.lastAt, stream.reducedUntil);
  const tickDueAt = tickAt === null ? null : Math.max(stream.receivedAt, tickAt) + REORDER_MS;
  if (waitingAt === null) return tickDueAt;
  const dueAt = Math.max(stream.receivedAt + REORDER_MS, waitingAt);
  // A record of the future may wait for long; the silence before it passes meanwhile.
  return tickDueAt === null ? dueAt : Math.min(dueAt, tickDueAt);
}
