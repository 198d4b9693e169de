import { z } from 'zod';
import type { LocationPrecision } from '../auth/principal.ts';
import { typeIdOf, uuidOf } from '../base/ids.ts';
import { positionOf } from '../ingest/geodesy.ts';
import { placeAt } from '../ingest/places.ts';
import { shapeOf } from '../ingest/read-places.ts';
import { type Place as PlaceRow, Prisma } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { builder } from './builder.ts';
import { connection, type Guard, pageArgs, pageCost, vehicles } from './connection.ts';
import { type Context, caller, perOperation } from './context.ts';
import { DrivePurpose, PlaceKind } from './enums.ts';
import { list } from './list.ts';
import { placeById } from './loaders.ts';
import { degree } from './precision.ts';

type Degrees = { latitude: number; longitude: number };

const storedPolygon = z.array(z.tuple([z.number(), z.number()]));

/** Whoever may write places may see those that were written. */
export const placeGuard = {
  $any: { vehicles: true, account: true },
} as const satisfies Guard;

const Corner = builder.objectRef<Degrees>('Corner').implement({
  description: 'A corner of a polygon.',
  authScopes: placeGuard,
  fields: (t) => ({
    latitude: t.exposeFloat('latitude', { description: 'Latitude, WGS 84 [°].' }),
    longitude: t.exposeFloat('longitude', { description: 'Longitude, WGS 84 [°].' }),
  }),
});

/** A place a person named. */
export const Place = builder.prismaNode('Place', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, accountId: caller(context).accountId }),
  authScopes: placeGuard,
  fields: (t) => ({
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: PlaceKind }),
    latitude: t.float({
      nullable: true,
      description: 'Latitude of the centre, WGS 84; as exact as the caller may see positions [°].',
      resolve: (place, _args, context) => degree(place.latitude, caller(context).locationPrecision),
    }),
    longitude: t.float({
      nullable: true,
      description: 'Longitude of the centre, WGS 84; as exact as the caller may see positions [°].',
      resolve: (place, _args, context) =>
        degree(place.longitude, caller(context).locationPrecision),
    }),
    radiusM: t.exposeFloat('radiusM', { nullable: true }),
    polygon: t.field({
      type: [Corner],
      nullable: true,
      description: 'Its corners; null for a circle and where they are hidden.',
      resolve: (place, _args, context) => corners(place.polygon, caller(context).locationPrecision),
    }),
    autoTags: t.exposeStringList('autoTags'),
    purposeDefault: t.expose('purposeDefault', { type: DrivePurpose, nullable: true }),
    notifyEnter: t.exposeBoolean('notifyEnter'),
    notifyExit: t.exposeBoolean('notifyExit'),
    hideOnShare: t.exposeBoolean('hideOnShare'),
    tariffId: t.id({
      nullable: true,
      description:
        'Id of the tariff it chose; those that name the place count where that one does not hold.',
      resolve: ({ tariffId }) => (tariffId === null ? null : typeIdOf('Tariff', tariffId)),
    }),
    simulated: t.exposeBoolean('simulated'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

/** Corners of a stored polygon, whose pairs are longitude first as in GeoJSON (RFC 7946 3.1.1). */
function corners(polygon: unknown, precision: LocationPrecision): Degrees[] | null {
  const pairs = storedPolygon.safeParse(polygon);
  if (!pairs.success || precision === 'HIDDEN') return null;
  return pairs.data.map(([longitude, latitude]) => ({
    latitude: degree(latitude, precision) ?? latitude,
    longitude: degree(longitude, precision) ?? longitude,
  }));
}

const placesOfAccount = perOperation((context) =>
  context.prisma.place.findMany({ where: { accountId: caller(context).accountId } }),
);

/** Stored id of the caller's place that holds a position; null where none does. */
export async function currentPlaceId(
  context: Context,
  latitude: number | null,
  longitude: number | null,
): Promise<string | null> {
  const position = positionOf(latitude, longitude);
  if (position === null) return null;
  const rows = await placesOfAccount(context);
  return placeAt(rows.map(shapeOf), position)?.id ?? null;
}

const PlaceConnection = connection('Place', Place, { guard: vehicles, rows: 'places' });

const places = list<PlaceRow, never>({
  name: 'places',
  source: {
    from: Prisma.sql`place`,
    columns: columnsOf('Place'),
    belongs: Prisma.sql`t.account_id = p.parent::uuid`,
    key: { column: 'created_at', name: 'createdAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (place) => place.createdAt,
  idOf: (place) => place.id,
  where: () => [],
});

builder.queryFields((t) => ({
  places: t.field({
    type: PlaceConnection,
    description: 'The places you named, the newest first.',
    authScopes: vehicles,
    args: pageArgs,
    complexity: pageCost,
    resolve: (_root, args, context, info) => places(caller(context).accountId, args, context, info),
  }),
  place: t.field({
    type: Place,
    nullable: true,
    description: 'One place; null when it is missing or not yours.',
    authScopes: vehicles,
    args: { id: t.arg.id({ required: true, description: 'Id of the place.' }) },
    resolve: (_root, { id }, context) => {
      const uuid = uuidOf('Place', id);
      return uuid === null ? null : placeById(context).load(uuid);
    },
  }),
}));
