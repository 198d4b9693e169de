import { newUuid, typeIdOf } from '../base/ids.ts';
import { isEventType } from '../contract/events.ts';
import { lockAccount } from '../store/audit.ts';
import type { Webhook } from '../store/generated/prisma/client.ts';
import {
  type DeliveryStep,
  giveBack,
  type Lease,
  moveDelivery,
  noteAttempt,
  type TakenDelivery,
  takeDue,
} from '../store/webhook-deliveries.ts';
import { validSecrets } from '../store/webhooks.ts';
import { makeCall } from './webhook-call.ts';
import { type CallOutcome, type Fate, fateOf } from './webhook-fate.ts';
import type { WebhookRun } from './webhook-parts.ts';
import { signedHeaders } from './webhook-signature.ts';
import {
  type Hearing,
  isUnchanged,
  stopIn,
  stopWebhook,
  webhookStanding,
} from './webhook-standing.ts';

/** Calls of one webhook that a process makes at a time. */
const AT_ONCE = 4;

/** The type of the event that tries a webhook out. */
export const TEST_TYPE = 'webhook.test';

/**
 * Sends what is due of a webhook, a few at a time; true where there was something. Rejects with the first of what failed,
 * and not before every call has ended: whoever waits for the round waits for all of it.
 */
export async function sendRound(run: WebhookRun, webhookId: string): Promise<boolean> {
  const { prisma, clock } = run;
  const lease = leaseOf(run);
  const due = { ...lease, now: clock(), limit: AT_ONCE };
  const taken = await takeDue(prisma, webhookId, due);
  const ids = taken.map(({ id }) => id);
  if (taken.length === 0) return false;
  const webhook = await prisma.webhook.findUnique({ where: { id: webhookId } });
  if (webhook === null) return false;
  if (webhook.status !== 'ACTIVE') {
    await giveBack(prisma, ids, lease);
    return false;
  }
  const { hears, lost } = await webhookStanding(prisma, webhook, clock());
  if (lost !== null) {
    await stopWebhook(prisma, webhook, { reason: lost, at: clock() });
    await giveBack(prisma, ids, lease);
    return false;
  }
  const ended = await Promise.allSettled(
    taken.map((delivery) => sendHeard(run, { webhook, delivery, ...lease }, hears)),
  );
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return true;
}

/** A lease of its own for what is taken next. */
export function leaseOf({ pace }: Pick<WebhookRun, 'pace'>): Lease {
  return { leaseId: newUuid(), leaseMs: pace.lease };
}

/** A delivery that was taken under a lease, with the webhook as it was then. */
export type Sending = Lease & { webhook: Webhook; delivery: TakenDelivery };

/** Sends what the webhook may still be told, and drops the rest. */
async function sendHeard(run: WebhookRun, sending: Sending, hears: Hearing): Promise<void> {
  const { id, type, vehicleId, failures } = sending.delivery;
  if (type === TEST_TYPE || (isEventType(type) && hears(type, vehicleId))) {
    await sendOne(run, sending);
    return;
  }
  const { prisma, clock } = run;
  const dropped = { state: 'DROPPED', failures, dueAt: null, endedAt: clock() } as const;
  await moveDelivery(prisma, { id, leaseId: sending.leaseId }, dropped);
}

/** Sends one delivery that was taken, whether its webhook is called or not. */
export async function sendOne(run: WebhookRun, sending: Sending): Promise<void> {
  const { prisma, clock, counts, agent, stop, pace, random = Math.random } = run;
  const { webhook, delivery } = sending;
  const at = clock();
  const id = typeIdOf('Event', delivery.eventId);
  const { body } = delivery;
  const headers = signedHeaders({ id, at, body }, validSecrets(run.vault, webhook, at));
  let outcome: CallOutcome;
  try {
    outcome = await makeCall(agent, {
      url: webhook.url,
      headers,
      body,
      at,
      stop,
      limitMs: pace.call,
    });
  } catch (error) {
    // Given up because the service stops: nobody knows whether it arrived, so it is sent again.
    await giveBack(prisma, [delivery.id], sending);
    if (stop.aborted) return;
    throw error;
  }
  counts.calls += 1;
  const { failures, type } = delivery;
  const fate = fateOf(outcome, { failures, test: type === TEST_TYPE, random: random() });
  await settle(run, sending, { at, outcome, fate });
}

function fromTheBeginning(now: number): DeliveryStep {
  return { state: 'PENDING', failures: 0, dueAt: now, endedAt: null };
}

function stepOf(fate: Fate, { failures }: TakenDelivery, now: number): DeliveryStep {
  const waits = fate.state === 'PENDING';
  return {
    state: fate.state,
    failures: fate.state === 'DELIVERED' ? failures : failures + 1,
    dueAt: waits ? now + fate.inMs : null,
    endedAt: waits ? null : now,
  };
}

/** Writes down a call and what becomes of its delivery and webhook, all or nothing. */
async function settle(
  { prisma, clock, counts, log }: WebhookRun,
  { webhook, delivery, leaseId }: Sending,
  { at, outcome, fate }: { at: number; outcome: CallOutcome; fate: Fate },
): Promise<void> {
  const { id } = delivery;
  const now = clock();
  const reason = fate.state === 'FAILED' ? fate.stops : null;
  const { state, stopped } = await prisma.$transaction(async (tx) => {
    // Before the delivery, as everywhere: what takes both takes the account first.
    if (reason !== null) await lockAccount(tx, webhook.accountId);
    // An end that is the old address's or its secret's is none of the new one's.
    const anew =
      reason !== null && delivery.type !== TEST_TYPE && !(await isUnchanged(tx, webhook));
    const step = anew ? fromTheBeginning(now) : stepOf(fate, delivery, now);
    const moved = await moveDelivery(tx, { id, leaseId }, step);
    // Whoever took it over after the lease writes down its own.
    if (!moved) return { state: null, stopped: false };
    const { status, durationMs, error, excerpt: responseExcerpt } = outcome;
    const attempt = { at: new Date(at), status, durationMs, error, responseExcerpt };
    await noteAttempt(tx, id, attempt);
    const stops = reason !== null && !anew && (await stopIn(tx, webhook, { reason, at: now }));
    return { state: step.state, stopped: stops };
  });
  if (state === 'DELIVERED') counts.delivered += 1;
  if (state === 'FAILED') counts.failed += 1;
  if (!stopped) return;
  counts.stopped += 1;
  log.warn(
    { webhook: typeIdOf('Webhook', webhook.id), reason },
    'A webhook is not called any more.',
  );
}
