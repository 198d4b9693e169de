import { typeIdOf, uuidOf } from '../base/ids.ts';
import { webhookReasons } from '../contract/webhooks.ts';
import { Prisma, type Webhook as WebhookRow } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { builder } from './builder.ts';
import { connection, type Guard, pageArgs, pageCost } from './connection.ts';
import { caller } from './context.ts';
import { WebhookStatus } from './enums.ts';
import { list } from './list.ts';
import { byId, vehicleById } from './loaders.ts';

/** What needs the scope `account`. */
export const account = { account: true } as const satisfies Guard;

/** Webhooks by stored id; null for those of another account. */
export const webhookById = byId((ids, context) =>
  context.prisma.webhook.findMany({
    where: { accountId: caller(context).accountId, id: { in: ids } },
  }),
);

const reasons = Object.entries(webhookReasons).map(
  ([word, { sentence }]) => `\`${word}\` (${sentence.replace(/\.$/, '')})`,
);

/** An address that is called when something happens; its secret is no part of it. */
export const Webhook = builder.prismaNode('Webhook', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, accountId: caller(context).accountId }),
  authScopes: account,
  fields: (t) => ({
    url: t.exposeString('url'),
    description: t.exposeString('description', { nullable: true }),
    types: t.exposeStringList('types'),
    vehiclePublicIds: t.field({
      type: ['ID'],
      nullable: true,
      description: 'Public ids of the vehicles it is limited to; null for all.',
      resolve: async ({ vehicleIds }, _args, context) => {
        if (vehicleIds.length === 0) return null;
        const found = await Promise.all(vehicleIds.map((id) => vehicleById(context).load(id)));
        return found.flatMap((vehicle) => vehicle?.publicId ?? []);
      },
    }),
    status: t.expose('status', { type: WebhookStatus }),
    statusReason: t.exposeString('statusReason', {
      nullable: true,
      description: `Why it is not called: ${reasons.join(', ')}.`,
    }),
    statusChangedAt: t.expose('statusChangedAt', { type: 'DateTime' }),
    previousSecretUntil: t.expose('previousSecretUntil', { type: 'DateTime', nullable: true }),
    credentialId: t.id({
      description: 'Id of the token behind it; what that may not hear is not sent.',
      resolve: ({ credentialKind, credentialId }) =>
        typeIdOf(credentialKind === 'API_KEY' ? 'ApiKey' : 'Token', credentialId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const WebhookConnection = connection('Webhook', Webhook, { guard: account, rows: 'webhooks' });

const webhooks = list<WebhookRow, never>({
  name: 'webhooks',
  source: {
    from: Prisma.sql`webhook`,
    columns: columnsOf('Webhook'),
    belongs: Prisma.sql`t.account_id = p.parent::uuid`,
    key: { column: 'created_at', name: 'createdAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (webhook) => webhook.createdAt,
  idOf: (webhook) => webhook.id,
  where: () => [],
});

builder.queryFields((t) => ({
  webhooks: t.field({
    type: WebhookConnection,
    description: 'Your webhooks, the newest first.',
    authScopes: account,
    args: pageArgs,
    complexity: pageCost,
    resolve: (_root, args, context, info) =>
      webhooks(caller(context).accountId, args, context, info),
  }),
  webhook: t.field({
    type: Webhook,
    nullable: true,
    description: 'One webhook; null when it is missing or not yours.',
    authScopes: account,
    args: { id: t.arg.id({ required: true, description: 'Id of the webhook.' }) },
    resolve: (_root, { id }, context) => {
      const uuid = uuidOf('Webhook', id);
      return uuid === null ? null : webhookById(context).load(uuid);
    },
  }),
}));
