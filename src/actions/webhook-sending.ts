import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf, uuidOf } from '../base/ids.ts';
import type { WebhookDelivery } from '../store/generated/prisma/client.ts';
import { insertTaken } from '../store/webhook-deliveries.ts';
import { ownWebhook } from '../store/webhooks.ts';
import { testBody } from './webhook-body.ts';
import { changing, type WebhookCall } from './webhook-change.ts';
import { TEST_TYPE } from './webhook-round.ts';

/**
 * Sends an event that tries a webhook out, whether it is called or not, and waits for what comes of it. Throws `not_found`
 * and `rate_limited`.
 */
export async function testWebhook(call: WebhookCall, id: string): Promise<WebhookDelivery> {
  const { prisma, principal, desk } = call;
  const { accountId } = principal;
  const webhookId = (await ownWebhook(prisma, accountId, uuidOf('Webhook', id))).id;
  await desk.limits.take('test', accountId);
  const lease = desk.lease();
  const sending = await changing(call, async (tx, at) => {
    const webhook = await ownWebhook(tx, accountId, webhookId);
    const eventId = newUuid();
    const data = {
      ...{ id: newUuid(), webhookId, eventId, type: TEST_TYPE },
      body: testBody({ eventId, webhookId, accountId, at }),
      dueAt: new Date(at),
      createdAt: new Date(at),
    };
    // Taken as it is written, or the webhook's own round could send it first and leave nothing to wait for.
    const delivery = await insertTaken(tx, data, lease);
    const result = { webhook, delivery, ...lease };
    return { result, webhookId, action: 'webhook.test', details: {} };
  });
  await desk.sendNow(sending);
  return prisma.webhookDelivery.findUniqueOrThrow({ where: { id: sending.delivery.id } });
}

/**
 * Has a delivery sent again, with the same id, from the beginning of its schedule; where its webhook is not called, when
 * it is again. Throws `not_found` for a delivery of another webhook too, and `rate_limited`.
 */
export async function redeliverWebhook(
  call: WebhookCall,
  { id, deliveryId }: { id: string; deliveryId: string },
): Promise<WebhookDelivery> {
  const { prisma, principal, desk } = call;
  const { accountId } = principal;
  const webhookId = (await ownWebhook(prisma, accountId, uuidOf('Webhook', id))).id;
  const uuid = uuidOf('WebhookDelivery', deliveryId);
  const missing = () => new ServiceError('not_found', 'No delivery is found here.');
  if (uuid === null) throw missing();
  await desk.limits.take('redeliver', accountId);
  const redelivered = await changing(call, async (tx, at) => {
    const where = { id: uuid, webhookId };
    const data = { state: 'PENDING', failures: 0, dueAt: new Date(at), endedAt: null } as const;
    const { count } = await tx.webhookDelivery.updateMany({ where, data });
    if (count === 0) throw missing();
    const result = await tx.webhookDelivery.findUniqueOrThrow({ where: { id: uuid } });
    const details = { delivery: typeIdOf('WebhookDelivery', uuid) };
    return { result, webhookId, action: 'webhook.redeliver', details };
  });
  desk.look();
  return redelivered;
}
