import { cancelCommand } from '../actions/cancel-command.ts';
import { deadlineS } from '../actions/command-parts.ts';
import type { SentCommand } from '../actions/command-request.ts';
import { sendCommand } from '../actions/send-command.ts';
import { sendMakerCommand } from '../actions/send-maker-command.ts';
import { unknownCommand } from '../actions/unknown-command.ts';
import { ServiceError } from '../base/errors.ts';
import { uuidOf } from '../base/ids.ts';
import { moneyLeftInAll } from '../contract/budget.ts';
import { readParams } from '../contract/command-params.ts';
import type { CommandParams, CommandRow } from '../contract/commands/command.ts';
import {
  type CommandName,
  commandEntries,
  commandNamed,
  commandRow,
  fieldName,
  type NamedCommand,
} from '../contract/commands.ts';
import type {
  Command as CommandStored,
  Vehicle as VehicleRow,
} from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { Command, visibleCommands } from './command.ts';
import { commandInput, type SendInput, sendFields } from './command-inputs.ts';
import { commanded } from './command-quotas.ts';
import type { Guard } from './connection.ts';
import { type Context, caller, commandDesk } from './context.ts';
import { moneyText } from './money.ts';
import { vehicleNamed } from './vehicle.ts';

const controls = { controls: true } as const satisfies Guard;

const CommandPayload = builder.objectRef<SentCommand>('CommandPayload').implement({
  description: 'The command that was given.',
  authScopes: controls,
  fields: (t) => ({
    command: t.field({
      type: Command,
      description: 'The command, and what became of it so far.',
      resolve: ({ command }) => command,
    }),
    budgetRemaining: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'What the vehicle and its maker account may still spend this month, in major units; null for no limit.',
      resolve: async ({ command }, _args, context) => remainingFor(command, context),
    }),
    replayed: t.exposeBoolean('replayed', {
      description: 'Whether it is the command of an earlier request with the same idempotency key.',
    }),
  }),
});

/** What is left of the budgets of the vehicle and of the account that a command was sent through. */
async function remainingFor(
  { vehicleId }: CommandStored,
  { prisma, maker }: Context,
): Promise<string | null> {
  const select = { makerAccountId: true } as const;
  const vehicle =
    vehicleId === null
      ? null
      : await prisma.vehicle.findUnique({ where: { id: vehicleId }, select });
  const id = vehicle?.makerAccountId ?? null;
  if (id === null || vehicleId === null) return null;
  const standings = await maker.ledger.standings([id, vehicleId]);
  const left = moneyLeftInAll(standings.filter((one) => one !== null));
  return left === null ? null : moneyText(left);
}

async function vehicleOf(publicId: string, context: Context): Promise<VehicleRow> {
  const where = vehicleNamed(publicId, context);
  const vehicle = await context.prisma.vehicle.findFirst({ where });
  if (vehicle === null) throw new ServiceError('not_found', 'No vehicle is found here.');
  commanded(context).vehicleId = vehicle.id;
  return vehicle;
}

/** What of a request is the same for every command. */
async function commonOf(input: SendInput, context: Context) {
  return {
    vehicle: await vehicleOf(input.publicId, context),
    principal: caller(context),
    requestId: context.requestId,
    confirm: input.confirm ?? ('VERIFY' as const),
    wake: input.wake ?? true,
    deadlineSeconds: input.deadlineSeconds ?? deadlineS.usual,
    waitSeconds: input.waitSeconds ?? 0,
    idempotencyKey: input.idempotencyKey ?? null,
    overrideBudget: input.overrideBudget ?? false,
  };
}

async function send(
  named: NamedCommand,
  { input, params }: { input: SendInput; params: CommandParams },
  context: Context,
): Promise<SentCommand> {
  const common = await commonOf(input, context);
  const via = named.legacy && context.via === 'REST' ? 'LEGACY' : (context.via ?? 'GRAPHQL');
  return sendCommand(commandDesk(context), { ...common, name: named.name, params, via });
}

/** The command's own parameters in an input, by the names of the catalogue. */
function ownParams(input: object, row: CommandRow): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(row.params)) {
    const value: unknown = Reflect.get(input, fieldName(name));
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** A mutation for a command, or for a shortcut to one, whose parameters that are given by it are not asked for. */
function addMutation(
  mutation: string,
  { command, sentence, preset }: { command: CommandName; sentence: string; preset: CommandParams },
): void {
  const row = commandRow(command);
  const given = Object.keys(preset);
  const Input = commandInput(mutation, { command, row, given });
  const danger =
    row.danger === true ? ' Handle with care: it opens or changes what protects the vehicle.' : '';
  builder.mutationField(fieldName(mutation), (t) =>
    t.field({
      type: CommandPayload,
      description: `${sentence}${danger}`,
      authScopes: controls,
      args: {
        input: t.arg({ type: Input, required: true, description: 'Which vehicle, and how.' }),
      },
      resolve: (_root, { input }, context) => {
        const named = { name: command, row, params: preset, legacy: false };
        const params = readParams(named, { values: ownParams(input, row), texts: false });
        return send(named, { input, params }, context);
      },
    }),
  );
}

for (const [command, row] of commandEntries()) {
  if (row.surface === 'passthrough') continue;
  addMutation(command, { command, sentence: row.sentence, preset: {} });
  for (const [shortcut, { sentence, params }] of Object.entries(row.shortcuts ?? {})) {
    addMutation(shortcut, { command, sentence, preset: params });
  }
}

const SendCommandInput = builder.inputType('SendCommandInput', {
  description: 'A command by its name.',
  fields: (t) => ({
    ...sendFields(t),
    name: t.string({
      required: true,
      description: 'Name of the command, as in `commandCatalogue`, or an older one.',
    }),
    params: t.field({
      type: 'JSON',
      description: 'Its parameters by the names of the catalogue, as an object.',
    }),
    texts: t.boolean({
      defaultValue: false,
      description: 'Whether numbers and truth values among the parameters are given as text.',
    }),
  }),
});

function objectOf(params: unknown): Readonly<Record<string, unknown>> {
  if (params === undefined || params === null) return {};
  if (typeof params !== 'object' || Array.isArray(params)) {
    throw new ServiceError('validation_failed', 'The parameters must be an object.');
  }
  return Object.fromEntries(Object.entries(params));
}

const SendMakerCommandInput = builder.inputType('SendMakerCommandInput', {
  description: 'A command under the maker’s own name.',
  fields: (t) => ({
    ...sendFields(t),
    makerName: t.string({ required: true, description: 'The maker’s name of the command.' }),
    body: t.field({ type: 'JSON', description: 'The maker’s own parameters, as an object.' }),
  }),
});

builder.mutationFields((t) => ({
  sendCommand: t.field({
    type: CommandPayload,
    description: 'Sends a command by its name.',
    authScopes: controls,
    args: {
      input: t.arg({ type: SendCommandInput, required: true, description: 'Which one, and how.' }),
    },
    resolve: (_root, { input }, context) => {
      const named = commandNamed(input.name);
      if (named === null) throw unknownCommand(input.name);
      const texts = input.texts ?? false;
      const params = readParams(named, { values: objectOf(input.params), texts });
      return send(named, { input, params }, context);
    },
  }),
  sendMakerCommand: t.field({
    type: CommandPayload,
    description:
      'Sends a command under the maker’s own name, with the maker’s own parameters, through the same ledger.',
    authScopes: controls,
    args: {
      input: t.arg({
        type: SendMakerCommandInput,
        required: true,
        description: 'Which one, and how.',
      }),
    },
    resolve: async (_root, { input }, context) => {
      const common = await commonOf(input, context);
      const { makerName, body } = input;
      return sendMakerCommand(commandDesk(context), { ...common, makerName, body });
    },
  }),
  cancelCommand: t.field({
    type: CommandPayload,
    description: 'Takes back a command that was not sent yet.',
    authScopes: controls,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the command.' }),
      publicId: t.arg.id({
        description: 'Public id of a vehicle. A command of another one is not found.',
      }),
    },
    resolve: async (_root, { id, publicId }, context) => {
      const principal = caller(context);
      const uuid = uuidOf('Command', id);
      const vehicle = publicId == null ? {} : { vehicle: vehicleNamed(publicId, context) };
      const where = { id: uuid ?? '', ...visibleCommands(principal), ...vehicle };
      const command = uuid === null ? null : await context.prisma.command.findFirst({ where });
      if (command === null) throw new ServiceError('not_found', 'No command is found here.');
      const { requestId } = context;
      const ended = await cancelCommand(commandDesk(context), { command, principal, requestId });
      return { command: ended, replayed: false };
    },
  }),
}));
