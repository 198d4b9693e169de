import { isAllowed, isOffered, isSupported } from '../actions/command-checks.ts';
import { meaningOf, ruleOf } from '../contract/command-rules.ts';
import { type CommandRow, commandGroups, type Param } from '../contract/commands/command.ts';
import { type CommandName, commandEntries } from '../contract/commands.ts';
import { builder } from './builder.ts';
import { ledger } from './command-parts.ts';
import { caller } from './context.ts';
import { vehicleNamed } from './vehicle.ts';

/** The catalogue speaks of parameters by its own names. */
const asItIs = (name: string) => name;

type CatalogueParam = { name: string; param: Param };

const CommandParameter = builder.objectRef<CatalogueParam>('CommandParameter').implement({
  description: 'A parameter of a command.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    kind: t.string({
      description: 'What it is: boolean, int, float, choice, days, text, places or pin.',
      resolve: ({ param }) => param.kind,
    }),
    description: t.string({
      description: 'What it means.',
      resolve: ({ param }) => meaningOf(param, asItIs),
    }),
    required: t.boolean({
      description: 'Whether it has to be given.',
      resolve: ({ param }) => param.optional !== true,
    }),
    secret: t.boolean({
      description: 'Whether it is a secret, which the ledger does not keep.',
      resolve: ({ param }) => param.kind === 'pin',
    }),
    unit: t.string({
      nullable: true,
      description: 'Its unit; null for what has none.',
      resolve: ({ param }) => ('unit' in param ? (param.unit ?? null) : null),
    }),
    min: t.float({
      nullable: true,
      description: 'Least value of a number.',
      resolve: ({ param }) => ('min' in param ? param.min : null),
    }),
    max: t.float({
      nullable: true,
      description: 'Greatest value of a number.',
      resolve: ({ param }) => ('max' in param ? param.max : null),
    }),
    step: t.float({
      nullable: true,
      description: 'The steps of a number; null where there are none.',
      resolve: ({ param }) => ('step' in param ? (param.step ?? null) : null),
    }),
    choices: t.stringList({
      nullable: true,
      description: 'The words of a choice.',
      resolve: ({ param }) => (param.kind === 'choice' ? Object.keys(param.choices) : null),
    }),
  }),
});

type Entry = { name: CommandName; row: CommandRow };

const CatalogueCommand = builder.objectRef<Entry>('CatalogueCommand').implement({
  description: 'A command that the service knows.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its canonical name.' }),
    aliases: t.stringList({
      description: 'Its other names: shortcuts that give some of its parameters, and older ones.',
      resolve: ({ row }) => [
        ...(row.legacy === undefined ? [] : [row.legacy]),
        ...Object.entries(row.shortcuts ?? {}).flatMap(([name, { legacy }]) => [
          name,
          ...(legacy === undefined ? [] : [legacy]),
        ]),
      ],
    }),
    makerCommands: t.stringList({
      description: 'The maker’s commands that it uses.',
      resolve: ({ row }) => row.maker.map(({ command }) => command),
    }),
    group: t.string({ description: 'Its group.', resolve: ({ row }) => row.group }),
    groupDescription: t.string({
      description: 'What the group is about.',
      resolve: ({ row }) => commandGroups[row.group],
    }),
    description: t.string({ description: 'What it does.', resolve: ({ row }) => row.sentence }),
    parameters: t.field({
      type: [CommandParameter],
      description: 'What it takes.',
      resolve: ({ row }) => Object.entries(row.params).map(([name, param]) => ({ name, param })),
    }),
    rule: t.string({
      nullable: true,
      description: 'Which of the optional parameters have to be given; null where none has.',
      resolve: ({ row }) => ruleOf(row, asItIs),
    }),
    danger: t.boolean({
      description: 'Whether it opens the vehicle, lets it be driven or is hard to take back.',
      resolve: ({ row }) => row.danger === true,
    }),
    idempotent: t.boolean({
      description: 'Whether repeating it is always harmless.',
      resolve: ({ row }) => row.idempotent === true,
    }),
    verifiable: t.boolean({
      description: 'Whether the vehicle’s state shows that it happened.',
      resolve: ({ row }) => row.verify !== undefined,
    }),
    capability: t.string({
      nullable: true,
      description: 'What the vehicle has to be able to do; null where every vehicle is.',
      resolve: ({ row }) => row.needs ?? null,
    }),
    precondition: t.string({
      nullable: true,
      description: 'What has to be so: parked, plugged_in or climate_on; null for nothing.',
      resolve: ({ row }) => row.precondition?.is ?? null,
    }),
    signed: t.boolean({
      description: 'Whether newer vehicles take it only signed.',
      resolve: ({ row }) =>
        row.maker.some(({ signing }) => signing === 'INFOTAINMENT' || signing === 'SECURITY'),
    }),
    passThroughOnly: t.boolean({
      description:
        'Whether it is offered under the maker’s own name only, and only where the operator allows it.',
      resolve: ({ row }) => row.surface === 'passthrough',
    }),
  }),
});

const listCost = { field: 1, multiplier: commandEntries().length };

builder.queryFields((t) => ({
  commandCatalogue: t.field({
    type: [CatalogueCommand],
    description: 'Every command that the service knows.',
    complexity: listCost,
    resolve: () => commandEntries().map(([name, row]) => ({ name, row })),
  }),
  supportedCommands: t.field({
    type: [CatalogueCommand],
    nullable: true,
    description:
      'The commands that the caller’s credential can send to a vehicle here; null when the vehicle is missing or not yours.',
    authScopes: ledger,
    args: { publicId: t.arg.id({ required: true, description: 'Public id of the vehicle.' }) },
    complexity: listCost,
    resolve: async (_root, { publicId }, context) => {
      const where = vehicleNamed(publicId, context);
      const vehicle = await context.prisma.vehicle.findFirst({ where });
      const principal = caller(context);
      const parts = context.desk?.parts ?? { groups: ['all'], adminCommands: false };
      return vehicle === null
        ? null
        : commandEntries()
            .map(([name, row]) => ({ name, row }))
            .filter(({ row }) => isOffered(row, parts) && isAllowed(row, principal))
            .filter(({ row }) => isSupported(row, vehicle));
    },
  }),
}));
