import DataLoader from 'dataloader';
import { type StatisticsRow, statisticsOf } from '../store/statistics.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { perOperation } from './context.ts';
import {
  askedPeriods,
  atMostBuckets,
  LARGEST_BUCKETS,
  type PeriodsAsked,
  periodArgs,
  perShape,
} from './periods.ts';
import { Vehicle } from './vehicle.ts';

type Sums = Omit<StatisticsRow, 'vehicleId' | 'since'> & { since: Date | null };

const nothing: Sums = {
  periodStart: null,
  periodEnd: null,
  drives: 0,
  distanceKm: 0,
  driveDurationS: 0,
  energyUsedKwh: 0,
  efficiencyWhPerKm: null,
  charges: 0,
  dcCharges: 0,
  energyAddedKwh: 0,
  chargeDurationS: 0,
  since: null,
};

/** Sums over drives and charges. */
const Statistics = builder.objectRef<Sums>('Statistics').implement({
  description: 'Sums over the drives and charges that started in a stretch of time.',
  authScopes: vehicles,
  fields: (t) => ({
    periodStart: t.expose('periodStart', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the period; null where everything is summed.',
    }),
    periodEnd: t.expose('periodEnd', {
      type: 'DateTime',
      nullable: true,
      description: 'End of the period; null where everything is summed.',
    }),
    drives: t.exposeInt('drives', { description: 'How many drives.' }),
    distanceKm: t.exposeFloat('distanceKm', { description: 'Distance driven [km].' }),
    driveDurationS: t.exposeFloat('driveDurationS', { description: 'Time driven [s].' }),
    energyUsedKwh: t.exposeFloat('energyUsedKwh', {
      description: 'Energy used by the drives of which it is known [kWh].',
    }),
    efficiencyWhPerKm: t.exposeFloat('efficiencyWhPerKm', {
      nullable: true,
      description: 'Energy per distance of the drives of which the energy is known [Wh/km].',
    }),
    charges: t.exposeInt('charges', { description: 'How many charges.' }),
    dcCharges: t.exposeInt('dcCharges', { description: 'How many of them by direct current.' }),
    energyAddedKwh: t.exposeFloat('energyAddedKwh', { description: 'Energy charged [kWh].' }),
    chargeDurationS: t.exposeFloat('chargeDurationS', {
      description: 'Time in which energy flowed [s].',
    }),
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the first drive or charge that is summed; null without any.',
    }),
  }),
});

const sums = perOperation(
  (context) =>
    new DataLoader<PeriodsAsked, Sums[], string>(
      async (asked) => {
        const found = await perShape(asked, (query) => statisticsOf(context.prisma, query));
        return found.map((own, index) =>
          own.length === 0 && asked[index]?.period === 'NONE' ? [nothing] : own,
        );
      },
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
);

builder.prismaObjectField(Vehicle, 'statistics', (t) =>
  t.field({
    type: [Statistics],
    description: `Sums over its drives and charges, the newest period first; periods without any are left out. At most ${LARGEST_BUCKETS} periods.`,
    args: periodArgs('NONE'),
    complexity: { field: 20, multiplier: 1 },
    resolve: async ({ id }, args, context) =>
      atMostBuckets(await sums(context).load(askedPeriods(id, args))),
  }),
);
