import DataLoader from 'dataloader';
import { Prisma, type Trip } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { type Context, perOperation } from './context.ts';
import { placeById } from './loaders.ts';
import { Place } from './place.ts';
import { degree, precisionFor, seesExactly } from './precision.ts';

/** Stops of a trip that are told; a trip has far fewer. */
const LARGEST_STOPS = 200;

type Stop = { tripId: string; vehicleId: string; from: Date; to: Date; placeId: string | null };

/** A stop between two drives of a trip. */
export const TripStop = builder.objectRef<Stop>('TripStop').implement({
  description: 'A stop between two drives of a trip.',
  authScopes: vehicles,
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'When the vehicle was parked.' }),
    to: t.expose('to', { type: 'DateTime', description: 'When it drove off.' }),
    place: t.field({
      type: Place,
      nullable: true,
      description: 'The named place it was at; null where positions are not told exactly.',
      resolve: async ({ vehicleId, placeId }, _args, context) =>
        placeId !== null && (await seesExactly(context, vehicleId))
          ? placeById(context).load(placeId)
          : null,
    }),
  }),
});

/** Stops of trips by trip id: from the end of each drive to the start of the next. */
export const stopsOf = perOperation(
  (context) =>
    new DataLoader<string, Stop[]>(async (ids) => {
      const rows = await context.prisma.$queryRaw<Stop[]>`
        SELECT * FROM (
          SELECT d.trip_id AS "tripId", d.vehicle_id AS "vehicleId", d.ended_at AS "from",
            d.end_place_id AS "placeId", lead(d.started_at) OVER trip AS "to",
            row_number() OVER trip AS n
          FROM drive d
          WHERE d.trip_id = ANY(${[...ids]}::uuid[]) AND d.deleted_at IS NULL AND d.state <> 'DISCARDED'
          WINDOW trip AS (PARTITION BY d.trip_id ORDER BY d.started_at, d.id)
        ) AS gap
        WHERE gap."from" IS NOT NULL AND gap."to" IS NOT NULL AND gap.n <= ${LARGEST_STOPS}
        ORDER BY gap."from"`;
      const byTrip = new Map<string, Stop[]>(ids.map((id) => [id, []]));
      for (const row of rows) byTrip.get(row.tripId)?.push(row);
      return ids.map((id) => byTrip.get(id) ?? []);
    }),
);

type Box = { south: number; west: number; north: number; east: number };

/** The smallest box around the ends of the drives of a trip. */
export const BoundingBox = builder.objectRef<Box>('BoundingBox').implement({
  description: 'The smallest box around positions.',
  authScopes: vehicles,
  fields: (t) => ({
    south: t.exposeFloat('south', { description: 'Southern latitude, WGS 84 [°].' }),
    west: t.exposeFloat('west', { description: 'Western longitude, WGS 84 [°].' }),
    north: t.exposeFloat('north', { description: 'Northern latitude, WGS 84 [°].' }),
    east: t.exposeFloat('east', { description: 'Eastern longitude, WGS 84 [°].' }),
  }),
});

const boxes = perOperation(
  (context) =>
    new DataLoader<string, (Box & { tripId: string }) | null>(async (ids) => {
      const rows = await context.prisma.$queryRaw<(Box & { tripId: string })[]>`
        SELECT d.trip_id AS "tripId",
          min(least(d.start_latitude, d.end_latitude)) AS south,
          min(least(d.start_longitude, d.end_longitude)) AS west,
          max(greatest(d.start_latitude, d.end_latitude)) AS north,
          max(greatest(d.start_longitude, d.end_longitude)) AS east
        FROM drive d
        WHERE d.trip_id = ANY(${[...ids]}::uuid[]) AND d.deleted_at IS NULL
          AND d.state <> 'DISCARDED' AND coalesce(d.start_latitude, d.end_latitude) IS NOT NULL
        GROUP BY d.trip_id`;
      const byTrip = new Map(rows.map((row) => [row.tripId, row]));
      return ids.map((id) => byTrip.get(id) ?? null);
    }),
);

/** The box of a trip as the caller may learn it; null where it is unknown or hidden. */
export async function boxOf(trip: Trip, context: Context): Promise<Box | null> {
  const box = await boxes(context).load(trip.id);
  if (box === null) return null;
  const precision = await precisionFor(context, trip.vehicleId);
  const south = degree(box.south, precision);
  const west = degree(box.west, precision);
  const north = degree(box.north, precision);
  const east = degree(box.east, precision);
  return south === null || west === null || north === null || east === null
    ? null
    : { south, west, north, east };
}

/** Ties a list to the trip it hangs on. */
export const ofTrip = Prisma.sql`t.trip_id = p.parent::uuid`;
