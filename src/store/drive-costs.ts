import type { PrismaClient } from './generated/prisma/client.ts';

/** Charges before a drive that its price is looked for in, the newest first. */
const MOST_CHARGES = 10;

/** A charge before a drive: what it put in and what that cost; null where its cost is not known. */
export type EarlierCharge = { kwh: number; amount: number | null; currency: string | null };

/** What the price of a drive's energy follows from. */
export type DriveEnergy = {
  usedKwh: number | null;
  /** Energy in the pack when it began; null where the level or the capacity is not known [kWh]. */
  heldKwh: number | null;
  charges: EarlierCharge[];
};

/** Of each drive its energy and the charges before it, the newest first; one statement for all. */
export async function readDriveEnergy(
  prisma: PrismaClient,
  driveIds: readonly string[],
): Promise<Map<string, DriveEnergy>> {
  const rows = await prisma.$queryRaw<
    (EarlierCharge & { id: string; usedKwh: number | null; heldKwh: number | null })[]
  >`
    SELECT d.id, d.energy_used_kwh AS "usedKwh", v.usable_capacity_kwh * d.start_battery_level_pct / 100 AS "heldKwh",
      c.energy_added_kwh AS kwh, c.cost_amount::float8 AS amount, c.cost_currency AS currency
    FROM drive d JOIN vehicle v ON v.id = d.vehicle_id
    LEFT JOIN LATERAL (
      SELECT * FROM charge
      WHERE charge.vehicle_id = d.vehicle_id AND charge.started_at < d.started_at AND charge.deleted_at IS NULL
        AND charge.state <> 'DISCARDED' AND charge.energy_added_kwh > 0
      ORDER BY charge.started_at DESC, charge.id DESC LIMIT ${MOST_CHARGES}
    ) AS c ON true
    WHERE d.id = ANY(${[...driveIds]}::uuid[])
    ORDER BY d.id, c.started_at DESC`;
  const energy = new Map<string, DriveEnergy>();
  for (const { id, usedKwh, heldKwh, ...charge } of rows) {
    const known = energy.get(id) ?? { usedKwh, heldKwh, charges: [] };
    if (charge.kwh !== null) known.charges.push(charge);
    energy.set(id, known);
  }
  return energy;
}

/** Drives of trips that count, by the trip's id. */
export async function readTripDrives(
  prisma: PrismaClient,
  tripIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await prisma.$queryRaw<{ tripId: string; id: string }[]>`
    SELECT d.trip_id AS "tripId", d.id FROM drive d
    WHERE d.trip_id = ANY(${[...tripIds]}::uuid[]) AND d.deleted_at IS NULL AND d.state <> 'DISCARDED'
    ORDER BY d.trip_id, d.started_at`;
  const drives = new Map<string, string[]>(tripIds.map((id) => [id, []]));
  for (const { tripId, id } of rows) drives.get(tripId)?.push(id);
  return drives;
}
