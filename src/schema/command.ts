import type { Principal } from '../auth/principal.ts';
import { uuidOf } from '../base/ids.ts';
import { type Command as CommandRow, Prisma } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { builder } from './builder.ts';
import {
  CommandCaller,
  CommandCost,
  CommandFailure,
  CommandResult,
  CommandTransition,
  costOf,
  historyOf,
  ledger,
} from './command-parts.ts';
import { commandPrecision, placedParameters } from './command-places.ts';
import { connection, orderArg, pageArgs, pageCost } from './connection.ts';
import { caller } from './context.ts';
import { CommandConfirm, CommandState, CommandVia } from './enums.ts';
import { between, conditions, oneOf } from './filters.ts';
import { list } from './list.ts';
import { vehicleById } from './loaders.ts';
import { Vehicle, vehicleNamed } from './vehicle.ts';

/** Commands a caller may see: the account's, and of those only the ones of its vehicles where it is limited to some. */
export function visibleCommands({ accountId, vehicleIds }: Principal): Prisma.CommandWhereInput {
  return {
    accountId,
    ...(vehicleIds === null ? {} : { vehicleId: { in: [...vehicleIds] } }),
  };
}

/** A command as the ledger holds it. */
export const Command = builder.prismaNode('Command', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, AND: [visibleCommands(caller(context))] }),
  authScopes: ledger,
  fields: (t) => ({
    vehicle: t.field({
      type: Vehicle,
      nullable: true,
      description: 'The vehicle; null when it is gone.',
      authScopes: { vehicles: true },
      resolve: ({ vehicleId }, _args, context) =>
        vehicleId === null ? null : vehicleById(context).load(vehicleId),
    }),
    vehiclePublicId: t.exposeString('vehiclePublicId'),
    name: t.exposeString('name'),
    group: t.exposeString('group'),
    parameters: t.field({
      type: 'JSON',
      description:
        'Parameters; PINs are redacted, and places as exact as the caller may know them.',
      resolve: async ({ vehicleId, name, parameters }, _args, context) =>
        placedParameters(name, parameters, await commandPrecision(context, vehicleId)),
    }),
    state: t.expose('state', { type: CommandState }),
    stateChangedAt: t.expose('stateChangedAt', { type: 'DateTime' }),
    history: t.field({
      type: [CommandTransition],
      description: 'The states it went through, the first first.',
      resolve: ({ id }, _args, context) => historyOf(context).load(id),
    }),
    requestedBy: t.field({
      type: CommandCaller,
      description: 'Who gave it.',
      resolve: (command) => command,
    }),
    via: t.expose('via', { type: CommandVia }),
    confirm: t.expose('confirm', { type: CommandConfirm }),
    attempts: t.exposeInt('attempts'),
    wakeUsed: t.exposeBoolean('wakeUsed'),
    overrideBudget: t.exposeBoolean('overrideBudget'),
    cost: t.field({
      type: [CommandCost],
      description: 'What it took at the maker so far, by category; empty where nothing was sent.',
      resolve: (command, _args, { maker }) => costOf(command, maker.ledger.rates),
    }),
    idempotencyKey: t.exposeString('idempotencyKey', { nullable: true }),
    noOp: t.exposeBoolean('noOp'),
    verified: t.exposeBoolean('verified', { nullable: true }),
    result: t.field({
      type: CommandResult,
      nullable: true,
      description: 'What the maker answered; null while it did not.',
      resolve: (command) => (command.makerResult === null ? null : command),
    }),
    failure: t.field({
      type: CommandFailure,
      nullable: true,
      description: 'Why it did not succeed; null where it did or may still.',
      resolve: (command) => (command.failureCode === null ? null : command),
    }),
    simulated: t.boolean({
      nullable: true,
      description: 'Whether its vehicle is of the simulated garage; null when the vehicle is gone.',
      resolve: async ({ vehicleId }, _args, context) =>
        vehicleId === null
          ? null
          : ((await vehicleById(context).load(vehicleId))?.simulated ?? null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
  }),
});

type Filter = {
  from?: number | null;
  to?: number | null;
  name?: string[] | null;
  state?: string[] | null;
};

const CommandFilter = builder.inputRef<Filter>('CommandFilter').implement({
  description: 'Which commands to list; every given field must hold.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Given at or after.' }),
    to: t.field({ type: 'DateTime', description: 'Given before.' }),
    name: t.stringList({ description: 'With one of these canonical names.' }),
    state: t.field({ type: [CommandState], description: 'In one of the states.' }),
  }),
});

const CommandConnection = connection('Command', Command, { guard: ledger, rows: 'commands' });

const commandsOfVehicle = list<CommandRow, Filter>({
  name: 'commands',
  source: {
    from: Prisma.sql`command`,
    columns: columnsOf('Command'),
    belongs: Prisma.sql`t.vehicle_id = p.parent::uuid`,
    key: { column: 'created_at', name: 'createdAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (command) => command.createdAt,
  idOf: (command) => command.id,
  where: (filter, context) =>
    conditions([
      Prisma.sql`t.account_id = ${caller(context).accountId}::uuid`,
      between('created_at', filter?.from, filter?.to),
      oneOf('name', filter?.name),
      oneOf('state', filter?.state),
    ]),
});

builder.prismaObjectField(Vehicle, 'commands', (t) =>
  t.field({
    type: CommandConnection,
    description: 'The commands it was given, the newest first.',
    authScopes: ledger,
    skipTypeScopes: true,
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: CommandFilter, description: 'Which commands to list.' }),
    },
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => commandsOfVehicle(vehicle.id, args, context, info),
  }),
);

const vehicleArg = 'Public id of a vehicle.';

// Beside `Vehicle.commands`, because whoever may only send commands may follow them, and reads no vehicle.
builder.queryFields((t) => ({
  command: t.prismaField({
    type: Command,
    nullable: true,
    description: 'One command; null when it is missing or not yours.',
    authScopes: ledger,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the command.' }),
      publicId: t.arg.id({ description: `${vehicleArg} A command of another one is null.` }),
    },
    resolve: (query, _root, { id, publicId }, context) => {
      const uuid = uuidOf('Command', id);
      if (uuid === null) return null;
      const vehicle = publicId == null ? {} : { vehicle: vehicleNamed(publicId, context) };
      return context.prisma.command.findFirst({
        ...query,
        where: { id: uuid, ...visibleCommands(caller(context)), ...vehicle },
      });
    },
  }),
  commands: t.field({
    type: CommandConnection,
    nullable: true,
    description:
      'The commands a vehicle was given, the newest first; null when the vehicle is missing or not yours.',
    authScopes: ledger,
    args: {
      publicId: t.arg.id({ required: true, description: vehicleArg }),
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: CommandFilter, description: 'Which commands to list.' }),
    },
    complexity: pageCost,
    resolve: async (_root, { publicId, ...args }, context, info) => {
      const vehicle = await context.prisma.vehicle.findFirst({
        where: vehicleNamed(publicId, context),
        select: { id: true },
      });
      return vehicle === null ? null : commandsOfVehicle(vehicle.id, args, context, info);
    },
  }),
}));
