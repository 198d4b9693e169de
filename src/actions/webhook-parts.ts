import type { Dispatcher } from 'undici';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { OutboundPolicy } from '../base/outbound.ts';
import { SECOND_MS } from '../base/units.ts';
import type { Vault } from '../base/vault.ts';
import { CALL_MS } from '../contract/webhooks.ts';
import type { Database } from '../store/client.ts';

/** How long things take at most, and how often they are looked for [ms]. */
export type WebhookPace = {
  /** How soon what another process wrote, and what is due again, is noticed. */
  poll: number;
  /** How long a call may take. */
  call: number;
  /** How long a delivery belongs to whoever took it; longer than a call can take. */
  lease: number;
  /** How long calls under way may take to end when the service stops. */
  close: number;
};

export const usualWebhookPace: WebhookPace = {
  poll: SECOND_MS,
  call: CALL_MS,
  lease: 30 * SECOND_MS,
  close: 3 * SECOND_MS,
};

/** What webhooks are called with. */
export type WebhookParts = Pick<Database, 'prisma' | 'onEvents'> & {
  vault: Vault;
  clock: Clock;
  log: Log;
  /** What may be called. */
  policy: OutboundPolicy;
  /** How long deliveries are kept [days]. */
  keepDays: number;
  /** How many of one webhook that have ended; `MOST_ENDED` unless given. */
  mostEnded?: number;
  /** From 0 to 1; `Math.random` unless given. */
  random?: () => number;
  /** How fast; the usual pace unless given. */
  pace?: Partial<WebhookPace>;
};

/** What calling counts, for the metrics. */
export type WebhookCounts = {
  calls: number;
  delivered: number;
  failed: number;
  stopped: number;
  swept: number;
};

/** The parts while webhooks are called: the agent that calls, and the end of it. */
export type WebhookRun = Omit<WebhookParts, 'pace'> & {
  pace: WebhookPace;
  agent: Dispatcher;
  stop: AbortSignal;
  counts: WebhookCounts;
};
