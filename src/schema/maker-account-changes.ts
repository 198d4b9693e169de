import { type Refreshed, refreshMakerAccount } from '../actions/refresh-maker-account.ts';
import { type Unlinked, unlinkMakerAccount } from '../actions/unlink-maker-account.ts';
import { typeIdOf } from '../base/ids.ts';
import type { MakerAccount as MakerAccountRow } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { makerCall } from './context.ts';
import { MakerAccount } from './maker-account.ts';

const guard = { 'maker-accounts': true } as const satisfies Guard;

/** Maker accounts that are refreshed at once. */
const MOST_ACCOUNTS = 20;

const RefreshMakerAccountPayload = builder
  .objectRef<Refreshed>('RefreshMakerAccountPayload')
  .implement({
    description: 'The account after its tokens were renewed and its list was read.',
    authScopes: guard,
    fields: (t) => ({
      makerAccount: t.field({
        type: MakerAccount,
        description: 'The maker account.',
        resolve: (payload) => payload.makerAccount,
      }),
    }),
  });

const RefreshMakerAccountsPayload = builder
  .objectRef<{ makerAccounts: MakerAccountRow[] }>('RefreshMakerAccountsPayload')
  .implement({
    description: 'Your maker accounts after the refresh.',
    authScopes: guard,
    fields: (t) => ({
      makerAccounts: t.field({
        type: [MakerAccount],
        description: 'The maker accounts, the newest first; what failed stands in the last error.',
        resolve: (payload) => payload.makerAccounts,
      }),
    }),
  });

const UnlinkMakerAccountPayload = builder
  .objectRef<Unlinked>('UnlinkMakerAccountPayload')
  .implement({
    description: 'What was unlinked.',
    authScopes: guard,
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the maker account.' }),
      keptHistory: t.exposeBoolean('keptHistory', {
        description: 'Whether the history of its vehicles stays.',
      }),
      vehiclesCount: t.exposeInt('vehiclesCount', { description: 'How many vehicles it had.' }),
    }),
  });

builder.mutationFields((t) => ({
  refreshMakerAccount: t.field({
    type: RefreshMakerAccountPayload,
    description: 'Renews the tokens of a maker account and reads its list of vehicles.',
    authScopes: guard,
    args: { id: t.arg.id({ required: true, description: 'Id of the maker account.' }) },
    resolve: (_root, { id }, context) => refreshMakerAccount(makerCall(context), id),
  }),
  refreshMakerAccounts: t.field({
    type: RefreshMakerAccountsPayload,
    description: 'Renews the tokens of all your maker accounts that work.',
    authScopes: guard,
    resolve: async (_root, _args, context) => {
      const call = makerCall(context);
      const { accountId } = call.principal;
      const page = { orderBy: { createdAt: 'desc' }, take: MOST_ACCOUNTS } as const;
      const where = { accountId, status: 'ACTIVE' } as const;
      const rows = await context.prisma.makerAccount.findMany({ where, ...page });
      const ids = rows.map(({ id }) => id);
      await Promise.allSettled(
        ids.map((id) => refreshMakerAccount(call, typeIdOf('MakerAccount', id))),
      );
      const after = { accountId, id: { in: ids } };
      return {
        makerAccounts: await context.prisma.makerAccount.findMany({ where: after, ...page }),
      };
    },
  }),
  unlinkMakerAccount: t.field({
    type: UnlinkMakerAccountPayload,
    description:
      'Unlinks a maker account: its tokens are forgotten and its vehicles no longer followed.',
    authScopes: guard,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the maker account.' }),
      keepHistory: t.arg.boolean({
        defaultValue: true,
        description: 'False removes for ever everything that was recorded of its vehicles.',
      }),
    },
    resolve: (_root, { id, keepHistory }, context) =>
      unlinkMakerAccount(makerCall(context), { id, keepHistory: keepHistory ?? true }),
  }),
}));
