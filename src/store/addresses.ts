import { type Address, Prisma, type PrismaClient } from './generated/prisma/client.ts';
import { columnsOf } from './keyset.ts';

/** Cells of the cache in a degree: one is about 11 m high. */
const CELLS_PER_DEGREE = 10_000;
/** Positions that are queued at a time, the newest first. */
const QUEUED_AT_ONCE = 200;
/** Key of the PostgreSQL advisory lock under which the next address to look up is taken. */
const QUEUE_LOCK = 4_715_023_611;

/** Where an address is kept: of a vehicle, by the cell of its position. */
export type AddressKey = { vehicleId: string; latCell: number; lonCell: number };

/** The key of a vehicle's position. */
export function addressKey(vehicleId: string, latitude: number, longitude: number): AddressKey {
  return {
    vehicleId,
    latCell: Math.floor(latitude * CELLS_PER_DEGREE),
    lonCell: Math.floor(longitude * CELLS_PER_DEGREE),
  };
}

/** Queues ends of drives, charges and stops whose address is not known, at `now` (epoch ms); tells how many. */
export function queueAddresses(prisma: PrismaClient, now: number): Promise<number> {
  const at = new Date(now);
  return prisma.$executeRaw`
    INSERT INTO address (vehicle_id, lat_cell, lon_cell, latitude, longitude, due_at)
    SELECT p.vehicle_id, p.lat_cell, p.lon_cell, min(p.latitude), min(p.longitude), ${at}::timestamptz
    FROM (
      SELECT q.*, floor(q.latitude * ${CELLS_PER_DEGREE}::float8)::int AS lat_cell,
        floor(q.longitude * ${CELLS_PER_DEGREE}::float8)::int AS lon_cell
      FROM (
        SELECT vehicle_id, start_latitude AS latitude, start_longitude AS longitude, started_at AS at FROM drive
        WHERE state <> 'DISCARDED'
        UNION ALL SELECT vehicle_id, end_latitude, end_longitude, ended_at FROM drive
        WHERE state IN ('ENDED', 'INCOMPLETE')
        UNION ALL SELECT vehicle_id, latitude, longitude, started_at FROM charge WHERE state <> 'DISCARDED'
        UNION ALL SELECT vehicle_id, latitude, longitude, started_at FROM parked_span
      ) AS q
      WHERE q.latitude IS NOT NULL AND q.longitude IS NOT NULL
    ) AS p
    WHERE NOT EXISTS (SELECT 1 FROM address a
      WHERE a.vehicle_id = p.vehicle_id AND a.lat_cell = p.lat_cell AND a.lon_cell = p.lon_cell)
    GROUP BY p.vehicle_id, p.lat_cell, p.lon_cell
    ORDER BY max(p.at) DESC LIMIT ${QUEUED_AT_ONCE}
    ON CONFLICT DO NOTHING`;
}

/**
 * Takes the next address to look up at `now`, and puts it off until `until`, so that a crash only delays it; both epoch
 * ms. Null while nothing is due, or where any process took one within `gapMs`.
 */
export function takeAddress(
  prisma: PrismaClient,
  { now, until, gapMs }: { now: number; until: number; gapMs: number },
): Promise<Address | null> {
  return prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${QUEUE_LOCK}::bigint)`;
    const recent = { askedAt: { gt: new Date(now - gapMs), lte: new Date(now) } };
    if ((await tx.address.count({ where: recent })) > 0) return null;
    const next = await tx.address.findFirst({
      where: { state: 'WAITING', dueAt: { lte: new Date(now) } },
      orderBy: [{ dueAt: 'asc' }, { createdAt: 'desc' }],
    });
    if (next === null) return null;
    return tx.address.update({
      where: { vehicleId_latCell_lonCell: keyOf(next) },
      data: { askedAt: new Date(now), dueAt: new Date(until), attempts: { increment: 1 } },
    });
  });
}

function keyOf({ vehicleId, latCell, lonCell }: AddressKey): AddressKey {
  return { vehicleId, latCell, lonCell };
}

/** Stores what became of a look-up; a vehicle that is gone took its addresses with it. */
export async function writeAddress(
  prisma: PrismaClient,
  key: AddressKey,
  data: Prisma.AddressUpdateManyMutationInput,
): Promise<void> {
  await prisma.address.updateMany({ where: keyOf(key), data });
}

/** An address that was found. */
export type FoundAddress = Omit<Address, 'dueAt' | 'askedAt' | 'createdAt' | 'updatedAt'>;

/** Addresses that were found, by their keys. */
export function readAddresses(
  prisma: PrismaClient,
  keys: readonly AddressKey[],
): Promise<FoundAddress[]> {
  return prisma.address.findMany({ where: { state: 'FOUND', OR: keys.map(keyOf) } });
}

const cell = (degrees: string) =>
  Prisma.raw(`floor(t.${degrees} * ${CELLS_PER_DEGREE}::float8)::int`);

/** The addresses that were found of both ends of a drive `t`: a list of `FoundAddress` as JSON. */
export const driveAddressesColumn = Prisma.sql`(
  SELECT coalesce(jsonb_agg(to_jsonb(a)), '[]'::jsonb)
  FROM (VALUES
    (t.vehicle_id, ${cell('start_latitude')}, ${cell('start_longitude')}),
    (t.vehicle_id, ${cell('end_latitude')}, ${cell('end_longitude')})
  ) AS cell(vehicle_id, lat_cell, lon_cell)
  JOIN LATERAL (
    SELECT ${columnsOf('Address')} FROM address AS t
    WHERE t.vehicle_id = cell.vehicle_id AND t.lat_cell = cell.lat_cell AND t.lon_cell = cell.lon_cell
      AND t.state = 'FOUND'
  ) AS a ON true)`;
