import { typeIdOf } from '../base/ids.ts';
import { MOST_BODY_BYTES } from '../contract/webhooks.ts';
import { eventBody } from './event-body.ts';
import type { EventView } from './event-view.ts';

/** What a webhook is sent of an event: the event itself, or where that is too large the event without what it is about. */
export function webhookBody(event: Omit<EventView, 'cursor'>): string {
  const whole = JSON.stringify(eventBody(event));
  if (Buffer.byteLength(whole) <= MOST_BODY_BYTES) return whole;
  return JSON.stringify({ ...eventBody(event), data: {}, previous: null, truncated: true });
}

/** The event that tries a webhook out; all ids are stored ones. */
export function testBody(test: {
  eventId: string;
  webhookId: string;
  accountId: string;
  at: number;
}): string {
  return webhookBody({
    id: typeIdOf('Event', test.eventId),
    type: 'webhook.test',
    version: 1,
    occurredAt: test.at,
    accountId: typeIdOf('Account', test.accountId),
    vehiclePublicId: null,
    sequence: null,
    data: { webhookId: typeIdOf('Webhook', test.webhookId) },
    previous: null,
  });
}
