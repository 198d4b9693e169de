import { typeIdOf } from '../base/ids.ts';
import type { CostLine as Line } from '../contract/tariffs.ts';
import { minorDigits } from '../ingest/price-charge.ts';
import { linesOf } from '../ingest/price-charges.ts';
import type { CostMethod as Method, Prisma } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { CostMethod } from './enums.ts';

/** What something cost, as it is stored or was derived. */
export type Priced = {
  costAmount: Prisma.Decimal | string | null;
  costCurrency: string | null;
  costMethod: Method | 'DERIVED';
  tariffId?: string | null;
  costBreakdown?: unknown;
};

const CostLineKind = builder.enumType('CostLineKind', {
  description: 'What a line of a cost stands for.',
  values: {
    ENERGY: { description: 'Energy, by the kWh.' },
    TIME: { description: 'Time in which energy flowed, by the minute.' },
    SESSION: { description: 'The charge itself, once.' },
    IDLE: { description: 'Time plugged in after the last energy, by the minute.' },
  },
});

const CostLine = builder.objectRef<Line>('CostLine').implement({
  description: 'A part of a cost: a stretch of time with one price.',
  authScopes: vehicles,
  fields: (t) => ({
    kind: t.expose('kind', { type: CostLineKind, description: 'What it stands for.' }),
    from: t.expose('from', { type: 'DateTime', description: 'When it begins.' }),
    to: t.expose('to', { type: 'DateTime', description: 'When it ends.' }),
    kwh: t.exposeFloat('kwh', { nullable: true, description: 'Energy of the stretch [kWh].' }),
    rate: t.expose('rate', {
      type: 'Decimal',
      description: 'Price per kWh, per minute or at once, in major units of the currency.',
    }),
    amountMinor: t.exposeInt('amountMinor', {
      description: 'What it adds to the cost, in minor units of the currency.',
    }),
  }),
});

/** What something cost. */
export const Cost = builder.objectRef<Priced>('Cost').implement({
  description: 'What something cost.',
  authScopes: vehicles,
  fields: (t) => ({
    amount: t.expose('costAmount', {
      type: 'Decimal',
      nullable: true,
      description: 'Amount in major units of the currency.',
    }),
    amountMinor: t.int({
      nullable: true,
      description: 'Amount in minor units of the currency, such as cents.',
      resolve: ({ costAmount, costCurrency }) =>
        costAmount === null || costCurrency === null
          ? null
          : Math.round(Number(costAmount) * 10 ** minorDigits(costCurrency)),
    }),
    currency: t.exposeString('costCurrency', {
      nullable: true,
      description: 'Currency, ISO 4217.',
    }),
    method: t.expose('costMethod', { type: CostMethod, description: 'Where it comes from.' }),
    tariffId: t.id({
      nullable: true,
      description: 'Id of the tariff that it was computed by.',
      resolve: ({ tariffId }) => (tariffId == null ? null : typeIdOf('Tariff', tariffId)),
    }),
    breakdown: t.field({
      type: [CostLine],
      description: 'The lines that a cost by a tariff or an invoice is the sum of.',
      resolve: ({ costMethod, costBreakdown }) =>
        costMethod === 'TARIFF' || costMethod === 'INVOICE' ? linesOf(costBreakdown) : [],
    }),
  }),
});

/** The cost of a thing, or null where none is known. */
export function costOf<T extends Priced>(priced: T): T | null {
  return priced.costMethod === 'NONE' ? null : priced;
}
