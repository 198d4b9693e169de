import { storedPreferences } from '../contract/preferences.ts';
import { builder } from './builder.ts';
import { caller } from './context.ts';
import { AccountPreferences } from './preferences.ts';

const account = { account: true } as const;

type KeyShape = { lastUsedAt: Date | null; expiresAt: Date } | null;

const LegacyApiKey = builder.objectRef<{ key: KeyShape }>('LegacyApiKey').implement({
  description: 'The key for the older-style endpoints; it can never be read again.',
  authScopes: account,
  fields: (t) => ({
    exists: t.boolean({
      description: 'Whether there is one that works.',
      resolve: ({ key }) => key !== null,
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute.',
      resolve: ({ key }) => key?.lastUsedAt ?? null,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ends.',
      resolve: ({ key }) => key?.expiresAt ?? null,
    }),
  }),
});

/** The person who is calling. */
export const Account = builder.prismaNode('Account', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, AND: [{ id: caller(context).accountId }] }),
  authScopes: account,
  fields: (t) => ({
    email: t.exposeString('email', { nullable: true }),
    emailVerified: t.exposeBoolean('emailVerified'),
    name: t.exposeString('name'),
    locale: t.exposeString('locale'),
    timezone: t.exposeString('timezone'),
    country: t.exposeString('country', { nullable: true }),
    preferences: t.field({
      type: AccountPreferences,
      description: 'Display preferences; answers never change unit by them.',
      resolve: ({ preferences }) => storedPreferences.parse(preferences),
    }),
    vehiclesCount: t.int({
      description: 'How many vehicles it has, those that left their maker account not counted.',
      resolve: ({ id }, _args, { prisma }) =>
        prisma.vehicle.count({ where: { accountId: id, archivedAt: null } }),
    }),
    makerAccountsCount: t.int({
      description: 'How many maker accounts it has linked.',
      resolve: ({ id }, _args, { prisma }) =>
        prisma.makerAccount.count({ where: { accountId: id } }),
    }),
    legacyApiKey: t.field({
      type: LegacyApiKey,
      description: 'The key for the older-style endpoints.',
      resolve: async ({ id }, _args, { prisma, clock }) => ({
        key: await prisma.apiKey.findFirst({
          where: { accountId: id, revokedAt: null, expiresAt: { gt: new Date(clock()) } },
          orderBy: { createdAt: 'desc' },
        }),
      }),
    }),
    simulated: t.exposeBoolean('simulated'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.queryField('account', (t) =>
  t.prismaField({
    type: Account,
    description: 'Your account.',
    authScopes: account,
    resolve: (query, _root, _args, context) =>
      context.prisma.account.findUniqueOrThrow({
        ...query,
        where: { id: caller(context).accountId },
      }),
  }),
);
