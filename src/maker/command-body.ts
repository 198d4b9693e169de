import { kmFromMiles, milesFromKm } from '../base/units.ts';
import { weekdays } from '../contract/command-params.ts';
import type {
  CommandParams,
  CommandRow,
  Conversion,
  MakerUse,
  Param,
  ParamValue,
  Signing,
} from '../contract/commands/command.ts';
import { type CommandName, commandOfMaker, commandRow } from '../contract/commands.ts';

/** One request to the maker: the command's name in its path, who may carry it, and its body. */
export type MakerCall = {
  command: string;
  signing: Signing;
  body: Readonly<Record<string, unknown>>;
};

/** What the maker is asked for a command: one call, or several where the row uses several. */
export function callsOf(row: CommandRow, params: CommandParams): MakerCall[] {
  return row.maker
    .filter(({ when }) => isUsed(when, params))
    .map((use) => ({ command: use.command, signing: use.signing, body: bodyOf(row, use, params) }));
}

function isUsed(when: MakerUse['when'], params: CommandParams): boolean {
  if (when === undefined) return true;
  const value = params[when.param];
  return value !== undefined && (when.is === undefined || value === when.is);
}

function bodyOf(
  row: CommandRow,
  { takes, given = {}, fixed = {} }: MakerUse,
  params: CommandParams,
) {
  const body: Record<string, unknown> = { ...fixed };
  for (const [name, param] of Object.entries(row.params)) {
    if (takes !== undefined && !takes.includes(name)) continue;
    const value = params[name] ?? (param.elseAs === undefined ? undefined : params[param.elseAs]);
    if (value === undefined) continue;
    for (const wire of wireNames(param)) body[wire] = wireValue(param, value);
  }
  for (const [wire, name] of Object.entries(given)) body[wire] = params[name] !== undefined;
  return body;
}

function wireNames({ wire }: Param): readonly string[] {
  return typeof wire === 'string' ? [wire] : wire;
}

const outward: { readonly [C in Conversion]: (value: number) => number } = {
  mph: (kmh) => Math.round(milesFromKm(kmh)),
  plus_one: (level) => level + 1,
};

const inward: { readonly [C in Conversion]: (value: number) => number } = {
  mph: kmFromMiles,
  plus_one: (level) => level - 1,
};

/** The maker's short words for days, in the order of `weekdays` (maker.md §2.3). */
const dayWords = ['Sun', 'Mon', 'Tues', 'Wed', 'Thurs', 'Fri', 'Sat'] as const;

function wireValue(param: Param, value: ParamValue): unknown {
  if (param.kind === 'choice') return param.choices[String(value)]?.wire;
  if (param.kind === 'days' && Array.isArray(value)) {
    return dayWords.filter((_, index) => value.includes(weekdays[index])).join(',');
  }
  if (param.kind === 'places' && Array.isArray(value)) {
    return value.map((id) => `refId:${id}`).join(',');
  }
  if ((param.kind === 'int' || param.kind === 'float') && typeof value === 'number') {
    return param.convert === undefined ? value : outward[param.convert](value);
  }
  return value;
}

/** A command as the maker's own interface names it, in our words; or why the maker's interface would refuse it. */
export type FromMaker =
  | { ok: true; name: CommandName; values: Record<string, unknown> }
  | { ok: false; reason: string };

/**
 * Reads the maker's name and body for the pass-through. What is unknown is refused in the words of the maker's own
 * interface (maker.md §1.9); the values are still to be held against the row.
 */
export function fromMaker(
  makerName: string,
  body: Readonly<Record<string, unknown>>,
): FromMaker | null {
  const name = commandOfMaker(makerName);
  if (name === null) return null;
  const row = commandRow(name);
  const use = row.maker.find(({ command }) => command === makerName);
  const values: Record<string, unknown> = {};
  if (use?.when?.is !== undefined) values[use.when.param] = use.when.is;
  const ignored = [
    ...Object.keys(use?.given ?? {}),
    ...Object.keys(use?.fixed ?? {}),
    'timestamp_ms',
  ];
  for (const [wire, value] of Object.entries(body)) {
    if (ignored.includes(wire)) continue;
    const found = Object.entries(row.params).find(
      ([own, param]) => (use?.takes?.includes(own) ?? true) && wireNames(param).includes(wire),
    );
    if (found === undefined) return { ok: false, reason: `invalid ${wire} param` };
    const [own, param] = found;
    const read = ourValue(param, value);
    if (read === undefined) return { ok: false, reason: `invalid ${wire} param` };
    values[own] = read;
  }
  return { ok: true, name, values };
}

function ourValue(param: Param, value: unknown): unknown {
  if (param.kind === 'choice') {
    return Object.entries(param.choices).find(([, { wire }]) => wire === value)?.[0];
  }
  if (param.kind === 'days') return typeof value === 'string' ? daysNamed(value) : undefined;
  if (param.kind === 'places') {
    return typeof value === 'string'
      ? value.split(',').map((part) => part.trim().replace(/^refId:/, ''))
      : undefined;
  }
  if ((param.kind === 'int' || param.kind === 'float') && param.convert !== undefined) {
    return typeof value === 'number' ? inward[param.convert](value) : undefined;
  }
  return value;
}

function daysNamed(text: string): string[] | undefined {
  const words = text.split(',').map((word) => word.trim().toUpperCase());
  const days = words.flatMap((word) => {
    if (word === 'ALL') return [...weekdays];
    if (word === 'WEEKDAYS') return weekdays.slice(1, 6);
    const found = weekdays.filter(
      (day, index) => day === word || dayWords[index]?.toUpperCase() === word,
    );
    return found.length === 0 ? ['?'] : found;
  });
  return days.includes('?') ? undefined : days;
}
