import { typeIdOf, uuidOf } from '../base/ids.ts';
import { Prisma, type Trip as TripRow } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { builder } from './builder.ts';
import { Charge, ChargeConnection, chargeList } from './charge.ts';
import { connection, orderArg, pageArgs, pageCost, vehicles } from './connection.ts';
import { caller } from './context.ts';
import { Cost } from './cost.ts';
import { costOfTrip } from './derived-cost.ts';
import { Drive, DriveConnection, driveList } from './drive.ts';
import { TripState } from './enums.ts';
import { between, conditions, equal, oneOf, tagged, within } from './filters.ts';
import { list } from './list.ts';
import { tripById, vehicleById } from './loaders.ts';
import { Location, tell } from './location.ts';
import { Path, pathArgs, pathIn } from './path.ts';
import { trackCost } from './track.ts';
import { BoundingBox, boxOf, ofTrip, stopsOf, TripStop } from './trip-parts.ts';
import { Vehicle } from './vehicle.ts';

const drivesOfTrip = driveList('trip.drives', ofTrip);
const chargesOfTrip = chargeList('trip.charges', ofTrip);

/** Drives, charges and stops of a vehicle that belong together. */
export const Trip = builder.prismaNode('Trip', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({
    id,
    deletedAt: null,
    ...visibleThroughVehicle(caller(context)),
  }),
  authScopes: vehicles,
  fields: (t) => ({
    vehicle: t.field({
      type: Vehicle,
      nullable: true,
      description: 'The vehicle that made it.',
      resolve: (trip, _args, context) => vehicleById(context).load(trip.vehicleId),
    }),
    name: t.exposeString('name', { nullable: true }),
    auto: t.exposeBoolean('auto'),
    state: t.expose('state', { type: TripState }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    distanceKm: t.exposeFloat('distanceKm'),
    drivingS: t.exposeInt('drivingS'),
    chargingS: t.exposeInt('chargingS'),
    stoppedS: t.exposeInt('stoppedS'),
    energyUsedKwh: t.exposeFloat('energyUsedKwh', { nullable: true }),
    energyAddedKwh: t.exposeFloat('energyAddedKwh', { nullable: true }),
    efficiencyWhPerKm: t.exposeFloat('efficiencyWhPerKm', { nullable: true }),
    start: t.field({
      type: Location,
      nullable: true,
      description: 'Where it started.',
      resolve: (trip, _args, context) =>
        tell(context, {
          vehicleId: trip.vehicleId,
          latitude: trip.startLatitude,
          longitude: trip.startLongitude,
          placeId: trip.startPlaceId,
          observedAt: trip.startedAt,
        }),
    }),
    end: t.field({
      type: Location,
      nullable: true,
      description: 'Where it ended, or where its newest drive did.',
      resolve: (trip, _args, context) =>
        tell(context, {
          vehicleId: trip.vehicleId,
          latitude: trip.endLatitude,
          longitude: trip.endLongitude,
          placeId: trip.endPlaceId,
          observedAt: trip.endedAt,
        }),
    }),
    boundingBox: t.field({
      type: BoundingBox,
      nullable: true,
      description:
        'The smallest box around the ends of its drives; null where positions are hidden.',
      resolve: (trip, _args, context) => boxOf(trip, context),
    }),
    drives: t.field({
      type: DriveConnection,
      description: 'Its drives, the oldest first.',
      args: pageArgs,
      complexity: pageCost,
      resolve: (trip, args, context, info) =>
        drivesOfTrip(trip.id, { ...args, orderBy: 'OLDEST_FIRST' }, context, info),
    }),
    charges: t.field({
      type: ChargeConnection,
      description: 'Its charges, the oldest first.',
      args: pageArgs,
      complexity: pageCost,
      resolve: (trip, args, context, info) =>
        chargesOfTrip(trip.id, { ...args, orderBy: 'OLDEST_FIRST' }, context, info),
    }),
    stops: t.field({
      type: [TripStop],
      description: 'The stops between its drives, in time order.',
      resolve: (trip, _args, context) => stopsOf(context).load(trip.id),
    }),
    path: t.field({
      type: Path,
      description: 'The way it went, its stops included.',
      args: pathArgs,
      complexity: trackCost,
      resolve: ({ vehicleId, startedAt, endedAt }, args, context) =>
        pathIn(
          context,
          {
            vehicleId,
            fromMs: startedAt.getTime(),
            toMs: endedAt?.getTime() ?? context.clock(),
          },
          args,
        ),
    }),
    cost: t.field({
      type: Cost,
      nullable: true,
      description:
        'What the energy of its drives cost; null where that of one is not known, or positions are not told exactly.',
      resolve: costOfTrip,
    }),
    tags: t.exposeStringList('tags'),
    simulated: t.exposeBoolean('simulated'),
    deletedAt: t.expose('deletedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

type Filter = {
  from?: number | null;
  to?: number | null;
  state?: string[] | null;
  auto?: boolean | null;
  minDistanceKm?: number | null;
  maxDistanceKm?: number | null;
  tag?: string | null;
  notTag?: string | null;
  deleted?: boolean | null;
};

const TripFilter = builder.inputRef<Filter>('TripFilter').implement({
  description: 'Which trips to list; every given field must hold.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Started at or after.' }),
    to: t.field({ type: 'DateTime', description: 'Started before.' }),
    state: t.field({ type: [TripState], description: 'In one of the states.' }),
    auto: t.boolean({ description: 'Whether the service grouped it.' }),
    minDistanceKm: t.float({ description: 'At least this long [km].' }),
    maxDistanceKm: t.float({ description: 'At most this long [km].' }),
    tag: t.string({ description: 'With this tag.' }),
    notTag: t.string({ description: 'Without this tag.' }),
    deleted: t.boolean({ description: 'True lists the deleted ones instead.' }),
  }),
});

const TripConnection = connection('Trip', Trip, { guard: vehicles, rows: 'trips' });

const tripsOfVehicle = list<TripRow, Filter>({
  name: 'trips',
  source: {
    from: Prisma.sql`trip`,
    columns: columnsOf('Trip'),
    belongs: Prisma.sql`t.vehicle_id = p.parent::uuid`,
    key: { column: 'started_at', name: 'startedAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (trip) => trip.startedAt,
  idOf: (trip) => trip.id,
  where: (filter) => {
    const f = filter ?? {};
    return conditions([
      f.deleted === true ? Prisma.sql`t.deleted_at IS NOT NULL` : Prisma.sql`t.deleted_at IS NULL`,
      between('started_at', f.from, f.to),
      oneOf('state', f.state),
      equal('auto', f.auto),
      within('distance_km', f.minDistanceKm, f.maxDistanceKm),
      tagged(f.tag, f.notTag),
    ]);
  },
});

builder.prismaObjectField(Vehicle, 'trips', (t) =>
  t.field({
    type: TripConnection,
    description: 'Its trips, the newest first.',
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: TripFilter, description: 'Which trips to list.' }),
    },
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => tripsOfVehicle(vehicle.id, args, context, info),
  }),
);

for (const part of [Drive, Charge] as const) {
  // Without the trip itself, so that a list of them need not read it.
  builder.prismaObjectField(part, 'tripId', (t) =>
    t.id({
      nullable: true,
      description: 'Id of the trip it belongs to.',
      resolve: ({ tripId }) => (tripId === null ? null : typeIdOf('Trip', tripId)),
    }),
  );
  builder.prismaObjectField(part, 'trip', (t) =>
    t.field({
      type: Trip,
      nullable: true,
      description: 'The trip it belongs to.',
      resolve: ({ tripId }, _args, context) =>
        tripId === null ? null : tripById(context).load(tripId),
    }),
  );
}

builder.queryField('trip', (t) =>
  t.prismaField({
    type: Trip,
    nullable: true,
    description: 'One trip; null when it is missing, deleted or not yours.',
    authScopes: vehicles,
    args: { id: t.arg.id({ required: true, description: 'Id of the trip.' }) },
    resolve: (query, _root, { id }, context) => {
      const uuid = uuidOf('Trip', id);
      if (uuid === null) return null;
      return context.prisma.trip.findFirst({
        ...query,
        where: { id: uuid, deletedAt: null, ...visibleThroughVehicle(caller(context)) },
      });
    },
  }),
);
