import { uuidOf } from '../base/ids.ts';
import { addressKey, driveAddressesColumn, type FoundAddress } from '../store/addresses.ts';
import { type DriveEnergy, driveEnergyColumn } from '../store/drive-costs.ts';
import { type Drive as DriveRow, Prisma } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { rememberAddresses } from './address.ts';
import { builder } from './builder.ts';
import { connection, orderArg, pageArgs, pageCost, vehicles } from './connection.ts';
import { type Context, caller } from './context.ts';
import { Cost } from './cost.ts';
import { costOfDrive, rememberDriveEnergy } from './derived-cost.ts';
import { DriveEnd, endOf, startOf } from './drive-end.ts';
import { DriveFilter, type DriveFilterShape, driveConditions } from './drive-filter.ts';
import { DrivePurpose, DriveState, Source } from './enums.ts';
import { list } from './list.ts';
import { vehicleById } from './loaders.ts';
import { Path, pathArgs, pathIn } from './path.ts';
import { seesExactly } from './precision.ts';
import { trackCost } from './track.ts';
import { Vehicle } from './vehicle.ts';

/** What a place put on a drive tells that it ended there, and is not told apart from what a person put. */
async function wordsAreTold({ placeDefaults, vehicleId }: DriveRow, context: Context) {
  return !placeDefaults || (await seesExactly(context, vehicleId));
}

/** A drive of a vehicle. */
export const Drive = builder.prismaNode('Drive', {
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
      description: 'The vehicle that drove.',
      resolve: (drive, _args, context) => vehicleById(context).load(drive.vehicleId),
    }),
    state: t.expose('state', { type: DriveState }),
    discardReason: t.exposeString('discardReason', { nullable: true }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    durationS: t.exposeInt('durationS', { nullable: true }),
    start: t.field({
      type: DriveEnd,
      description: 'The vehicle where the drive started.',
      resolve: startOf,
    }),
    end: t.field({
      type: DriveEnd,
      nullable: true,
      description: 'The vehicle where the drive ended; null while it is under way.',
      resolve: endOf,
    }),
    distanceKm: t.exposeFloat('distanceKm'),
    odometerDistanceKm: t.exposeFloat('odometerDistanceKm', { nullable: true }),
    energyUsedKwh: t.exposeFloat('energyUsedKwh', { nullable: true }),
    energyRegenKwh: t.exposeFloat('energyRegenKwh', { nullable: true }),
    efficiencyWhPerKm: t.exposeFloat('efficiencyWhPerKm', { nullable: true }),
    reducedRange: t.exposeBoolean('reducedRange'),
    isPrecise: t.exposeBoolean('isPrecise'),
    speedMaxKmh: t.exposeFloat('speedMaxKmh', { nullable: true }),
    speedAvgKmh: t.exposeFloat('speedAvgKmh', { nullable: true }),
    powerMaxKw: t.exposeFloat('powerMaxKw', { nullable: true }),
    powerMinKw: t.exposeFloat('powerMinKw', { nullable: true }),
    ascentM: t.exposeFloat('ascentM', { nullable: true }),
    descentM: t.exposeFloat('descentM', { nullable: true }),
    insideTempAvgC: t.exposeFloat('insideTempAvgC', { nullable: true }),
    outsideTempAvgC: t.exposeFloat('outsideTempAvgC', { nullable: true }),
    selfDrivingDistanceKm: t.exposeFloat('selfDrivingDistanceKm', { nullable: true }),
    sampleCount: t.exposeInt('sampleCount'),
    path: t.field({
      type: Path,
      description: 'The way it went; up to now while it is under way.',
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
    tags: t.stringList({
      description:
        'Words that a person or the place it ended at put on it; where positions are not told exactly, those of drives that no place put words on.',
      resolve: async (drive, _args, context) =>
        (await wordsAreTold(drive, context)) ? drive.tags : [],
    }),
    purpose: t.field({
      type: DrivePurpose,
      nullable: true,
      description: 'Why it was made; told like its tags.',
      resolve: async (drive, _args, context) =>
        (await wordsAreTold(drive, context)) ? drive.purpose : null,
    }),
    note: t.exposeString('note', { nullable: true }),
    driver: t.exposeString('driver', { nullable: true }),
    cost: t.field({
      type: Cost,
      nullable: true,
      description:
        'What the energy cost, at the mean price of the charges before it; null where that is not known, or positions are not told exactly.',
      resolve: costOfDrive,
    }),
    source: t.expose('source', { type: Source }),
    simulated: t.exposeBoolean('simulated'),
    editedAt: t.expose('editedAt', { type: 'DateTime', nullable: true }),
    deletedAt: t.expose('deletedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

/** A page of drives. */
export const DriveConnection = connection('Drive', Drive, { guard: vehicles, rows: 'drives' });

/** A drive in a list, with what its cost and its addresses are made of where they are asked for. */
type ListedDrive = DriveRow & { energyBefore?: DriveEnergy; addresses?: FoundAddress[] };

function rememberBeside(drive: ListedDrive, context: Context): void {
  const { id, vehicleId, energyBefore, addresses } = drive;
  if (energyBefore !== undefined) rememberDriveEnergy(id, energyBefore, context);
  if (addresses === undefined) return;
  const ends = [
    [drive.startLatitude, drive.startLongitude],
    [drive.endLatitude, drive.endLongitude],
  ] as const;
  const keys = ends.flatMap(([latitude, longitude]) =>
    latitude === null || longitude === null ? [] : [addressKey(vehicleId, latitude, longitude)],
  );
  rememberAddresses(keys, addresses, context);
}

/** Drives of what `belongs` ties them to. */
export function driveList(name: string, belongs: Prisma.Sql) {
  return list<ListedDrive, DriveFilterShape>({
    name,
    source: {
      from: Prisma.sql`drive`,
      columns: columnsOf('Drive'),
      belongs,
      key: { column: 'started_at', name: 'startedAt' },
      id: { column: 'id', name: 'id', type: 'uuid' },
    },
    keyOf: (drive) => drive.startedAt,
    idOf: (drive) => drive.id,
    where: driveConditions,
    beside: {
      cost: Prisma.sql`${driveEnergyColumn} AS "energyBefore"`,
      address: Prisma.sql`${driveAddressesColumn} AS "addresses"`,
    },
    seen: rememberBeside,
  });
}

const drivesOfVehicle = driveList('drives', Prisma.sql`t.vehicle_id = p.parent::uuid`);

builder.prismaObjectField(Vehicle, 'drives', (t) =>
  t.field({
    type: DriveConnection,
    description: 'Its drives, the newest first.',
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: DriveFilter, description: 'Which drives to list.' }),
    },
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => drivesOfVehicle(vehicle.id, args, context, info),
  }),
);

builder.queryField('drive', (t) =>
  t.prismaField({
    type: Drive,
    nullable: true,
    description: 'One drive; null when it is missing, deleted or not yours.',
    authScopes: vehicles,
    args: { id: t.arg.id({ required: true, description: 'Id of the drive.' }) },
    resolve: (query, _root, { id }, context) => {
      const uuid = uuidOf('Drive', id);
      if (uuid === null) return null;
      return context.prisma.drive.findFirst({
        ...query,
        where: { id: uuid, deletedAt: null, ...visibleThroughVehicle(caller(context)) },
      });
    },
  }),
);
