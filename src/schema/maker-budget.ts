import { setMakerBudget } from '../actions/set-maker-budget.ts';
import type { MakerAccount as MakerAccountRow } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { makerCall } from './context.ts';
import { MakerAccount } from './maker-account.ts';
import { MakerSpend, MakerUsage, spendOf, standingOf } from './maker-usage.ts';
import { Vehicle } from './vehicle.ts';

const guard = { 'maker-accounts': true } as const satisfies Guard;

builder.prismaObjectFields(MakerAccount, (t) => ({
  usage: t.field({
    type: MakerUsage,
    description: 'What it used at the maker this month, and what it may use.',
    resolve: ({ id }, _args, context) => standingOf(context).load(id),
  }),
  spend: t.field({
    type: [MakerSpend],
    description: 'What it used at the maker this month, by category.',
    resolve: async ({ id }, _args, context) => spendOf(await standingOf(context).load(id)),
  }),
}));

builder.prismaObjectField(Vehicle, 'usage', (t) =>
  t.field({
    type: MakerUsage,
    description:
      'What it used at its maker this month, and what it may use by its own budget; that of its maker account holds beside it.',
    resolve: ({ id }, _args, context) => standingOf(context).load(id),
  }),
);

const SetMakerBudgetInput = builder.inputType('SetMakerBudgetInput', {
  description: 'What a maker account may use in a calendar month; what is left out stays.',
  fields: (t) => ({
    limit: t.field({
      type: 'Decimal',
      description: 'Money in major units; null for the default of the instance.',
    }),
    dataLimit: t.int({ description: 'Calls for data; null for no such limit.' }),
    commandLimit: t.int({ description: 'Commands; null for no such limit.' }),
    wakeLimit: t.int({ description: 'Wakes; null for no such limit.' }),
  }),
});

const SetMakerBudgetPayload = builder
  .objectRef<{ makerAccount: MakerAccountRow }>('SetMakerBudgetPayload')
  .implement({
    description: 'The maker account with its new budget.',
    authScopes: guard,
    fields: (t) => ({
      makerAccount: t.field({
        type: MakerAccount,
        description: 'The maker account.',
        resolve: (payload) => payload.makerAccount,
      }),
    }),
  });

builder.mutationField('setMakerBudget', (t) =>
  t.field({
    type: SetMakerBudgetPayload,
    description: 'Sets what a maker account may spend at its maker in a month.',
    authScopes: guard,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the maker account.' }),
      input: t.arg({ type: SetMakerBudgetInput, required: true, description: 'The limits.' }),
    },
    resolve: async (_root, { id, input }, context) => ({
      makerAccount: await setMakerBudget(makerCall(context), { id, input }),
    }),
  }),
);
