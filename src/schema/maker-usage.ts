import DataLoader from 'dataloader';
import { callsLeft, costOf, forecastOf, priceOf } from '../contract/budget.ts';
import { type SpendCategory, spendCategories, spendTable } from '../contract/spend.ts';
import type { Standing } from '../ingest/standing.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { type Context, caller, perOperation } from './context.ts';
import { SpendCategory as SpendCategoryEnum } from './enums.ts';
import { moneyText } from './money.ts';

const guard = { $any: { 'maker-accounts': true, vehicles: true } } as const satisfies Guard;

/** How maker accounts and vehicles stand, by their ids. */
export const standingOf = perOperation(
  ({ maker }) =>
    new DataLoader<string, Standing>(async (ids) => {
      const found = await maker.ledger.standings(ids);
      return found.map((standing) => standing ?? new Error('What spends there is gone.'));
    }),
);

/** Units of a category at the end of the month, as it goes. */
function forecastIn({ usage, since, period, at }: Standing, category: SpendCategory): number {
  return forecastOf(usage[category], { since, endsAt: period.endsAt }, at);
}

/** Most units of a category in the month, were nothing else used from now on; null for no limit. */
function limitIn(standing: Standing, category: SpendCategory): number | null {
  const { usage, budget, prices, cost } = standing;
  if (spendTable[category].called && category !== 'SIGNAL') {
    const left = callsLeft(category, usage, standing);
    return left === null ? null : usage[category] + left;
  }
  if (budget.money === null) return null;
  return usage[category] + Math.floor(Math.max(0, budget.money - cost) * prices[category]);
}

type Spend = { standing: Standing; category: SpendCategory };

/** What was used of one category at the maker. */
export const MakerSpend = builder.objectRef<Spend>('MakerSpend').implement({
  description: 'What was used of one category at the maker this month.',
  authScopes: guard,
  fields: (t) => ({
    category: t.field({
      type: SpendCategoryEnum,
      description: 'What was used.',
      resolve: ({ category }) => category,
    }),
    used: t.float({
      description: 'How often.',
      resolve: ({ standing, category }) => standing.usage[category],
    }),
    limit: t.float({
      nullable: true,
      description: 'How often at most, were nothing else used from now on; null for no limit.',
      resolve: ({ standing, category }) => limitIn(standing, category),
    }),
    forecast: t.float({
      description: 'How often by the end of the month if it goes on as it does.',
      resolve: ({ standing, category }) => forecastIn(standing, category),
    }),
    estimated: t.field({
      type: 'Decimal',
      description: 'What it cost so far, in major units.',
      resolve: ({ standing, category }) =>
        moneyText(priceOf(category, standing.usage[category], standing.prices)),
    }),
    resetsAt: t.field({
      type: 'DateTime',
      description: 'When the month ends and counting starts anew.',
      resolve: ({ standing }) => standing.period.endsAt,
    }),
  }),
});

/** Usage by category. */
export function spendOf(standing: Standing): Spend[] {
  return spendCategories.map((category) => ({ standing, category }));
}

function forecastCost(standing: Standing): number {
  const { prices } = standing;
  return costOf(
    {
      SIGNAL: forecastIn(standing, 'SIGNAL'),
      DATA: forecastIn(standing, 'DATA'),
      COMMAND: forecastIn(standing, 'COMMAND'),
      WAKE: forecastIn(standing, 'WAKE'),
    },
    prices,
  );
}

const VehicleUsage = builder.objectRef<{ publicId: string; standing: Standing }>('VehicleUsage');

/** The vehicles of maker accounts that are followed now and that the caller may see, the oldest first. */
const followedVehicles = perOperation(
  (context) =>
    new DataLoader<string, { id: string; publicId: string }[]>(async (makerAccountIds) => {
      const { vehicleIds } = caller(context);
      const rows = await context.prisma.vehicle.findMany({
        where: {
          makerAccountId: { in: [...makerAccountIds] },
          archivedAt: null,
          ...(vehicleIds === null ? {} : { id: { in: [...vehicleIds] } }),
        },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        select: { id: true, publicId: true, makerAccountId: true },
      });
      return makerAccountIds.map((id) => rows.filter((row) => row.makerAccountId === id));
    }),
);

/** What each vehicle of a maker account used. */
async function usageByVehicle(makerAccountId: string, context: Context) {
  const vehicles = await followedVehicles(context).load(makerAccountId);
  return Promise.all(
    vehicles.map(async ({ id, publicId }) => ({
      publicId,
      standing: await standingOf(context).load(id),
    })),
  );
}

/** What a maker account or a vehicle used at the maker in a month. */
export const MakerUsage = builder.objectRef<Standing>('MakerUsage').implement({
  description:
    'What a maker account or one of its vehicles used at the maker this month, and what it may use; money in major units.',
  authScopes: guard,
  fields: (t) => ({
    periodStart: t.field({
      type: 'DateTime',
      description: 'Start of the calendar month (UTC).',
      resolve: ({ period }) => period.startsAt,
    }),
    resetsAt: t.field({
      type: 'DateTime',
      description: 'When the month ends and counting starts anew.',
      resolve: ({ period }) => period.endsAt,
    }),
    signals: t.float({
      description: 'Signals that streamed in.',
      resolve: ({ usage }) => usage.SIGNAL,
    }),
    data: t.float({ description: 'Calls for data.', resolve: ({ usage }) => usage.DATA }),
    commands: t.float({ description: 'Commands.', resolve: ({ usage }) => usage.COMMAND }),
    wakes: t.float({ description: 'Wakes.', resolve: ({ usage }) => usage.WAKE }),
    estimated: t.field({
      type: 'Decimal',
      description: 'What all of it cost so far, by the list prices.',
      resolve: ({ cost }) => moneyText(cost),
    }),
    forecast: t.field({
      type: 'Decimal',
      description: 'What it will cost by the end of the month if it goes on as it does.',
      resolve: (standing) => moneyText(forecastCost(standing)),
    }),
    currency: t.exposeString('currency', { description: 'Currency of the money, ISO 4217.' }),
    limit: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'What may be spent in the month; null for no limit.',
      resolve: ({ budget }) => (budget.money === null ? null : moneyText(budget.money)),
    }),
    remaining: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'What of the limit is left; null for no limit.',
      resolve: ({ budget, cost }) =>
        budget.money === null ? null : moneyText(Math.max(0, budget.money - cost)),
    }),
    dataLimit: t.int({
      nullable: true,
      description: 'Most calls for data in the month, beside the limit in money; null for none.',
      resolve: ({ budget }) => budget.calls.DATA,
    }),
    commandLimit: t.int({
      nullable: true,
      description: 'Most commands in the month, beside the limit in money; null for none.',
      resolve: ({ budget }) => budget.calls.COMMAND,
    }),
    wakeLimit: t.int({
      nullable: true,
      description: 'Most wakes in the month, beside the limit in money; null for none.',
      resolve: ({ budget }) => budget.calls.WAKE,
    }),
    exhausted: t.boolean({
      description: 'Whether a limit is reached, or the money left buys no call for data.',
      resolve: ({ word }) => word === 'EXHAUSTED',
    }),
    spend: t.field({
      type: [MakerSpend],
      description: 'The same by category.',
      resolve: spendOf,
    }),
    vehicles: t.field({
      type: [VehicleUsage],
      nullable: true,
      description:
        'The same by vehicle that is followed now; those that were removed are in the sums alone. Null for the usage of a vehicle.',
      resolve: ({ id, vehiclePublicId }, _args, context) =>
        vehiclePublicId === null ? usageByVehicle(id, context) : null,
    }),
  }),
});

VehicleUsage.implement({
  description: 'What one vehicle of a maker account used.',
  authScopes: guard,
  fields: (t) => ({
    publicId: t.exposeID('publicId', { description: 'Slug of the vehicle.' }),
    usage: t.field({
      type: MakerUsage,
      description: 'What it used, and what it may use by its own budget.',
      resolve: ({ standing }) => standing,
    }),
  }),
});
