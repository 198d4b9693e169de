import { type Address, Prisma, type PrismaClient } from './generated/prisma/client.ts';
import { columnsOf } from './keyset.ts';

/** Cells of the cache in a degree: one is about 11 m high. */
const CELLS_PER_DEGREE = 10_000;
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

/** A part of a vehicle's history: the rows of each kind that began before a time (epoch ms), the newest first. */
export type Stretch = { vehicleId: string; before: number; rows: number };

/**
 * Queues ends of drives, charges and stops of a stretch whose address is not known, at `now` (epoch ms). Tells how many, and
 * where the next stretch begins; null where there is nothing before it.
 */
export async function queueAddresses(
  prisma: PrismaClient,
  { vehicleId, before, rows }: Stretch,
  now: number,
): Promise<{ queued: number; next: number | null }> {
  const at = new Date(now);
  const newest = Prisma.sql`vehicle_id = ${vehicleId}::uuid AND started_at < ${new Date(before)}::timestamptz
    ORDER BY started_at DESC, id DESC LIMIT ${rows}`;
  const border = (table: Prisma.Sql) =>
    Prisma.sql`(SELECT CASE WHEN count(*) = ${rows} THEN min(started_at) END FROM ${table})`;
  const [told] = await prisma.$queryRaw<{ queued: number; next: Date | null }[]>`
    WITH d AS (SELECT * FROM drive WHERE ${newest}), c AS (SELECT * FROM charge WHERE ${newest}),
    p AS (SELECT * FROM parked_span WHERE ${newest}),
    spot AS (
      SELECT start_latitude AS latitude, start_longitude AS longitude FROM d WHERE state <> 'DISCARDED'
      UNION ALL SELECT end_latitude, end_longitude FROM d WHERE state IN ('ENDED', 'INCOMPLETE')
      UNION ALL SELECT latitude, longitude FROM c WHERE state <> 'DISCARDED'
      UNION ALL SELECT latitude, longitude FROM p
    ), cell AS (
      SELECT floor(latitude * ${CELLS_PER_DEGREE}::float8)::int AS lat_cell,
        floor(longitude * ${CELLS_PER_DEGREE}::float8)::int AS lon_cell,
        min(latitude) AS latitude, min(longitude) AS longitude
      FROM spot WHERE latitude IS NOT NULL AND longitude IS NOT NULL GROUP BY 1, 2
    ), added AS (
      INSERT INTO address (vehicle_id, lat_cell, lon_cell, latitude, longitude, due_at)
      SELECT ${vehicleId}::uuid, lat_cell, lon_cell, latitude, longitude, ${at}::timestamptz FROM cell
      ON CONFLICT DO NOTHING RETURNING 1
    )
    SELECT (SELECT count(*)::int FROM added) AS queued,
      greatest(${border(Prisma.sql`d`)}, ${border(Prisma.sql`c`)}, ${border(Prisma.sql`p`)}) AS next`;
  return { queued: told?.queued ?? 0, next: told?.next?.getTime() ?? null };
}

/** Whether at least so many addresses wait to be looked up. */
export async function areWaiting(prisma: PrismaClient, count: number): Promise<boolean> {
  return (await prisma.address.count({ where: { state: 'WAITING' }, take: count })) >= count;
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
