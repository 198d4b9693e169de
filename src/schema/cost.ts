import type { CostMethod as Method, Prisma } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { CostMethod } from './enums.ts';

type Priced = {
  costAmount: Prisma.Decimal | null;
  costCurrency: string | null;
  costMethod: Method;
};

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
    currency: t.exposeString('costCurrency', {
      nullable: true,
      description: 'Currency, ISO 4217.',
    }),
    method: t.expose('costMethod', { type: CostMethod, description: 'Where it comes from.' }),
  }),
});

/** The cost of a thing, or null where none is known. */
export function costOf<T extends Priced>(priced: T): T | null {
  return priced.costMethod === 'NONE' ? null : priced;
}
