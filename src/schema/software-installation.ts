import {
  type SoftwareInstallation as InstallationRow,
  Prisma,
} from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { builder } from './builder.ts';
import { connection, orderArg, pageArgs, pageCost, vehicles } from './connection.ts';
import { caller } from './context.ts';
import { InstallationState } from './enums.ts';
import { conditions, oneOf } from './filters.ts';
import { list } from './list.ts';
import { softwareUpdateById } from './loaders.ts';
import { SoftwareUpdate } from './software-update.ts';
import { Vehicle } from './vehicle.ts';

/** A software version on its way into a vehicle, or in it. */
export const SoftwareInstallation = builder.prismaNode('SoftwareInstallation', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, ...visibleThroughVehicle(caller(context)) }),
  authScopes: vehicles,
  fields: (t) => ({
    softwareUpdate: t.field({
      type: SoftwareUpdate,
      nullable: true,
      description: 'The version.',
      resolve: (installation, _args, context) =>
        softwareUpdateById(context).load(installation.softwareUpdateId),
    }),
    state: t.expose('state', { type: InstallationState }),
    seenAt: t.expose('seenAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    simulated: t.exposeBoolean('simulated'),
  }),
});

type Filter = { state?: string[] | null };

const InstallationFilter = builder.inputRef<Filter>('SoftwareInstallationFilter').implement({
  description: 'Which installations to list; every given field must hold.',
  fields: (t) => ({
    state: t.field({ type: [InstallationState], description: 'In one of the states.' }),
  }),
});

const InstallationConnection = connection('SoftwareInstallation', SoftwareInstallation, {
  guard: vehicles,
  rows: 'installations',
});

const installations = list<InstallationRow, Filter>({
  name: 'software',
  source: {
    from: Prisma.sql`software_installation`,
    columns: columnsOf('SoftwareInstallation'),
    belongs: Prisma.sql`t.vehicle_id = p.parent::uuid`,
    key: { column: 'seen_at', name: 'seenAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (installation) => installation.seenAt,
  idOf: (installation) => installation.id,
  where: (filter) => conditions([oneOf('state', filter?.state)]),
});

builder.prismaObjectField(Vehicle, 'software', (t) =>
  t.field({
    type: InstallationConnection,
    description: 'Its software versions, the newest first.',
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: InstallationFilter, description: 'Which installations to list.' }),
    },
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => installations(vehicle.id, args, context, info),
  }),
);
