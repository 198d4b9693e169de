import type { Prisma } from './generated/prisma/client.ts';

/**
 * Brings trips whose grouping a person changed to what their drives and charges come to; the reducer's sums know nothing
 * of the change. One without drives is hidden, with the figures that it had, and is back with its first one; one that a
 * person ungrouped or made part of another stays hidden whatever becomes of its drives. Of trips that were merged the first
 * subject of the edit is the one that the others became part of.
 */
export async function sumUpTrips(
  tx: Prisma.TransactionClient,
  tripIds: readonly string[],
): Promise<void> {
  if (tripIds.length === 0) return;
  await tx.$executeRaw`
    WITH d AS (
      SELECT trip_id, min(started_at) AS started_at, max(ended_at) AS ended_at,
        round(sum(distance_km)::numeric, 3)::float8 AS km, coalesce(sum(duration_s), 0)::int AS driving_s,
        CASE WHEN bool_and(energy_used_kwh IS NOT NULL) THEN round(sum(energy_used_kwh)::numeric, 3)::float8 END AS kwh,
        (array_agg(start_latitude ORDER BY started_at))[1] AS start_latitude,
        (array_agg(start_longitude ORDER BY started_at))[1] AS start_longitude,
        (array_agg(start_place_id ORDER BY started_at))[1] AS start_place_id,
        (array_agg(end_latitude ORDER BY started_at DESC))[1] AS end_latitude,
        (array_agg(end_longitude ORDER BY started_at DESC))[1] AS end_longitude,
        (array_agg(end_place_id ORDER BY started_at DESC))[1] AS end_place_id
      FROM drive WHERE trip_id = ANY(${[...tripIds]}::uuid[]) AND deleted_at IS NULL AND state <> 'DISCARDED'
      GROUP BY trip_id
    ), c AS (
      SELECT trip_id, coalesce(sum(duration_s), 0)::int AS charging_s,
        round(sum(energy_added_kwh)::numeric, 3)::float8 AS kwh
      FROM charge WHERE trip_id = ANY(${[...tripIds]}::uuid[]) AND deleted_at IS NULL AND state <> 'DISCARDED'
      GROUP BY trip_id
    )
    UPDATE trip t SET started_at = d.started_at, ended_at = d.ended_at, distance_km = d.km, driving_s = d.driving_s,
      charging_s = coalesce(c.charging_s, 0), energy_added_kwh = c.kwh, energy_used_kwh = d.kwh,
      stopped_s = greatest(0, extract(epoch FROM d.ended_at - d.started_at)::int - d.driving_s - coalesce(c.charging_s, 0)),
      efficiency_wh_per_km = CASE WHEN d.km >= 0.1 THEN round((d.kwh / d.km * 1000)::numeric, 1)::float8 END,
      start_latitude = d.start_latitude, start_longitude = d.start_longitude, start_place_id = d.start_place_id,
      end_latitude = d.end_latitude, end_longitude = d.end_longitude, end_place_id = d.end_place_id,
      deleted_at = CASE WHEN EXISTS (
        SELECT 1 FROM history_edit e
        WHERE e.subjects @> ARRAY[t.id] AND e.undone_at IS NULL
          AND (e.kind = 'TRIP_DELETE' OR (e.kind = 'TRIP_MERGE' AND e.subjects[1] <> t.id))
      ) THEN t.deleted_at END,
      updated_at = now()
    FROM d LEFT JOIN c ON c.trip_id = d.trip_id WHERE t.id = d.trip_id`;
  await tx.$executeRaw`
    UPDATE trip t SET deleted_at = now(), updated_at = now()
    WHERE t.id = ANY(${[...tripIds]}::uuid[]) AND t.deleted_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM drive d WHERE d.trip_id = t.id AND d.deleted_at IS NULL AND d.state <> 'DISCARDED')`;
}
