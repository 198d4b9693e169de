import type { PrismaClient } from './generated/prisma/client.ts';

/** How many vehicles a software version is on or on its way to; `words` name a group where there are several. */
export type SoftwareCount = {
  softwareUpdateId: string | null;
  kind: 'TOTAL' | 'ON_VERSION' | 'MODEL' | 'REGION' | 'PENDING';
  words: string | null;
  vehicles: number;
};

/**
 * Counts for software versions over all vehicles of the instance, in one statement. A vehicle that several accounts hold
 * counts once. `TOTAL` is the number of vehicles of which the running version is known.
 */
export function softwareCounts(
  prisma: PrismaClient,
  softwareUpdateIds: readonly string[],
): Promise<SoftwareCount[]> {
  const ids = [...softwareUpdateIds];
  return prisma.$queryRaw<SoftwareCount[]>`
    WITH known AS (
      SELECT i.*, v.vin, coalesce(v.model, v.model_code) AS model, m.region::text AS region
      FROM software_installation i
      JOIN vehicle v ON v.id = i.vehicle_id AND v.archived_at IS NULL
      LEFT JOIN maker_account m ON m.id = v.maker_account_id
    ), running AS (
      SELECT DISTINCT ON (vin) vin, software_update_id, model, region
      FROM known WHERE state = 'INSTALLED'
      ORDER BY vin, coalesce(ended_at, seen_at) DESC, id DESC
    ), pending AS (
      SELECT DISTINCT ON (vin, software_update_id) vin, software_update_id, state
      FROM known WHERE software_update_id = ANY(${ids}::uuid[])
      ORDER BY vin, software_update_id, seen_at DESC, id DESC
    ), mine AS (SELECT * FROM running WHERE software_update_id = ANY(${ids}::uuid[]))
    SELECT NULL::uuid AS "softwareUpdateId", 'TOTAL' AS kind, NULL AS words, count(*)::int AS vehicles FROM running
    UNION ALL SELECT software_update_id, 'ON_VERSION', NULL, count(*)::int FROM mine GROUP BY 1
    UNION ALL SELECT software_update_id, 'MODEL', model, count(*)::int FROM mine WHERE model IS NOT NULL GROUP BY 1, 3
    UNION ALL SELECT software_update_id, 'REGION', region, count(*)::int FROM mine WHERE region IS NOT NULL GROUP BY 1, 3
    UNION ALL SELECT software_update_id, 'PENDING', state::text, count(*)::int FROM pending
      WHERE state NOT IN ('INSTALLED', 'CANCELLED') GROUP BY 1, 3
    ORDER BY 2, 4 DESC, 3`;
}
