import { Prisma } from '../store/generated/prisma/client.ts';
import type { KeysetSource } from '../store/keyset.ts';
import { builder } from './builder.ts';
import { connection, pageArgs, pageCost, vehicles } from './connection.ts';
import { type Context, caller } from './context.ts';
import { list } from './list.ts';
import { Location, tell } from './location.ts';
import { APPROXIMATE_DECIMALS } from './precision.ts';
import { Vehicle } from './vehicle.ts';

/** Side of the cells that stops outside any place are gathered in [m]. */
const CELL_M = 150;
/** Metres in a degree of latitude. */
const M_PER_DEGREE = 111_195;

type Visited = {
  id: string;
  vehicleId: string;
  placeId: string | null;
  latitude: number;
  longitude: number;
  visits: number;
  firstAt: Date;
  lastAt: Date;
  totalParkedS: number;
  energyAddedKwh: number;
};

/** A place or spot where a vehicle was parked. */
const VisitedLocation = builder.objectRef<Visited>('VisitedLocation').implement({
  description: `Where a vehicle was parked: a named place, or spots within about ${CELL_M} m of each other; where positions are approximate, spots that are told alike.`,
  authScopes: vehicles,
  fields: (t) => ({
    location: t.field({
      type: Location,
      nullable: true,
      description: 'The middle of its spots.',
      resolve: (visited, _args, context) =>
        tell(context, { ...visited, observedAt: visited.lastAt }),
    }),
    visits: t.exposeInt('visits', { description: 'How often it was parked there.' }),
    firstAt: t.expose('firstAt', { type: 'DateTime', description: 'When it first came there.' }),
    lastAt: t.expose('lastAt', { type: 'DateTime', description: 'When it last came there.' }),
    totalParkedS: t.exposeInt('totalParkedS', {
      description: 'How long it was parked there in all, up to now [s].',
    }),
    energyAddedKwh: t.exposeFloat('energyAddedKwh', {
      description: 'Energy put in there in all [kWh].',
    }),
  }),
});

const VisitedLocationConnection = connection('VisitedLocation', VisitedLocation, {
  guard: vehicles,
  rows: 'visited locations',
});

// The id is a hash, because a cursor holds it and must not tell where the cell is.
function source(context: Context): KeysetSource {
  const now = new Date(context.clock());
  const own = caller(context).locationPrecision;
  // Spots as they are told: finer ones would tell what an approximate position leaves out.
  const told = (column: string) =>
    Prisma.sql`round(${Prisma.raw(`s.${column}`)}::numeric, ${Prisma.raw(String(APPROXIMATE_DECIMALS))})`;
  const coarse = Prisma.sql`concat_ws(' ', ${told('latitude')}, ${told('longitude')})`;
  const row = Prisma.sql`round(s.latitude * ${M_PER_DEGREE / CELL_M}::float8)`;
  // Degrees of longitude shrink towards the poles, the same for all of a row.
  const column = Prisma.sql`round(s.longitude * cos(radians(${row} * ${CELL_M / M_PER_DEGREE}::float8)) * ${M_PER_DEGREE / CELL_M}::float8)`;
  return {
    from: Prisma.sql`(
      SELECT k.vehicle_id, md5(k.vehicle_id::text || k.spot) AS id, min(k.place_id::text)::uuid AS place_id,
        avg(k.latitude) AS latitude, avg(k.longitude) AS longitude, count(*)::int AS visits,
        min(k.started_at) AS first_at, max(k.started_at) AS last_at,
        sum(extract(epoch FROM greatest(coalesce(k.ended_at, ${now}::timestamptz), k.started_at) - k.started_at))::float8 AS parked_s,
        sum(k.energy_added_kwh) AS energy_added_kwh
      FROM (
        SELECT s.*, CASE WHEN v.location_precision = 'EXACT' AND ${own === 'EXACT'}::boolean
          THEN coalesce(s.place_id::text, concat_ws(' ', ${row}, ${column})) ELSE ${coarse} END AS spot
        FROM parked_span s JOIN vehicle v ON v.id = s.vehicle_id
        WHERE s.vehicle_id = p.parent::uuid AND s.latitude IS NOT NULL AND s.longitude IS NOT NULL
          AND v.location_precision <> 'HIDDEN' AND ${own !== 'HIDDEN'}::boolean
      ) AS k
      GROUP BY k.vehicle_id, k.spot)`,
    columns: Prisma.sql`t.id, t.vehicle_id AS "vehicleId", t.place_id AS "placeId",
      round(t.latitude::numeric, 6)::float8 AS latitude, round(t.longitude::numeric, 6)::float8 AS longitude, t.visits,
      t.first_at AS "firstAt", t.last_at AS "lastAt", round(t.parked_s)::int AS "totalParkedS",
      round(t.energy_added_kwh::numeric, 3)::float8 AS "energyAddedKwh"`,
    belongs: Prisma.sql`true`,
    key: { column: 'last_at', name: 'lastAt' },
    id: { column: 'id', name: 'id', type: 'text' },
  };
}

const visited = list<Visited, never>({
  name: 'locations',
  source,
  keyOf: (row) => row.lastAt,
  idOf: (row) => row.id,
  where: () => [],
});

builder.prismaObjectField(Vehicle, 'locations', (t) =>
  t.field({
    type: VisitedLocationConnection,
    description: 'Where it was parked, the latest first; nothing where positions are hidden.',
    args: pageArgs,
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => visited(vehicle.id, args, context, info),
  }),
);
