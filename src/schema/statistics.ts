import DataLoader from 'dataloader';
import { ServiceError } from '../base/errors.ts';
import { isTimeZone } from '../base/time-zone.ts';
import { type StatisticsPeriod, type StatisticsRow, statisticsOf } from '../store/statistics.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { type Context, perOperation } from './context.ts';
import { Vehicle } from './vehicle.ts';

/** Buckets that one answer may hold. */
const LARGEST_BUCKETS = 1_000;

const Period = builder.enumType('StatisticsPeriod', {
  description: 'What is summed together.',
  values: {
    DAY: { description: 'Each day.' },
    WEEK: { description: 'Each week; weeks begin on Monday.' },
    MONTH: { description: 'Each month.' },
    YEAR: { description: 'Each year.' },
    NONE: { description: 'Everything.' },
  },
});

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

type Asked = {
  vehicleId: string;
  from: number | null;
  to: number | null;
  period: StatisticsPeriod;
  timezone: string | null;
};

const sums = perOperation(
  (context) =>
    new DataLoader<Asked, Sums[], string>((asked) => load(asked, context), {
      cacheKeyFn: (key) => JSON.stringify(key),
    }),
);

async function load(asked: readonly Asked[], context: Context): Promise<Sums[][]> {
  const groups = new Map<string, Asked[]>();
  for (const key of asked) {
    const shape = JSON.stringify({ ...key, vehicleId: null });
    groups.set(shape, [...(groups.get(shape) ?? []), key]);
  }
  const found = new Map<Asked, Sums[]>();
  for (const group of groups.values()) {
    const [query] = group;
    if (query === undefined) continue;
    const vehicleIds = group.map((key) => key.vehicleId);
    const rows = await statisticsOf(context.prisma, { ...query, vehicleIds });
    for (const key of group) {
      const own = rows.filter((row) => row.vehicleId === key.vehicleId);
      found.set(key, own.length === 0 && key.period === 'NONE' ? [nothing] : own);
    }
  }
  return asked.map((key) => found.get(key) ?? []);
}

function refuse(argument: string, sentence: string): never {
  throw new ServiceError('validation_failed', `${argument}: ${sentence}`, {
    fields: { [argument]: [sentence] },
  });
}

builder.prismaObjectField(Vehicle, 'statistics', (t) =>
  t.field({
    type: [Statistics],
    description: `Sums over its drives and charges, the newest period first; periods without any are left out. At most ${LARGEST_BUCKETS} periods.`,
    args: {
      from: t.arg({ type: 'DateTime', description: 'What started at or after.' }),
      to: t.arg({ type: 'DateTime', description: 'What started before.' }),
      period: t.arg({
        type: Period,
        defaultValue: 'NONE',
        description: 'What is summed together.',
      }),
      timezone: t.arg.string({
        description: 'Time zone in which periods begin, IANA; the account’s when left out.',
      }),
    },
    complexity: { field: 20, multiplier: 1 },
    resolve: async (vehicle, { from, to, period, timezone }, context) => {
      if (timezone != null && !isTimeZone(timezone)) {
        refuse('timezone', 'Give an IANA time zone, such as Europe/Berlin.');
      }
      const buckets = await sums(context).load({
        vehicleId: vehicle.id,
        from: from ?? null,
        to: to ?? null,
        period: period ?? 'NONE',
        timezone: timezone ?? null,
      });
      if (buckets.length > LARGEST_BUCKETS) {
        refuse(
          'from',
          `That is ${buckets.length} periods; at most ${LARGEST_BUCKETS} are answered.`,
        );
      }
      return buckets;
    },
  }),
);
