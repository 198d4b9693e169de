import {
  createTariff,
  deleteTariff,
  type RemovedTariff,
  updateTariff,
} from '../actions/manage-tariffs.ts';
import { type Recomputed, recomputeCosts } from '../actions/recompute-costs.ts';
import { typeIdOf } from '../base/ids.ts';
import type { CostColumns } from '../ingest/price-charges.ts';
import type { Tariff as TariffRow } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { accountCall } from './context.ts';
import { CostMethod } from './enums.ts';
import { Tariff, WeekDay } from './tariff.ts';

const account = { account: true } as const satisfies Guard;

const TariffRuleInput = builder.inputType('TariffRuleInput', {
  description: 'Prices that hold at some times; what is left out holds always, or costs nothing.',
  fields: (t) => ({
    days: t.field({ type: [WeekDay], description: 'Days on which its time begins.' }),
    start: t.string({ description: 'Local time at which it begins, such as `22:00`.' }),
    end: t.string({
      description: 'Local time at which it ends; on the next day where it is not after the start.',
    }),
    months: t.intList({ description: 'Months in which its time begins, 1 to 12.' }),
    ratePerKwh: t.field({
      type: 'Decimal',
      description: 'Price for each unit of energy [kWh]; the default if absent.',
    }),
    ratePerMin: t.field({
      type: 'Decimal',
      description: 'Price of a minute in which energy flows.',
    }),
    sessionFee: t.field({
      type: 'Decimal',
      description: 'Price of a charge that begins while it holds.',
    }),
    idleFeePerMin: t.field({
      type: 'Decimal',
      description: 'Price of a minute plugged in after the last energy.',
    }),
  }),
});

const TariffInput = builder.inputType('TariffInput', {
  description:
    'A tariff. Of a new one name, currency and default rate are needed; what a change leaves out stays.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the tariff.' }),
    currency: t.string({ description: 'Currency of its prices, ISO 4217.' }),
    timezone: t.string({
      description: 'Time zone that its times are meant in, IANA; the account’s unless given.',
    }),
    defaultRate: t.field({
      type: 'Decimal',
      description: 'Price of a kWh where no rule says one, in major units.',
    }),
    rules: t.field({
      type: [TariffRuleInput],
      description: 'Prices that hold at some times; the first one that holds counts.',
    }),
    placeId: t.id({ description: 'Id of the place it belongs to.' }),
    validFrom: t.field({
      type: 'DateTime',
      description: 'Charges that began before have another.',
    }),
    validTo: t.field({ type: 'DateTime', description: 'Charges that began then have another.' }),
  }),
});

const TariffPayload = builder.objectRef<{ tariff: TariffRow }>('TariffPayload').implement({
  description: 'The tariff after the change.',
  authScopes: account,
  fields: (t) => ({
    tariff: t.field({ type: Tariff, description: 'The tariff.', resolve: ({ tariff }) => tariff }),
  }),
});

const DeleteTariffPayload = builder.objectRef<RemovedTariff>('DeleteTariffPayload').implement({
  description: 'What was removed.',
  authScopes: account,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the tariff.' }),
    name: t.exposeString('name', { description: 'Name it had.' }),
  }),
});

const ToldCost = builder.objectRef<CostColumns>('ToldCost').implement({
  description: 'A cost as it was, or is now.',
  authScopes: account,
  fields: (t) => ({
    amount: t.expose('costAmount', {
      type: 'Decimal',
      nullable: true,
      description: 'Amount in major units of the currency; null where none is known.',
    }),
    currency: t.exposeString('costCurrency', {
      nullable: true,
      description: 'Currency, ISO 4217.',
    }),
    method: t.expose('costMethod', { type: CostMethod, description: 'Where it comes from.' }),
  }),
});

const CostChange = builder.objectRef<Recomputed['changed'][number]>('CostChange').implement({
  description: 'A charge whose cost is another one now.',
  authScopes: account,
  fields: (t) => ({
    chargeId: t.id({
      description: 'Id of the charge.',
      resolve: ({ chargeId }) => typeIdOf('Charge', chargeId),
    }),
    vehiclePublicId: t.exposeString('publicId', { description: 'Slug of its vehicle.' }),
    before: t.expose('before', { type: ToldCost, description: 'What it cost before.' }),
    after: t.expose('after', { type: ToldCost, description: 'What it costs now.' }),
  }),
});

const RecomputeCostsPayload = builder.objectRef<Recomputed>('RecomputeCostsPayload').implement({
  description: 'What a recomputation came to.',
  authScopes: account,
  fields: (t) => ({
    examined: t.exposeInt('examined', { description: 'How many charges were looked at.' }),
    more: t.exposeBoolean('more', {
      description: 'Whether there are older ones; narrow the time.',
    }),
    changed: t.expose('changed', {
      type: [CostChange],
      description: 'The charges whose cost is another one now.',
    }),
  }),
});

const RecomputeCostsInput = builder.inputType('RecomputeCostsInput', {
  description: 'Which charges to look at; all of them when nothing is given.',
  fields: (t) => ({
    publicId: t.string({ description: 'Of the vehicle with this slug.' }),
    from: t.field({ type: 'DateTime', description: 'Started at or after.' }),
    to: t.field({ type: 'DateTime', description: 'Started before.' }),
  }),
});

const idArg = { description: 'Id of the tariff.', required: true } as const;

builder.mutationFields((t) => ({
  createTariff: t.field({
    type: TariffPayload,
    description: 'Makes a tariff. Charges it holds for get their cost in the background.',
    authScopes: account,
    args: { input: t.arg({ type: TariffInput, required: true, description: 'The tariff.' }) },
    resolve: async (_root, { input }, context) => ({
      tariff: await createTariff(accountCall(context), input),
    }),
  }),
  updateTariff: t.field({
    type: TariffPayload,
    description: 'Changes a tariff. Charges it holds for get their cost in the background.',
    authScopes: account,
    args: {
      id: t.arg.id(idArg),
      input: t.arg({ type: TariffInput, required: true, description: 'What to change.' }),
    },
    resolve: async (_root, { id, input }, context) => ({
      tariff: await updateTariff(accountCall(context), id, input),
    }),
  }),
  deleteTariff: t.field({
    type: DeleteTariffPayload,
    description: 'Removes a tariff; the costs it computed go with it.',
    authScopes: account,
    args: { id: t.arg.id(idArg) },
    resolve: (_root, { id }, context) => deleteTariff(accountCall(context), id),
  }),
  recomputeCosts: t.field({
    type: RecomputeCostsPayload,
    description: 'Computes the costs of charges anew and tells which changed.',
    authScopes: account,
    args: {
      input: t.arg({ type: RecomputeCostsInput, required: true, description: 'Which charges.' }),
    },
    resolve: (_root, { input }, context) => recomputeCosts(accountCall(context), input),
  }),
}));
