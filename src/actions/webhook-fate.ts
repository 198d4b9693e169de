import { DAY_MS } from '../base/units.ts';
import { type CallError, retryDelaysMs, type WebhookReason } from '../contract/webhooks.ts';

/** What came of one call. */
export type CallOutcome = {
  /** HTTP status; null without an answer. */
  status: number | null;
  durationMs: number;
  /** Why it failed; null where it did not. */
  error: CallError | null;
  /** Beginning of the answer. */
  excerpt: string | null;
  /** How long the other side asked to wait [ms]; null where it did not. */
  retryAfterMs: number | null;
};

/** What becomes of a delivery after a call, and of its webhook. */
export type Fate =
  | { state: 'DELIVERED' }
  /** `inMs` is how long to wait for the next call. */
  | { state: 'PENDING'; inMs: number }
  | { state: 'FAILED'; stops: WebhookReason | null };

/** Most that a wait is made longer, as a part of it: those that failed together do not come again together. */
const JITTER = 0.2;

/** Status with which an address asks never to be called again (RFC 9110 15.5.11, Standard Webhooks 1.0). */
const GONE = 410;

/**
 * What becomes of a delivery whose call went so, after `failures` failed ones before it; `random` is from 0 to 1. A test
 * is called once. Whoever asks for a longer wait gets it, up to a day.
 */
export function fateOf(
  { status, error, retryAfterMs }: Pick<CallOutcome, 'status' | 'error' | 'retryAfterMs'>,
  { failures, test, random }: { failures: number; test: boolean; random: number },
): Fate {
  if (error === null) return { state: 'DELIVERED' };
  if (status === GONE) return { state: 'FAILED', stops: 'gone' };
  if (test) return { state: 'FAILED', stops: null };
  const delayMs = retryDelaysMs[failures];
  if (delayMs === undefined) return { state: 'FAILED', stops: 'exhausted' };
  const waitMs = Math.round(delayMs * (1 + JITTER * random));
  return { state: 'PENDING', inMs: Math.max(waitMs, Math.min(retryAfterMs ?? 0, DAY_MS)) };
}
