import { Prisma } from './generated/prisma/client.ts';

/** Length of a bucket of sums; NONE sums everything. */
export type StatisticsPeriod = 'DAY' | 'WEEK' | 'MONTH' | 'YEAR' | 'NONE';

const units = {
  DAY: { unit: 'day', length: '1 day' },
  WEEK: { unit: 'week', length: '7 days' },
  MONTH: { unit: 'month', length: '1 month' },
  YEAR: { unit: 'year', length: '1 year' },
} as const;

/** The zone of an account `a` that days begin in, or the one asked for (IANA). */
export function zoneOr(timezone: string | null): Prisma.Sql {
  return Prisma.sql`coalesce(${timezone}::text, a.timezone)`;
}

/** Days by which the week of an account `a` begins before that of ISO 8601; what is not chosen is Monday. */
export const weekShift: Prisma.Sql = Prisma.sql`CASE a.preferences->>'weekStart' WHEN 'SUNDAY' THEN 1 WHEN 'SATURDAY' THEN 2 ELSE 0 END`;

/** What a bucket is cut from: expressions for the instant, the zone and the days of `weekShift`. */
export type CutFrom = { at: Prisma.Sql; zone: Prisma.Sql; weekShift: Prisma.Sql };

/** The local time at which the bucket of an instant begins, without a zone; null where everything is summed. */
export function localStart(period: StatisticsPeriod, { at, zone, weekShift }: CutFrom): Prisma.Sql {
  if (period === 'NONE') return Prisma.sql`NULL::timestamp`;
  const { unit } = units[period];
  const local = Prisma.sql`(${at} AT TIME ZONE ${zone})`;
  if (period !== 'WEEK') return Prisma.sql`date_trunc(${unit}::text, ${local})`;
  const shift = Prisma.sql`make_interval(days => ${weekShift})`;
  return Prisma.sql`(date_trunc(${unit}::text, ${local} + ${shift}) - ${shift})`;
}

/** The local time at which the bucket ends that begins at the local time `start`. */
export function localEnd(period: StatisticsPeriod, start: Prisma.Sql): Prisma.Sql {
  if (period === 'NONE') return Prisma.sql`NULL::timestamp`;
  return Prisma.sql`(${start} + ${units[period].length}::interval)`;
}

/** The instant of a local time; of two, where clocks go back over it, the earlier, so that no moment lies before its bucket. */
export function instantOfLocal(local: Prisma.Sql, zone: Prisma.Sql): Prisma.Sql {
  const instant = Prisma.sql`(${local} AT TIME ZONE ${zone})`;
  const before = Prisma.sql`(${instant} - interval '1 hour')`;
  return Prisma.sql`CASE WHEN ${before} AT TIME ZONE ${zone} = ${local} THEN ${before} ELSE ${instant} END`;
}
