import { Prisma, type PrismaClient } from './generated/prisma/client.ts';

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

/** Of a drive `t` its energy and the charges before it, the newest first: a `DriveEnergy` as JSON. */
export const driveEnergyColumn = Prisma.sql`(
  SELECT jsonb_build_object(
    'usedKwh', t.energy_used_kwh,
    'heldKwh', v.usable_capacity_kwh * t.start_battery_level_pct / 100,
    'charges', (
      SELECT coalesce(jsonb_agg(jsonb_build_object(
        'kwh', c.energy_added_kwh, 'amount', c.cost_amount::float8, 'currency', c.cost_currency
      ) ORDER BY c.started_at DESC, c.id DESC), '[]'::jsonb)
      FROM (
        SELECT * FROM charge
        WHERE v.calculate_cost AND charge.vehicle_id = t.vehicle_id AND charge.started_at < t.started_at AND charge.deleted_at IS NULL
          AND charge.state <> 'DISCARDED' AND charge.energy_added_kwh > 0
        ORDER BY charge.started_at DESC, charge.id DESC LIMIT ${MOST_CHARGES}
      ) AS c))
  FROM vehicle AS v WHERE v.id = t.vehicle_id)`;

/** Of each drive its energy and the charges before it; one statement for all. */
export async function readDriveEnergy(
  prisma: PrismaClient,
  driveIds: readonly string[],
): Promise<Map<string, DriveEnergy>> {
  const rows = await prisma.$queryRaw<{ id: string; energy: DriveEnergy }[]>`
    SELECT t.id, ${driveEnergyColumn} AS energy FROM drive AS t WHERE t.id = ANY(${[...driveIds]}::uuid[])`;
  return new Map(rows.map(({ id, energy }) => [id, energy]));
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
