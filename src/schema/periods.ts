import { ServiceError } from '../base/errors.ts';
import { isTimeZone } from '../base/time-zone.ts';
import type { StatisticsPeriod } from '../store/local-periods.ts';
import { builder } from './builder.ts';

/** Buckets that one answer may hold. */
export const LARGEST_BUCKETS = 1_000;

const Period = builder.enumType('StatisticsPeriod', {
  description: 'What is summed together.',
  values: {
    DAY: { description: 'Each day.' },
    WEEK: {
      description: 'Each week; weeks begin on the day that the account prefers, Monday unless set.',
    },
    MONTH: { description: 'Each month.' },
    YEAR: { description: 'Each year.' },
    NONE: { description: 'Everything.' },
  },
});

/** The arguments of sums by period; `defaultPeriod` holds where none is given. */
export function periodArgs(defaultPeriod: StatisticsPeriod) {
  return builder.args((t) => ({
    from: t.field({ type: 'DateTime', description: 'What started at or after.' }),
    to: t.field({ type: 'DateTime', description: 'What started before.' }),
    period: t.field({
      type: Period,
      defaultValue: defaultPeriod,
      description: 'What is summed together.',
    }),
    timezone: t.string({
      description: 'Time zone in which periods begin, IANA; the account’s when left out.',
    }),
  }));
}

/** Sums by period that are asked for of one vehicle; instants in epoch ms. */
export type PeriodsAsked = {
  vehicleId: string;
  from: number | null;
  to: number | null;
  period: StatisticsPeriod;
  timezone: string | null;
};

type Args = {
  from?: number | null;
  to?: number | null;
  period?: StatisticsPeriod | null;
  timezone?: string | null;
};

/** What the arguments ask of a vehicle. Throws `validation_failed` for a time zone that does not exist. */
export function askedPeriods(vehicleId: string, args: Args): PeriodsAsked {
  const { from = null, to = null, period, timezone = null } = args;
  if (timezone !== null && !isTimeZone(timezone)) {
    refuse('timezone', 'Give an IANA time zone, such as Europe/Berlin.');
  }
  return { vehicleId, from, to, period: period ?? 'NONE', timezone };
}

/** The buckets. Throws `validation_failed` where they are more than one answer holds. */
export function atMostBuckets<B>(buckets: B[]): B[] {
  if (buckets.length <= LARGEST_BUCKETS) return buckets;
  refuse('from', `That is ${buckets.length} periods; at most ${LARGEST_BUCKETS} are answered.`);
}

function refuse(argument: string, sentence: string): never {
  throw new ServiceError('validation_failed', `${argument}: ${sentence}`, {
    fields: { [argument]: [sentence] },
  });
}

/** The rows of each that is asked for; vehicles of which the same is asked are read in one go. */
export async function perShape<Row extends { vehicleId: string }>(
  asked: readonly PeriodsAsked[],
  read: (query: Omit<PeriodsAsked, 'vehicleId'> & { vehicleIds: string[] }) => Promise<Row[]>,
): Promise<Row[][]> {
  const groups = new Map<string, PeriodsAsked[]>();
  for (const key of asked) {
    const shape = JSON.stringify({ ...key, vehicleId: null });
    groups.set(shape, [...(groups.get(shape) ?? []), key]);
  }
  const found = new Map<PeriodsAsked, Row[]>();
  for (const group of groups.values()) {
    const [query] = group;
    if (query === undefined) continue;
    const rows = await read({ ...query, vehicleIds: group.map((key) => key.vehicleId) });
    for (const key of group) {
      found.set(
        key,
        rows.filter((row) => row.vehicleId === key.vehicleId),
      );
    }
  }
  return asked.map((key) => found.get(key) ?? []);
}
