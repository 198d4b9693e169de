import DataLoader from 'dataloader';
import { bands, type EfficiencyRow, efficiencyOf, LEAST_KM } from '../store/efficiency.ts';
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

const rowsOf = perOperation(
  (context) =>
    new DataLoader<PeriodsAsked, EfficiencyRow[], string>(
      (asked) => perShape(asked, (query) => efficiencyOf(context.prisma, query)),
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
);

const Method = builder.enumType('EfficiencyMethod', {
  description: 'How an efficiency is found.',
  values: {
    SUM_OF_DRIVES: {
      description: `Energy of the drives over their distance; drives under ${LEAST_KM} km, of unknown energy or discarded are left out.`,
    },
  },
});

/** An edge of a row's band of a kind; null for other rows and where the band is open on that side. */
function edge(row: EfficiencyRow, kind: keyof typeof bands, side: 'from' | 'to'): number | null {
  if (row.band === null || row.kind !== kind) return null;
  const { width, from, to } = bands[kind];
  if (side === 'from') return row.band < from ? null : row.band;
  return row.band >= to ? null : row.band + width;
}

const EfficiencyPart = builder.objectRef<EfficiencyRow>('EfficiencyPart').implement({
  description: 'Energy per distance of some drives.',
  authScopes: vehicles,
  fields: (t) => ({
    periodStart: t.expose('periodStart', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the period; null for a band.',
    }),
    periodEnd: t.expose('periodEnd', {
      type: 'DateTime',
      nullable: true,
      description: 'End of the period; null for a band.',
    }),
    temperatureFromC: t.float({
      nullable: true,
      description:
        'Lower edge of the temperature band, inclusive; null for other parts and where it is open [°C].',
      resolve: (row) => edge(row, 'TEMPERATURE', 'from'),
    }),
    temperatureToC: t.float({
      nullable: true,
      description:
        'Upper edge of the temperature band, exclusive; null for other parts and where it is open [°C].',
      resolve: (row) => edge(row, 'TEMPERATURE', 'to'),
    }),
    speedFromKmh: t.float({
      nullable: true,
      description:
        'Lower edge of the speed band, inclusive; null for other parts and where it is open [km/h].',
      resolve: (row) => edge(row, 'SPEED', 'from'),
    }),
    speedToKmh: t.float({
      nullable: true,
      description:
        'Upper edge of the speed band, exclusive; null for other parts and where it is open [km/h].',
      resolve: (row) => edge(row, 'SPEED', 'to'),
    }),
    sampleCount: t.exposeInt('drives', { description: 'How many drives.' }),
    distanceKm: t.exposeFloat('distanceKm', { description: 'Their distance [km].' }),
    energyUsedKwh: t.exposeFloat('energyUsedKwh', { description: 'Energy they used [kWh].' }),
    efficiencyWhPerKm: t.exposeFloat('efficiencyWhPerKm', {
      description: 'Energy per distance [Wh/km].',
    }),
  }),
});

const Efficiency = builder.objectRef<EfficiencyRow[]>('Efficiency').implement({
  description: 'What a vehicle uses for its way, by time, temperature and speed.',
  authScopes: vehicles,
  fields: (t) => {
    const all = (rows: EfficiencyRow[]) => rows.find(({ kind }) => kind === 'ALL');
    const parts = (wanted: EfficiencyRow['kind'], description: string) =>
      t.field({
        type: [EfficiencyPart],
        description,
        resolve: (rows) => rows.filter(({ kind }) => kind === wanted),
      });
    return {
      method: t.field({
        type: Method,
        description: 'How it is found.',
        resolve: () => 'SUM_OF_DRIVES' as const,
      }),
      sampleCount: t.int({
        description: 'How many drives it rests on.',
        resolve: (rows) => all(rows)?.drives ?? 0,
      }),
      distanceKm: t.float({
        description: 'Their distance [km].',
        resolve: (rows) => all(rows)?.distanceKm ?? 0,
      }),
      energyUsedKwh: t.float({
        description: 'Energy they used [kWh].',
        resolve: (rows) => all(rows)?.energyUsedKwh ?? 0,
      }),
      efficiencyWhPerKm: t.float({
        nullable: true,
        description: 'Energy per distance of all of them; null without a drive [Wh/km].',
        resolve: (rows) => all(rows)?.efficiencyWhPerKm ?? null,
      }),
      byPeriod: parts('PERIOD', 'By period, the newest first; periods without any are left out.'),
      byTemperature: parts(
        'TEMPERATURE',
        `By mean temperature outside, in bands of ${bands.TEMPERATURE.width} °C, the coldest first.`,
      ),
      bySpeed: parts(
        'SPEED',
        `By mean speed, in bands of ${bands.SPEED.width} km/h, the slowest first.`,
      ),
    };
  },
});

builder.prismaObjectField(Vehicle, 'efficiency', (t) =>
  t.field({
    type: Efficiency,
    description: `What it uses for its way. At most ${LARGEST_BUCKETS} periods.`,
    args: periodArgs('MONTH'),
    complexity: { field: 20, multiplier: 1 },
    resolve: async ({ id }, args, context) => {
      const rows = await rowsOf(context).load(askedPeriods(id, args));
      atMostBuckets(rows.filter(({ kind }) => kind === 'PERIOD'));
      return rows;
    },
  }),
);
