import { mayHear, mayHearType } from '../actions/hearing.ts';
import { typeIdOf } from '../base/ids.ts';
import { isEventType } from '../contract/events.ts';
import { callErrors } from '../contract/webhooks.ts';
import {
  type WebhookAttempt as AttemptRow,
  type WebhookDelivery as DeliveryRow,
  Prisma,
} from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { builder } from './builder.ts';
import { connection, pageArgs, pageCost } from './connection.ts';
import { type Context, caller } from './context.ts';
import { WebhookDeliveryState } from './enums.ts';
import { isToldWhere } from './event.ts';
import { conditions, oneOf } from './filters.ts';
import { list } from './list.ts';
import { groupedBy } from './loaders.ts';
import { account, Webhook } from './webhook.ts';

/** Attempts of one delivery that are told, the newest ones. */
const MOST_ATTEMPTS = 50;

const attemptsOf = groupedBy<AttemptRow>(
  (attempt) => attempt.deliveryId,
  (ids, { prisma }) =>
    prisma.$queryRaw<AttemptRow[]>`
      SELECT newest.* FROM unnest(${ids}::uuid[]) AS d(id)
      CROSS JOIN LATERAL (SELECT ${columnsOf('WebhookAttempt')} FROM webhook_attempt t
        WHERE t.delivery_id = d.id ORDER BY t.ordinal DESC LIMIT ${MOST_ATTEMPTS}) newest
      ORDER BY newest.ordinal`,
);

const failures = Object.entries(callErrors).map(
  ([word, sentence]) => `\`${word}\` (${sentence.replace(/\.$/, '')})`,
);

/** Who may manage webhooks need not be able to hear what they are told. */
async function hearsIt({ type, vehicleId }: DeliveryRow, context: Context): Promise<boolean> {
  const principal = caller(context);
  if (!isEventType(type)) return true;
  return (
    mayHearType(principal, context.surface, type) &&
    mayHear(principal, { vehicleId }) &&
    (await isToldWhere(context, { type, vehicleId }))
  );
}

type Attempt = { attempt: AttemptRow; heard: boolean };

const WebhookAttempt = builder.objectRef<Attempt>('WebhookAttempt').implement({
  description: 'One time that a delivery was sent.',
  authScopes: account,
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      description: 'When it was sent.',
      resolve: ({ attempt }) => attempt.at,
    }),
    status: t.int({
      nullable: true,
      description: 'HTTP status of the answer; null without one.',
      resolve: ({ attempt }) => attempt.status,
    }),
    durationMs: t.int({
      description: 'How long it took [ms].',
      resolve: ({ attempt }) => attempt.durationMs,
    }),
    error: t.string({
      nullable: true,
      description: `Why it failed: ${failures.join(', ')}; null where it did not.`,
      resolve: ({ attempt }) => attempt.error,
    }),
    responseExcerpt: t.string({
      nullable: true,
      description:
        'Beginning of the answer, without what looks like a secret; null where it is empty, and for whoever may not hear the event.',
      resolve: ({ attempt, heard }) => (heard ? attempt.responseExcerpt : null),
    }),
  }),
});

/** An event on its way to a webhook, or what became of it. */
export const WebhookDelivery = builder.prismaObject('WebhookDelivery', {
  authScopes: account,
  fields: (t) => ({
    id: t.id({
      description: 'Id of the delivery.',
      resolve: ({ id }) => typeIdOf('WebhookDelivery', id),
    }),
    eventId: t.id({
      description: 'Id of the event, which is sent as `webhook-id`.',
      resolve: ({ eventId }) => typeIdOf('Event', eventId),
    }),
    type: t.exposeString('type'),
    state: t.expose('state', { type: WebhookDeliveryState }),
    payload: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What is sent; null for whoever may not hear the event.',
      resolve: async (delivery, _args, context): Promise<unknown> =>
        (await hearsIt(delivery, context)) ? JSON.parse(delivery.body) : null,
    }),
    attemptsCount: t.exposeInt('attempts'),
    attempts: t.field({
      type: [WebhookAttempt],
      description: `The times it was sent, the first first; of more than ${MOST_ATTEMPTS} the last.`,
      resolve: async (delivery, _args, context) => {
        const heard = await hearsIt(delivery, context);
        const attempts = await attemptsOf(context).load(delivery.id);
        return attempts.map((attempt) => ({ attempt, heard }));
      },
    }),
    nextAttemptAt: t.expose('dueAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
  }),
});

type Filter = { state?: string[] | null; type?: string[] | null };

const WebhookDeliveryFilter = builder.inputRef<Filter>('WebhookDeliveryFilter').implement({
  description: 'Which deliveries to list; every given field must hold.',
  fields: (t) => ({
    state: t.field({ type: [WebhookDeliveryState], description: 'In one of the states.' }),
    type: t.stringList({ description: 'Of one of the types of events.' }),
  }),
});

const WebhookDeliveryConnection = connection('WebhookDelivery', WebhookDelivery, {
  guard: account,
  rows: 'deliveries',
});

const deliveries = list<DeliveryRow, Filter>({
  name: 'deliveries',
  source: {
    from: Prisma.sql`webhook_delivery`,
    columns: columnsOf('WebhookDelivery'),
    belongs: Prisma.sql`t.webhook_id = p.parent::uuid`,
    key: { column: 'created_at', name: 'createdAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (delivery) => delivery.createdAt,
  idOf: (delivery) => delivery.id,
  where: (filter) => conditions([oneOf('state', filter?.state), oneOf('type', filter?.type)]),
});

builder.prismaObjectField(Webhook, 'deliveries', (t) =>
  t.field({
    type: WebhookDeliveryConnection,
    description: 'What it was told, or is to be, the newest first.',
    authScopes: account,
    args: {
      ...pageArgs,
      filter: t.arg({ type: WebhookDeliveryFilter, description: 'Which deliveries to list.' }),
    },
    complexity: pageCost,
    resolve: (webhook, args, context, info) => deliveries(webhook.id, args, context, info),
  }),
);
