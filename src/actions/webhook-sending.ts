import { ServiceError } from '../base/errors.ts';
import { newUuid, uuidOf } from '../base/ids.ts';
import type { WebhookDelivery } from '../store/generated/prisma/client.ts';
import { ownWebhook } from '../store/webhooks.ts';
import { testBody } from './webhook-body.ts';
import type { WebhookCall } from './webhook-change.ts';
import { TEST_TYPE } from './webhook-round.ts';

/** Sends an event that tries a webhook out, whether it is called or not, and waits for what comes of it. Throws `not_found`. */
export async function testWebhook(call: WebhookCall, id: string): Promise<WebhookDelivery> {
  const { prisma, clock, principal, desk } = call;
  const { accountId } = principal;
  const webhook = await ownWebhook(prisma, accountId, uuidOf('Webhook', id));
  const at = clock();
  const eventId = newUuid();
  const delivery = await prisma.webhookDelivery.create({
    data: {
      id: newUuid(),
      webhookId: webhook.id,
      eventId,
      type: TEST_TYPE,
      body: testBody({ eventId, webhookId: webhook.id, accountId, at }),
      dueAt: new Date(at),
      createdAt: new Date(at),
    },
  });
  await desk.sendNow(webhook, delivery.id);
  return prisma.webhookDelivery.findUniqueOrThrow({ where: { id: delivery.id } });
}

/**
 * Has a delivery sent again, with the same id, from the beginning of its schedule; where its webhook is not called, when
 * it is again. Throws `not_found` for a delivery of another webhook too.
 */
export async function redeliverWebhook(
  { prisma, clock, principal, desk }: WebhookCall,
  { id, deliveryId }: { id: string; deliveryId: string },
): Promise<WebhookDelivery> {
  const webhook = await ownWebhook(prisma, principal.accountId, uuidOf('Webhook', id));
  const uuid = uuidOf('WebhookDelivery', deliveryId);
  const where = { id: uuid ?? '', webhookId: webhook.id };
  const { count } =
    uuid === null
      ? { count: 0 }
      : await prisma.webhookDelivery.updateMany({
          where,
          data: { state: 'PENDING', failures: 0, dueAt: new Date(clock()), endedAt: null },
        });
  if (count === 0) throw new ServiceError('not_found', 'No delivery is found here.');
  desk.look();
  return prisma.webhookDelivery.findUniqueOrThrow({ where: { id: where.id } });
}
