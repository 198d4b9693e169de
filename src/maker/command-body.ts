import type { FieldMessages } from '../base/errors.ts';
import { kmFromMiles, milesFromKm } from '../base/units.ts';
import { isUsed, weekdays } from '../contract/command-params.ts';
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
import { isObject } from './json.ts';

/** One request to the maker: the command's name in its path, who may carry it, and its body. */
export type MakerCall = {
  command: string;
  signing: Signing;
  body: Readonly<Record<string, unknown>>;
};

/** What the maker is asked for a command that was given at `at` (epoch ms): one call, or several where the row uses several. */
export function callsOf(row: CommandRow, params: CommandParams, at: number): MakerCall[] {
  return row.maker
    .filter(({ when }) => isUsed(when, params))
    .map((use) => ({
      command: use.command,
      signing: use.signing,
      body: {
        ...bodyOf(row, use, params),
        ...(use.stamped === undefined ? {} : { [use.stamped]: String(at) }),
      },
    }));
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
  // Whole, so that the maker's own bounds are ours; it comes back as the same whole mph.
  mph: (miles) => Math.round(kmFromMiles(miles)),
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
  const values: Record<string, unknown> = { ...use?.absent };
  if (use?.when?.is !== undefined) values[use.when.param] = use.when.is;
  const flags = use?.given ?? {};
  const ignored = [...Object.keys(flags), ...Object.keys(use?.fixed ?? {}), use?.stamped];
  const switchedOff = new Set<string>();
  for (const [flag, own] of Object.entries(flags)) {
    const on = body[flag] ?? true;
    if (typeof on !== 'boolean') return { ok: false, reason: `invalid ${flag} param` };
    if (!on) switchedOff.add(own);
  }
  for (const [wire, value] of Object.entries(body)) {
    const found = Object.entries(row.params).find(
      ([own, param]) => (use?.takes?.includes(own) ?? true) && wireNames(param).includes(wire),
    );
    if (found === undefined && ignored.includes(wire)) continue;
    if (found === undefined) return { ok: false, reason: `invalid ${wire} param` };
    const [own, param] = found;
    // Clients send a time that its own flag switches off, and an empty PIN where none is needed.
    if (switchedOff.has(own) || (param.kind === 'pin' && value === '')) continue;
    const read = ourValue(param, unwrapped(param, value));
    if (read === undefined) return { ok: false, reason: `invalid ${wire} param` };
    values[own] = read;
  }
  return { ok: true, name, values };
}

/** What is wrong with parameters of ours, by the maker's names and in the words of its own interface (maker.md §1.9). */
export function inMakerWords(
  name: CommandName,
  body: Readonly<Record<string, unknown>>,
  fields: FieldMessages,
): string[] {
  const { params } = commandRow(name);
  return Object.entries(fields).map(([own, sentences]) => {
    const param = Object.hasOwn(params, own) ? params[own] : undefined;
    const why = sentences.join(' ');
    if (param === undefined) return `${own}: ${why}`;
    const names = wireNames(param);
    const sent = names.find((wire) => Object.hasOwn(body, wire));
    if (sent === undefined) return `missing ${names[0] ?? own} param`;
    // The sentence of a converted value speaks of another unit than the one that was sent.
    const converted = 'convert' in param && param.convert !== undefined;
    return converted ? `invalid ${sent} param` : `invalid ${sent} param: ${why}`;
  });
}

function unwrapped(param: Param, value: unknown): unknown {
  return param.wrappedIn !== undefined && isObject(value) ? value[param.wrappedIn] : value;
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
