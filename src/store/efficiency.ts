import { Prisma, type PrismaClient } from './generated/prisma/client.ts';
import {
  instantOfLocal,
  localEnd,
  localStart,
  type StatisticsPeriod,
  weekShift,
  zoneOr,
} from './local-periods.ts';

/** Shorter drives are mostly heating and manoeuvring, and rounding of the level [km]. */
export const LEAST_KM = 1;

/** Width of the bands and the outermost edges; what lies beyond them is one open band at each end. */
export const bands = {
  TEMPERATURE: { width: 5, from: -20, to: 40 },
  SPEED: { width: 20, from: 0, to: 140 },
} as const;

/** What is asked for; instants in epoch ms. */
export type EfficiencyQuery = {
  vehicleIds: readonly string[];
  from: number | null;
  to: number | null;
  period: StatisticsPeriod;
  /** IANA time zone that periods begin in; the account's when null. */
  timezone: string | null;
};

/** Energy over distance of the drives of one period or band, or of all of them. */
export type EfficiencyRow = {
  vehicleId: string;
  kind: 'ALL' | 'PERIOD' | 'TEMPERATURE' | 'SPEED';
  periodStart: Date | null;
  periodEnd: Date | null;
  /** Lower edge of the band; below the first edge it is one width under it. */
  band: number | null;
  drives: number;
  distanceKm: number;
  energyUsedKwh: number;
  efficiencyWhPerKm: number;
};

/**
 * Energy per distance of each vehicle's drives, in all, by period, by mean temperature outside and by mean speed, in one
 * statement: the sum of the energy over the sum of the distance, so that long drives count as they should. Drives of less than
 * 1 km, of unknown energy, discarded or deleted are left out; a drive without a temperature is in no temperature band.
 */
export function efficiencyOf(
  prisma: PrismaClient,
  query: EfficiencyQuery,
): Promise<EfficiencyRow[]> {
  const zone = Prisma.sql`max(f.zone)`;
  const start = Prisma.sql`f.local_start`;
  const cutFrom = { at: Prisma.sql`d.started_at`, zone: zoneOr(query.timezone), weekShift };
  return prisma.$queryRaw<EfficiencyRow[]>`
    WITH fact AS (
      SELECT d.vehicle_id, d.distance_km, d.energy_used_kwh, ${zoneOr(query.timezone)} AS zone,
        ${localStart(query.period, cutFrom)} AS local_start,
        ${bandOf('TEMPERATURE', Prisma.sql`d.outside_temp_avg_c`)} AS temperature,
        ${bandOf('SPEED', Prisma.sql`d.speed_avg_kmh`)} AS speed
      FROM drive d JOIN vehicle v ON v.id = d.vehicle_id JOIN account a ON a.id = v.account_id
      WHERE d.vehicle_id = ANY(${[...query.vehicleIds]}::uuid[]) AND d.state <> 'DISCARDED' AND d.deleted_at IS NULL
        AND d.energy_used_kwh IS NOT NULL AND d.distance_km >= ${LEAST_KM}
        AND (${timeOf(query.from)} IS NULL OR d.started_at >= ${timeOf(query.from)})
        AND (${timeOf(query.to)} IS NULL OR d.started_at < ${timeOf(query.to)})
    )
    SELECT f.vehicle_id AS "vehicleId",
      CASE WHEN GROUPING(f.local_start) = 0 THEN 'PERIOD' WHEN GROUPING(f.temperature) = 0 THEN 'TEMPERATURE'
        WHEN GROUPING(f.speed) = 0 THEN 'SPEED' ELSE 'ALL' END AS kind,
      ${instantOfLocal(start, zone)} AS "periodStart",
      ${instantOfLocal(localEnd(query.period, start), zone)} AS "periodEnd",
      coalesce(f.temperature, f.speed) AS band, count(*)::int AS drives,
      round(sum(f.distance_km)::numeric, 3)::float8 AS "distanceKm",
      round(sum(f.energy_used_kwh)::numeric, 3)::float8 AS "energyUsedKwh",
      round((1000 * sum(f.energy_used_kwh) / sum(f.distance_km))::numeric, 1)::float8 AS "efficiencyWhPerKm"
    FROM fact f
    GROUP BY GROUPING SETS ((f.vehicle_id), (f.vehicle_id, f.local_start), (f.vehicle_id, f.temperature), (f.vehicle_id, f.speed))
    HAVING coalesce(f.local_start::text, f.temperature::text, f.speed::text) IS NOT NULL
      OR GROUPING(f.local_start, f.temperature, f.speed) = 7
    ORDER BY f.vehicle_id, f.local_start DESC, f.temperature, f.speed`;
}

const timeOf = (at: number | null) => Prisma.sql`${at === null ? null : new Date(at)}::timestamptz`;

/** The lower edge of the band that a value is in. */
function bandOf(kind: keyof typeof bands, value: Prisma.Sql): Prisma.Sql {
  const { width, from, to } = bands[kind];
  const edge = Prisma.sql`floor(${value} / ${width}::float8) * ${width}::float8`;
  return Prisma.sql`CASE WHEN ${value} IS NULL THEN NULL ELSE least(greatest(${edge}, ${from - width}::float8), ${to}::float8) END`;
}
