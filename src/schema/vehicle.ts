import { typeIdOf } from '../base/ids.ts';
import { Prisma, type Vehicle as VehicleRow } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { vehiclesNamed, visibleVehicles } from '../store/visible.ts';
import { builder } from './builder.ts';
import { connection, orderArg, pageArgs, pageCost, vehicles } from './connection.ts';
import { type Context, caller } from './context.ts';
import { AccessType, Connectivity, VehicleStatus } from './enums.ts';
import { list } from './list.ts';
import { rememberVehicle } from './loaders.ts';
import {
  VehicleBattery,
  VehicleBuild,
  VehicleConfig,
  VehicleKey,
  VehicleSettings,
} from './vehicle-parts.ts';

/** Characters of a VIN that an AI client sees (contract §2). */
const VIN_TAIL = 6;

/** A vehicle of an account. */
export const Vehicle = builder.prismaNode('Vehicle', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, AND: [visibleVehicles(caller(context))] }),
  authScopes: vehicles,
  interfaces: [VehicleBuild],
  fields: (t) => ({
    publicId: t.exposeString('publicId'),
    vin: t.string({
      description:
        'The maker’s vehicle identification number; over MCP only its last six characters.',
      resolve: ({ vin }, _args, context) =>
        context.surface === 'mcp' ? vin.slice(-VIN_TAIL).padStart(vin.length, '*') : vin,
    }),
    name: t.string({
      nullable: true,
      description: 'Name you gave it, or else the one it has at the maker.',
      resolve: ({ name, makerName }) => name ?? makerName,
    }),
    maker: t.exposeString('maker'),
    makerAccountId: t.id({
      nullable: true,
      description: 'Id of the maker account that it is followed through; null where it left one.',
      resolve: ({ makerAccountId, archivedAt }) =>
        makerAccountId === null || archivedAt !== null
          ? null
          : typeIdOf('MakerAccount', makerAccountId),
    }),
    makerVehicleId: t.exposeString('makerVehicleId', { nullable: true }),
    accessType: t.expose('accessType', { type: AccessType, nullable: true }),
    config: t.field({
      type: VehicleConfig,
      description: 'How the vehicle is built, in one piece.',
      resolve: (vehicle) => vehicle,
    }),
    battery: t.field({
      type: VehicleBattery,
      description: 'The traction battery.',
      resolve: (vehicle) => vehicle,
    }),
    key: t.field({
      type: VehicleKey,
      description: 'The service’s key on the vehicle.',
      resolve: (vehicle) => vehicle,
    }),
    settings: t.field({
      type: VehicleSettings,
      description: 'What the service may do with the vehicle.',
      resolve: (vehicle) => vehicle,
    }),
    status: t.expose('status', { type: VehicleStatus }),
    statusSince: t.expose('statusSince', { type: 'DateTime', nullable: true }),
    connectivity: t.expose('connectivity', { type: Connectivity, nullable: true }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', nullable: true }),
    simulated: t.exposeBoolean('simulated'),
    archivedAt: t.expose('archivedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

/** The caller's vehicle of a public id: its slug in any case, a slug it had before, or its `veh_` id. */
export function vehicleNamed(publicId: string, context: Context): Prisma.VehicleWhereInput {
  return vehiclesNamed(caller(context), [publicId]);
}

type Filter = { status?: string[] | null; simulated?: boolean | null; archived?: boolean | null };

const VehicleFilter = builder.inputRef<Filter>('VehicleFilter').implement({
  description: 'Which vehicles to list; every given field must hold.',
  fields: (t) => ({
    status: t.field({ type: [VehicleStatus], description: 'What the vehicle is doing.' }),
    simulated: t.boolean({ description: 'Whether it is of the simulated garage.' }),
    archived: t.boolean({
      description:
        'Whether it left its maker account; such vehicles are listed only when asked for.',
    }),
  }),
});

const VehicleConnection = connection('Vehicle', Vehicle, { guard: vehicles, rows: 'vehicles' });

const allVehicles = list<VehicleRow, Filter>({
  name: 'vehicles',
  source: {
    from: Prisma.sql`vehicle`,
    columns: columnsOf('Vehicle'),
    belongs: Prisma.sql`t.account_id = p.parent::uuid`,
    key: { column: 'created_at', name: 'createdAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (vehicle) => vehicle.createdAt,
  idOf: (vehicle) => vehicle.id,
  where: (filter, context) => {
    const { vehicleIds } = caller(context);
    return [
      vehicleIds === null ? null : Prisma.sql`t.id = ANY(${[...vehicleIds]}::uuid[])`,
      filter?.status ? Prisma.sql`t.status::text = ANY(${filter.status})` : null,
      filter?.simulated == null ? null : Prisma.sql`t.simulated = ${filter.simulated}`,
      filter?.archived === true
        ? Prisma.sql`t.archived_at IS NOT NULL`
        : Prisma.sql`t.archived_at IS NULL`,
    ].filter((condition) => condition !== null);
  },
  seen: rememberVehicle,
});

builder.queryFields((t) => ({
  vehicles: t.field({
    type: VehicleConnection,
    description: 'Your vehicles.',
    authScopes: vehicles,
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: VehicleFilter, description: 'Which vehicles to list.' }),
    },
    complexity: pageCost,
    resolve: (_root, args, context, info) =>
      allVehicles(caller(context).accountId, args, context, info),
  }),
  vehicle: t.prismaField({
    type: Vehicle,
    nullable: true,
    description: 'One vehicle; null when it is missing or not yours.',
    authScopes: vehicles,
    args: {
      publicId: t.arg.id({
        required: true,
        description: 'Its slug in any case, a slug it had before, or its `veh_` id.',
      }),
    },
    resolve: async (query, _root, { publicId }, context) => {
      const vehicle = await context.prisma.vehicle.findFirst({
        ...query,
        where: vehicleNamed(publicId, context),
      });
      if (vehicle !== null) rememberVehicle(vehicle, context);
      return vehicle;
    },
  }),
}));
