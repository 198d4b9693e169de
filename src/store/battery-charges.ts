import type { PrismaClient } from './generated/prisma/client.ts';

/** What one charge tells of the pack: the energy it took from one level to another. */
export type CapacityCharge = {
  id: string;
  vehicleId: string;
  startedAt: Date;
  startBatteryLevelPct: number;
  endBatteryLevelPct: number;
  energyAddedKwh: number;
};

/** A smaller rise says little of the whole pack, because levels come in whole percent (issue 3, battery health) [%]. */
const LEAST_RISE_PCT = 20;

/**
 * The newest ended charges of each vehicle that rose by more than 20 % and whose energy was counted from the start, at most
 * `limit` of each, in one statement; of each vehicle the newest first.
 */
export function capacityCharges(
  prisma: PrismaClient,
  vehicleIds: readonly string[],
  limit: number,
): Promise<CapacityCharge[]> {
  return prisma.$queryRaw<CapacityCharge[]>`
    SELECT c.* FROM unnest(${[...vehicleIds]}::uuid[]) AS p(id) CROSS JOIN LATERAL (
      SELECT id, vehicle_id AS "vehicleId", started_at AS "startedAt",
        start_battery_level_pct AS "startBatteryLevelPct", end_battery_level_pct AS "endBatteryLevelPct",
        energy_added_kwh AS "energyAddedKwh"
      FROM charge
      WHERE vehicle_id = p.id AND state NOT IN ('ONGOING', 'DISCARDED') AND deleted_at IS NULL
        AND NOT energy_partial AND energy_added_kwh IS NOT NULL
        AND end_battery_level_pct - start_battery_level_pct > ${LEAST_RISE_PCT}
      ORDER BY started_at DESC, id DESC LIMIT ${limit}
    ) AS c`;
}
