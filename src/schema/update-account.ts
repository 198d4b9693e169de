import { updateAccount } from '../actions/update-account.ts';
import type { Account as AccountRow } from '../store/generated/prisma/client.ts';
import { Account } from './account.ts';
import { builder } from './builder.ts';
import { caller } from './context.ts';
import {
  DistanceUnit,
  EnergyUnit,
  PressureUnit,
  RangeKind,
  TemperatureUnit,
  WeekStart,
} from './preferences.ts';

const account = { account: true } as const;

const PreferencesInput = builder.inputType('AccountPreferencesInput', {
  description: 'Display preferences to change; what is left out stays.',
  fields: (t) => ({
    distance: t.field({ type: DistanceUnit, description: 'Unit of distances.' }),
    temperature: t.field({ type: TemperatureUnit, description: 'Unit of temperatures.' }),
    pressure: t.field({ type: PressureUnit, description: 'Unit of pressures.' }),
    energy: t.field({ type: EnergyUnit, description: 'Unit of energy.' }),
    range: t.field({ type: RangeKind, description: 'Which range to show.' }),
    weekStart: t.field({ type: WeekStart, description: 'First day of a week.' }),
    currency: t.string({ description: 'Currency, ISO 4217; null takes the choice back.' }),
  }),
});

const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'What to change of your account; what is left out stays.',
  fields: (t) => ({
    name: t.string({ description: 'Name shown to you.' }),
    email: t.string({
      description:
        'Address for sign-in and notices; a new one has to be proven anew. Null removes it.',
    }),
    locale: t.string({ description: 'Language and region, BCP 47.' }),
    timezone: t.string({ description: 'Time zone for grouping by day, IANA.' }),
    country: t.string({ description: 'Country, ISO 3166-1 alpha-2; null removes it.' }),
    preferences: t.field({ type: PreferencesInput, description: 'Display preferences.' }),
  }),
});

const UpdateAccountPayload = builder
  .objectRef<{ account: AccountRow }>('UpdateAccountPayload')
  .implement({
    description: 'The account after the change.',
    authScopes: account,
    fields: (t) => ({
      account: t.field({
        type: Account,
        description: 'The account.',
        resolve: (payload) => payload.account,
      }),
    }),
  });

builder.mutationType({ description: 'What can be changed.' });

builder.mutationField('updateAccount', (t) =>
  t.field({
    type: UpdateAccountPayload,
    description: 'Changes your account.',
    authScopes: account,
    args: {
      input: t.arg({ type: UpdateAccountInput, required: true, description: 'What to change.' }),
    },
    resolve: async (_root, { input }, context) => ({
      account: await updateAccount({
        prisma: context.prisma,
        clock: context.clock,
        principal: caller(context),
        requestId: context.requestId,
        input,
      }),
    }),
  }),
);
