import { chargingCommands } from './commands/charging.ts';
import { climateCommands } from './commands/climate.ts';
import { closureCommands } from './commands/closures.ts';
import type { CommandParams, CommandRow } from './commands/command.ts';
import { mediaCommands } from './commands/media.ts';
import { securityCommands } from './commands/security.ts';

/**
 * Every command of a vehicle, once, under its canonical name (contract §0, §11; maker.md §2): mutations, REST names, the
 * pass-through, the maker's body, verification and the README table follow from it.
 */
export const commands = { ...closureCommands, ...climateCommands, ...chargingCommands, ...mediaCommands, ...securityCommands } as const;

type Table = typeof commands;
export type CommandName = keyof Table;

/** Every command of the maker that a row uses. */
export type MakerCommandName = { [N in CommandName]: Table[N]['maker'][number]['command'] }[CommandName];

/** A command as somebody asked for it: the row, what a shortcut gave already, and whether the name is a legacy one. */
export type NamedCommand = { name: CommandName; row: CommandRow; params: CommandParams; legacy: boolean };

/** The table row by row, with every row of one type. */
export function commandEntries(): [CommandName, CommandRow][] {
  return Object.entries(commands) as [CommandName, CommandRow][];
}

/** Type guard for canonical names. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** A row with the general type, by its canonical name. */
export function commandRow(name: CommandName): CommandRow {
  return commands[name];
}

const byName = new Map<string, NamedCommand>();
const byMakerName = new Map<string, CommandName>();

function enter(index: Map<string, NamedCommand>, name: string, command: NamedCommand): void {
  if (index.has(name)) throw new Error(`Two commands are called ${name}.`);
  index.set(name, command);
}

for (const [name, row] of commandEntries()) {
  for (const { command } of row.maker) {
    if (byMakerName.has(command)) throw new Error(`Two rows use the maker's ${command}.`);
    byMakerName.set(command, name);
  }
  if (row.surface === 'passthrough') continue;
  enter(byName, name, { name, row, params: {}, legacy: false });
  if (row.legacy !== undefined) enter(byName, row.legacy, { name, row, params: {}, legacy: true });
  for (const [shortcut, { params, legacy }] of Object.entries(row.shortcuts ?? {})) {
    enter(byName, shortcut, { name, row, params, legacy: false });
    if (legacy !== undefined) enter(byName, legacy, { name, row, params, legacy: true });
  }
}

/** The command of a canonical name, a shortcut or a legacy alias, as REST and `sendCommand` take them; null for any other. */
export function commandNamed(name: string): NamedCommand | null {
  return byName.get(name) ?? null;
}

/** Every name that REST and `sendCommand` take. */
export function commandNames(): string[] {
  return [...byName.keys()];
}

/** The row that uses a command of the maker; null for a name the maker does not have. */
export function commandOfMaker(makerName: string): CommandName | null {
  return byMakerName.get(makerName) ?? null;
}

/** Every name that the pass-through takes. */
export function makerCommandNames(): string[] {
  return [...byMakerName.keys()];
}

/** GraphQL spelling of a name of the catalogue: `set_charge_limit` is `setChargeLimit`. */
export function fieldName(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
