import { priceOf } from '../contract/budget.ts';
import type { CallCategory } from '../contract/spend.ts';
import type { SpendRates } from '../ingest/standing.ts';
import type {
  Command,
  CommandTransition as TransitionRow,
} from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { CommandState, SpendCategory } from './enums.ts';
import { groupedBy } from './loaders.ts';
import { moneyText } from './money.ts';

/** The ledger is read by those who may read vehicles and by those who may command them (contract §0). */
export const ledger = { $any: { vehicles: true, controls: true } } as const satisfies Guard;

/** Steps in the life of commands, the first first. */
export const historyOf = groupedBy<TransitionRow>(
  (transition) => transition.commandId,
  (ids, { prisma }) =>
    prisma.commandTransition.findMany({
      where: { commandId: { in: ids } },
      orderBy: [{ commandId: 'asc' }, { ordinal: 'asc' }],
    }),
);

/** One step in a command's life. */
export const CommandTransition = builder.prismaObject('CommandTransition', {
  authScopes: ledger,
  fields: (t) => ({
    state: t.expose('state', { type: CommandState }),
    at: t.expose('at', { type: 'DateTime' }),
    note: t.exposeString('note', { nullable: true }),
  }),
});

/** Who gave a command. */
export const CommandCaller = builder.objectRef<Command>('CommandCaller').implement({
  description: 'Who gave a command.',
  authScopes: ledger,
  fields: (t) => ({
    kind: t.exposeString('requestedByKind', {
      description: 'Kind of the caller: USER, TOKEN, APP, MCP or SCHEDULE.',
    }),
    id: t.exposeString('requestedById', {
      nullable: true,
      description: 'Id of the caller’s credential.',
    }),
    name: t.exposeString('requestedByName', {
      nullable: true,
      description: 'Name of the caller’s credential.',
    }),
  }),
});

/** What a command took of one category at the maker, and how the account stood when it was asked for. */
type Cost = { category: CallCategory; units: number; rates: SpendRates };

/** What a command took at the maker, by category; nothing of what it did not take. */
export function costOf(command: Command, rates: SpendRates): Cost[] {
  const { costCommands, costWakes, costData } = command;
  const units = { COMMAND: costCommands, WAKE: costWakes, DATA: costData };
  return (['COMMAND', 'WAKE', 'DATA'] as const)
    .map((category) => ({ category, units: units[category], rates }))
    .filter((cost) => cost.units > 0);
}

/** What a command cost. */
export const CommandCost = builder.objectRef<Cost>('CommandCost').implement({
  description: 'What a command took of one category at the maker.',
  authScopes: ledger,
  fields: (t) => ({
    category: t.expose('category', { type: SpendCategory, description: 'What it took.' }),
    units: t.exposeInt('units', { description: 'How often.' }),
    estimated: t.field({
      type: 'Decimal',
      description: 'What that costs by the list prices, in major units.',
      resolve: ({ category, units, rates }) => moneyText(priceOf(category, units, rates.prices)),
    }),
    currency: t.string({
      description: 'Currency of it, ISO 4217.',
      resolve: ({ rates }) => rates.currency,
    }),
  }),
});

/** Why a command did not succeed. */
export const CommandFailure = builder.objectRef<Command>('CommandFailure').implement({
  description: 'Why a command did not succeed.',
  authScopes: ledger,
  fields: (t) => ({
    code: t.exposeString('failureCode', { nullable: true, description: 'Error word.' }),
    message: t.exposeString('failureMessage', {
      nullable: true,
      description: 'Sentence about the failure.',
    }),
    makerReason: t.exposeString('makerReason', {
      nullable: true,
      description: 'The maker’s reason, in the maker’s words.',
    }),
    retryable: t.exposeBoolean('retryable', {
      nullable: true,
      description: 'Whether asking again may help.',
    }),
    retryAt: t.expose('retryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When asking again may help; null where nobody said.',
    }),
  }),
});

/** What the maker answered to a command. */
export const CommandResult = builder.objectRef<Command>('CommandResult').implement({
  description: 'What the maker answered to a command.',
  authScopes: ledger,
  fields: (t) => ({
    makerResult: t.exposeBoolean('makerResult', {
      nullable: true,
      description: 'The maker’s result.',
    }),
    makerReason: t.exposeString('makerReason', {
      nullable: true,
      description: 'The maker’s reason, in the maker’s words.',
    }),
  }),
});
