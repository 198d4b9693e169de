import DataLoader from 'dataloader';
import { uuidOf } from '../base/ids.ts';
import { type MakerAccount as MakerAccountRow, Prisma } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { builder } from './builder.ts';
import { connection, type Guard, pageArgs, pageCost } from './connection.ts';
import { caller, perOperation } from './context.ts';
import { MakerAccountStatus, Region } from './enums.ts';
import { list } from './list.ts';
import { makerAccountById } from './loaders.ts';
import { Vehicle } from './vehicle.ts';

const guard = { 'maker-accounts': true } as const satisfies Guard;

const vehiclesOf = perOperation(
  (context) =>
    new DataLoader<string, number>(async (ids) => {
      const rows = await context.prisma.vehicle.groupBy({
        by: ['makerAccountId'],
        where: { makerAccountId: { in: [...ids] }, archivedAt: null },
        _count: true,
      });
      const counts = new Map(rows.map((row) => [row.makerAccountId, row._count]));
      return ids.map((id) => counts.get(id) ?? 0);
    }),
);

const MakerAccountError = builder
  .objectRef<{ code: string; at: Date | null }>('MakerAccountError')
  .implement({
    description: 'The last failure of a maker account.',
    authScopes: guard,
    fields: (t) => ({
      code: t.exposeString('code', { description: 'Error word.' }),
      at: t.expose('at', { type: 'DateTime', nullable: true, description: 'When.' }),
    }),
  });

/** Whether somebody is renewing the tokens of a link that works; it shows as long as the claim on it holds. */
function isRenewed({ status, renewalUntil }: MakerAccountRow, at: number): boolean {
  return status === 'ACTIVE' && renewalUntil !== null && renewalUntil.getTime() > at;
}

/** A vehicle-maker account that a person linked; its tokens are no part of it (contract §9). */
export const MakerAccount = builder.prismaNode('MakerAccount', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, accountId: caller(context).accountId }),
  authScopes: guard,
  fields: (t) => ({
    maker: t.exposeString('maker'),
    region: t.expose('region', { type: Region }),
    label: t.exposeString('label', { nullable: true }),
    emailMasked: t.exposeString('emailMasked', { nullable: true }),
    status: t.field({
      type: MakerAccountStatus,
      description: 'Whether the link works, and if not why.',
      resolve: (account, _args, { clock }) =>
        isRenewed(account, clock()) ? 'REFRESHING' : account.status,
    }),
    grantedScopes: t.exposeStringList('grantedScopes'),
    missingScopes: t.exposeStringList('missingScopes'),
    accessExpiresAt: t.expose('accessExpiresAt', { type: 'DateTime', nullable: true }),
    refreshExpiresAt: t.expose('refreshExpiresAt', { type: 'DateTime', nullable: true }),
    lastRefreshedAt: t.expose('lastRefreshedAt', { type: 'DateTime', nullable: true }),
    lastError: t.field({
      type: MakerAccountError,
      nullable: true,
      description: 'Its last failure; null without any.',
      resolve: ({ lastErrorCode, lastErrorAt }) =>
        lastErrorCode === null ? null : { code: lastErrorCode, at: lastErrorAt },
    }),
    vehiclesCount: t.int({
      description: 'How many vehicles came from it and are still in it.',
      resolve: ({ id }, _args, context) => vehiclesOf(context).load(id),
    }),
    simulated: t.exposeBoolean('simulated'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const MakerAccountConnection = connection('MakerAccount', MakerAccount, {
  guard,
  rows: 'maker accounts',
});

const makerAccounts = list<MakerAccountRow, never>({
  name: 'makerAccounts',
  source: {
    from: Prisma.sql`maker_account`,
    columns: columnsOf('MakerAccount'),
    belongs: Prisma.sql`t.account_id = p.parent::uuid`,
    key: { column: 'created_at', name: 'createdAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (account) => account.createdAt,
  idOf: (account) => account.id,
  where: () => [],
});

builder.prismaObjectField(Vehicle, 'makerAccount', (t) =>
  t.field({
    type: MakerAccount,
    nullable: true,
    description: 'The maker account it came from; null when that is unlinked.',
    authScopes: guard,
    resolve: ({ makerAccountId }, _args, context) =>
      makerAccountId === null ? null : makerAccountById(context).load(makerAccountId),
  }),
);

builder.queryFields((t) => ({
  makerAccounts: t.field({
    type: MakerAccountConnection,
    description: 'The maker accounts you linked, the newest first.',
    authScopes: guard,
    args: pageArgs,
    complexity: pageCost,
    resolve: (_root, args, context, info) =>
      makerAccounts(caller(context).accountId, args, context, info),
  }),
  makerAccount: t.field({
    type: MakerAccount,
    nullable: true,
    description: 'One maker account; null when it is missing or not yours.',
    authScopes: guard,
    args: { id: t.arg.id({ required: true, description: 'Id of the maker account.' }) },
    resolve: (_root, { id }, context) => {
      const uuid = uuidOf('MakerAccount', id);
      return uuid === null ? null : makerAccountById(context).load(uuid);
    },
  }),
}));
