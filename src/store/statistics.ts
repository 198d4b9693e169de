import { Prisma, type PrismaClient } from './generated/prisma/client.ts';
import {
  instantOfLocal,
  localEnd,
  localStart,
  type StatisticsPeriod,
  weekShift,
  zoneOr,
} from './local-periods.ts';

/** What is summed; instants in epoch ms. */
export type StatisticsQuery = {
  vehicleIds: readonly string[];
  from: number | null;
  to: number | null;
  period: StatisticsPeriod;
  /** IANA time zone that days begin in; the account's when null. */
  timezone: string | null;
};

/** Sums over the drives and charges that started in one bucket. */
export type StatisticsRow = {
  vehicleId: string;
  /** Null where everything is summed. */
  periodStart: Date | null;
  periodEnd: Date | null;
  drives: number;
  distanceKm: number;
  driveDurationS: number;
  energyUsedKwh: number;
  efficiencyWhPerKm: number | null;
  charges: number;
  dcCharges: number;
  energyAddedKwh: number;
  chargeDurationS: number;
  since: Date;
};

/**
 * Sums per vehicle and bucket in one statement, the newest bucket first; buckets with nothing in them are left out. Buckets
 * are cut in local time, so that a day of a change of clocks has 23 or 25 hours. Weeks begin on the day that the account
 * prefers.
 */
export function statisticsOf(
  prisma: PrismaClient,
  query: StatisticsQuery,
): Promise<StatisticsRow[]> {
  const { period } = query;
  const cutFrom = {
    at: Prisma.sql`f.started_at`,
    zone: Prisma.sql`f.zone`,
    weekShift: Prisma.sql`f.week_shift`,
  };
  const zone = Prisma.sql`b.zone`;
  const start = Prisma.sql`b.local_start`;
  const cut = Prisma.sql`${zoneOr(query.timezone)} AS zone, ${weekShift} AS week_shift`;
  return prisma.$queryRaw<StatisticsRow[]>`
    WITH fact AS (
      SELECT d.vehicle_id, d.started_at, ${cut}, 1 AS drives, d.distance_km, coalesce(d.duration_s, 0) AS drive_s,
        d.energy_used_kwh, 0 AS charges, 0 AS dc, 0::float8 AS energy_added_kwh, 0 AS charge_s
      FROM drive d JOIN vehicle v ON v.id = d.vehicle_id JOIN account a ON a.id = v.account_id
      WHERE ${counted('d', query)}
      UNION ALL
      SELECT c.vehicle_id, c.started_at, ${cut}, 0, 0, 0, NULL, 1, (c.kind = 'DC')::int,
        coalesce(c.energy_added_kwh, 0), coalesce(c.duration_s, 0)
      FROM charge c JOIN vehicle v ON v.id = c.vehicle_id JOIN account a ON a.id = v.account_id
      WHERE ${counted('c', query)}
    ), bucketed AS (SELECT f.*, ${localStart(period, cutFrom)} AS local_start FROM fact f)
    SELECT b.vehicle_id AS "vehicleId", ${instantOfLocal(start, zone)} AS "periodStart",
      ${instantOfLocal(localEnd(period, start), zone)} AS "periodEnd",
      sum(b.drives)::int AS drives,
      round(sum(b.distance_km)::numeric, 3)::float8 AS "distanceKm",
      sum(b.drive_s)::float8 AS "driveDurationS",
      round(coalesce(sum(b.energy_used_kwh), 0)::numeric, 3)::float8 AS "energyUsedKwh",
      round((1000 * sum(b.energy_used_kwh)
        / nullif(sum(b.distance_km) FILTER (WHERE b.energy_used_kwh IS NOT NULL), 0))::numeric, 1)::float8 AS "efficiencyWhPerKm",
      sum(b.charges)::int AS charges,
      coalesce(sum(b.dc), 0)::int AS "dcCharges",
      round(sum(b.energy_added_kwh)::numeric, 3)::float8 AS "energyAddedKwh",
      sum(b.charge_s)::float8 AS "chargeDurationS",
      min(b.started_at) AS since
    FROM bucketed b
    GROUP BY b.vehicle_id, b.local_start, b.zone
    ORDER BY b.vehicle_id, b.local_start DESC`;
}

function counted(alias: 'd' | 'c', { vehicleIds, from, to }: StatisticsQuery): Prisma.Sql {
  const column = (name: string) => Prisma.raw(`${alias}.${name}`);
  const parts = [
    Prisma.sql`${column('vehicle_id')} = ANY(${[...vehicleIds]}::uuid[])`,
    Prisma.sql`${column('state')} <> 'DISCARDED'`,
    Prisma.sql`${column('deleted_at')} IS NULL`,
    ...(from === null
      ? []
      : [Prisma.sql`${column('started_at')} >= ${new Date(from)}::timestamptz`]),
    ...(to === null ? [] : [Prisma.sql`${column('started_at')} < ${new Date(to)}::timestamptz`]),
  ];
  return Prisma.join(parts, ' AND ');
}
