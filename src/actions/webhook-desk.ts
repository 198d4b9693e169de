import { setMaxListeners } from 'node:events';
import { guardedAgent, type OutboundPolicy } from '../base/outbound.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../base/units.ts';
import type { Vault } from '../base/vault.ts';
import { MOST_ENDED } from '../contract/webhooks.ts';
import { type Lease, sweepDeliveries } from '../store/webhook-deliveries.ts';
import { type BusyWebhook, busyWebhooks } from '../store/webhooks.ts';
import { takeEvents } from './webhook-intake.ts';
import { type WebhookLimits, webhookLimits } from './webhook-limits.ts';
import {
  usualWebhookPace,
  type WebhookCounts,
  type WebhookParts,
  type WebhookRun,
} from './webhook-parts.ts';
import { leaseOf, type Sending, sendOne, sendRound } from './webhook-round.ts';
import { stopWebhook } from './webhook-standing.ts';

/** Webhooks that a process works for at a time; a slow one takes up a place of its own and no other. */
const MOST_LANES = 32;

/** How long a webhook is worked for before others have their turn; a call under way is not broken off for it. */
const TURN_MS = SECOND_MS;

const SWEEP_MS = HOUR_MS;

/** Deliveries that one statement forgets. */
const SWEPT_AT_ONCE = 500;

/** Calls webhooks: takes what happened from the outbox, sends it, and sends again what failed. */
export type WebhookDesk = {
  vault: Vault;
  policy: OutboundPolicy;
  counts: WebhookCounts;
  /** Looks for something to do, right after something was changed. */
  look: () => void;
  limits: WebhookLimits;
  /** A lease to write a delivery under that `sendNow` is given. */
  lease: () => Lease;
  /** Sends one delivery and resolves when it is known what came of it. */
  sendNow: (sending: Sending) => Promise<void>;
  /** Resolves when nothing is under way; what is due later is not waited for. */
  settled: () => Promise<void>;
  close: () => Promise<void>;
};

/** Opens the desk. Several processes may have one on the same database: what one takes the others leave. */
export function openWebhookDesk(parts: WebhookParts): WebhookDesk {
  const { prisma, clock, log, onEvents, keepDays, mostEnded = MOST_ENDED, vault, policy } = parts;
  const pace = { ...usualWebhookPace, ...parts.pace };
  const stop = new AbortController();
  // Each call under way listens to it, and takes its listener away.
  setMaxListeners(0, stop.signal);
  const agent = guardedAgent(policy);
  const counts: WebhookCounts = { calls: 0, delivered: 0, failed: 0, stopped: 0, swept: 0 };
  const run: WebhookRun = { ...parts, pace, agent, stop: stop.signal, counts };
  const lanes = new Map<string, Promise<void>>();
  /** Webhooks that a look passed over because they were being worked for. */
  const unseen = new Set<string>();
  let closed = false;
  let again = false;
  let looking: Promise<void> | null = null;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let sweeping: Promise<void> | null = null;

  function look(): void {
    if (closed) return;
    again = true;
    looking ??= lookAll().finally(() => {
      looking = null;
      // Something may have happened after the last look.
      if (again) look();
    });
  }

  async function lookAll(): Promise<void> {
    try {
      while (again && !closed) {
        again = false;
        const taken = [...lanes.keys()];
        for (const id of taken) unseen.add(id);
        const limit = MOST_LANES - taken.length;
        const busy = limit === 0 ? [] : await busyWebhooks(prisma, { now: clock(), taken, limit });
        for (const webhook of busy) openLane(webhook);
      }
      sweep();
    } catch (error) {
      log.warn({ err: error }, 'Webhooks could not be looked at; it is tried again.');
    }
  }

  function sweep(): void {
    const now = clock();
    if (closed || sweeping !== null || Math.abs(now - sweptAt) < SWEEP_MS) return;
    sweptAt = now;
    sweeping = sweepAll(now)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'Old deliveries could not be forgotten; it is tried again.');
      })
      .finally(() => {
        sweeping = null;
      });
  }

  async function sweepAll(now: number): Promise<void> {
    const keeping = { before: now - keepDays * DAY_MS, mostEnded };
    while (!closed) {
      const swept = await sweepDeliveries(prisma, { ...keeping, limit: SWEPT_AT_ONCE });
      counts.swept += swept;
      if (swept === 0) return;
    }
  }

  function openLane(webhook: BusyWebhook): void {
    const lane = work(webhook)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'A webhook could not be worked for; it is tried again.');
        return false;
      })
      .then((worked) => {
        lanes.delete(webhook.id);
        if (unseen.delete(webhook.id) || worked) look();
      });
    lanes.set(webhook.id, lane);
  }

  /** Takes and sends for one webhook; true where there may be more to do at once. */
  async function work({ id, fresh }: BusyWebhook): Promise<boolean> {
    let worked = fresh && (await take(id));
    const turnEndsAt = performance.now() + TURN_MS;
    while (!closed && performance.now() < turnEndsAt) {
      if (!(await sendRound(run, id))) return worked;
      worked = true;
    }
    return worked;
  }

  async function take(id: string): Promise<boolean> {
    const { written, more, lost } = await takeEvents(prisma, id, clock());
    if (lost === null) return written > 0 || more;
    const { webhook, reason } = lost;
    if (await stopWebhook(prisma, webhook, { reason, at: clock() })) counts.stopped += 1;
    return false;
  }

  const unhook = onEvents(look);
  const timer = setInterval(look, pace.poll);
  look();

  async function settled(): Promise<void> {
    while (looking !== null || sweeping !== null || lanes.size > 0) {
      await looking;
      await sweeping;
      await Promise.all(lanes.values());
    }
  }

  return {
    vault,
    policy,
    counts,
    look,
    limits: webhookLimits(),
    lease: () => leaseOf(run),
    sendNow: (sending) => sendOne(run, sending),
    settled,
    close: async () => {
      closed = true;
      unhook();
      clearInterval(timer);
      const late = setTimeout(() => stop.abort(), pace.close);
      await settled();
      clearTimeout(late);
      stop.abort();
      await agent.destroy();
    },
  };
}
