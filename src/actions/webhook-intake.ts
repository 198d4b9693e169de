import { newUuid } from '../base/ids.ts';
import type { WebhookReason } from '../contract/webhooks.ts';
import type { Prisma, PrismaClient, Webhook } from '../store/generated/prisma/client.ts';
import { eventsAfter, newestPosition, type StoredEvent } from '../store/outbox-read.ts';
import { takeWebhook } from '../store/webhooks.ts';
import { eventView } from './event-view.ts';
import { webhookBody } from './webhook-body.ts';
import { webhookStanding } from './webhook-standing.ts';

/** Deliveries of one webhook that wait at most; what comes after them stays in the outbox until there is room. */
const MOST_WAITING = 1_000;

/** Events that one transaction takes. */
const PAGE = 500;

/** What was taken: how many deliveries, and whether more can be taken at once; or why nothing may be, of which webhook. */
export type Taken = {
  written: number;
  more: boolean;
  lost: { webhook: Webhook; reason: WebhookReason } | null;
};

const nothing: Taken = { written: 0, more: false, lost: null };

/**
 * Writes the deliveries of what happened since a webhook was last looked at. Its place in the outbox moves in the same
 * transaction, so that a crash leaves both or neither, and a second process finds nothing left. What it may hear is judged
 * there as well, by the webhook as it is then: whoever changes it waits, or is seen.
 */
export function takeEvents(prisma: PrismaClient, webhookId: string, at: number): Promise<Taken> {
  return prisma.$transaction(async (tx) => {
    const webhook = await takeWebhook(tx, webhookId);
    if (webhook === null) return nothing;
    const { hears, lost: reason } = await webhookStanding(tx, webhook, at);
    if (reason !== null) return { ...nothing, lost: { webhook, reason } };
    const waiting = await tx.webhookDelivery.count({ where: { webhookId, state: 'PENDING' } });
    const room = MOST_WAITING - waiting;
    if (room <= 0) return nothing;
    const wants = ({ type, vehicleId }: StoredEvent) =>
      webhook.types.includes(type) && hears(type, vehicleId);
    const { events, position, more } = await nextEvents(tx, webhook, { room, wants });
    await tx.webhookDelivery.createMany({
      data: events.map((event) => deliveryOf(event, webhookId, at)),
      skipDuplicates: true,
    });
    await tx.webhook.update({ where: { id: webhookId }, data: { position } });
    return { written: events.length, more, lost: null };
  });
}

async function nextEvents(
  tx: Prisma.TransactionClient,
  { accountId, position }: Webhook,
  { room, wants }: { room: number; wants: (event: StoredEvent) => boolean },
): Promise<{ events: StoredEvent[]; position: number; more: boolean }> {
  // Before the events, so that an empty page means that those up to here are kept no longer.
  const newest = await newestPosition(tx, accountId);
  const [page] = await eventsAfter(tx, [{ accountId, position: Number(position) }], PAGE);
  if (page === undefined) return { events: [], position: newest, more: false };
  const wanted = page.events.filter(wants);
  const last = wanted[room - 1];
  return wanted.length > room && last !== undefined
    ? { events: wanted.slice(0, room), position: last.position, more: false }
    : { events: wanted, position: page.position, more: page.full };
}

function deliveryOf(event: StoredEvent, webhookId: string, at: number) {
  return {
    id: newUuid(),
    webhookId,
    eventId: event.id,
    type: event.type,
    vehicleId: event.vehicleId,
    body: webhookBody(eventView(event)),
    dueAt: new Date(at),
    createdAt: new Date(at),
  };
}
