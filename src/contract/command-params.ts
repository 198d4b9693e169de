import { type FieldMessages, ServiceError } from '../base/errors.ts';
import { kmFromMiles } from '../base/units.ts';
import type { CommandParams, CommandRow, MakerUse, Param, ParamValue } from './commands/command.ts';
import type { NamedCommand } from './commands.ts';
import type { SignalValues } from './signals.ts';

/** Days of the week in the order of their bits at the maker, Sunday first. */
export const weekdays = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

/** What stands in the ledger instead of a PIN. */
export const REDACTED = '[redacted]';

/** A value that was read, or the sentence that says what is wrong with it. */
type Read = { ok: true; value: ParamValue } | { ok: false; sentence: string };

const good = (value: ParamValue): Read => ({ ok: true, value });
const wrong = (sentence: string): Read => ({ ok: false, sentence });

/** Parameters as a caller gave them: `texts` where they come from a query string, in which a number is text. */
export type GivenParams = { values: Readonly<Record<string, unknown>>; texts: boolean };

/**
 * The parameters of a command, those a shortcut gives among them. Throws `validation_failed` that says of every parameter
 * what is wrong with it, unknown ones included; nothing was spent by then (maker.md §2, "→ ours" 6).
 */
export function readParams({ row, params: preset, legacy }: NamedCommand, { values, texts }: GivenParams): CommandParams {
  const fields: FieldMessages = {};
  const params: Record<string, ParamValue> = { ...preset };
  const unsound = new Set<string>();
  for (const [key, value] of Object.entries(values)) {
    const name = legacy ? nameOfLegacy(row, key) : key;
    const param = Object.hasOwn(row.params, name) ? row.params[name] : undefined;
    if (param === undefined || Object.hasOwn(preset, name)) fields[key] = [noSuch(row, preset)];
    else if (value !== null && value !== undefined) {
      const read = readOne(param, texts ? fromText(param, value) : value);
      if (read.ok) params[name] = read.value;
      else {
        fields[key] = [read.sentence];
        unsound.add(name);
      }
    }
  }
  for (const [name, sentence] of lacking(row, params)) if (!unsound.has(name)) fields[name] = [sentence];
  if (Object.keys(fields).length === 0) for (const [name, sentence] of idle(row, params)) fields[name] = [sentence];
  refuse(fields);
  return params;
}

const HALF_A_MILE_KM = kmFromMiles(0.5);

type NumberParam = Param & { kind: 'int' | 'float' };

function refuse(fields: FieldMessages): void {
  const [[name, sentences] = []] = Object.entries(fields);
  if (name === undefined) return;
  throw new ServiceError('validation_failed', `\`${name}\`: ${sentences?.join(' ')}`, { fields });
}

/** Throws `validation_failed` where a number lies outside the bounds that the vehicle itself last reported. */
export function checkBounds(row: CommandRow, params: CommandParams, state: SignalValues): void {
  const fields: FieldMessages = {};
  for (const [name, param] of Object.entries(row.params)) {
    const value = params[name];
    if ((param.kind !== 'int' && param.kind !== 'float') || typeof value !== 'number') continue;
    const { least, most } = reportedBounds(param, state);
    const unit = param.unit === undefined ? '' : ` ${param.unit}`;
    if (value < least) fields[name] = [`This vehicle takes at least ${least}${unit}.`];
    if (value > most) fields[name] = [`This vehicle takes at most ${most}${unit}.`];
  }
  refuse(fields);
}

/** What the vehicle reported as bounds, in whole km/h where the maker is told whole mph: what is rounded to a bound is within it. */
function reportedBounds({ within, convert }: NumberParam, state: SignalValues) {
  const least = within?.min === undefined ? null : state[within.min];
  const most = within?.max === undefined ? null : state[within.max];
  const inMph = convert === 'mph';
  return {
    least: typeof least !== 'number' ? Number.NEGATIVE_INFINITY : inMph ? Math.ceil(least - HALF_A_MILE_KM) : least,
    most: typeof most !== 'number' ? Number.POSITIVE_INFINITY : inMph ? Math.floor(most + HALF_A_MILE_KM) : most,
  };
}

/** The parameters without what is secret, as they are stored and answered. */
export function redactedParams(row: CommandRow, params: CommandParams): CommandParams {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, row.params[name]?.kind === 'pin' ? REDACTED : value]));
}

/** Whether repeating a command with these parameters is harmless. */
export function isIdempotent({ idempotent }: CommandRow, params: CommandParams): boolean {
  if (typeof idempotent === 'boolean') return idempotent;
  const value = params[idempotent.param];
  return value !== undefined && (idempotent.is === undefined || value === idempotent.is);
}

function nameOfLegacy(row: CommandRow, key: string): string {
  return Object.entries(row.params).find(([, { legacy }]) => legacy === key)?.[0] ?? key;
}

function noSuch(row: CommandRow, preset: CommandParams): string {
  const own = Object.keys(row.params).filter((name) => !Object.hasOwn(preset, name));
  return own.length === 0 ? 'This command takes no parameters.' : `There is no such parameter; there is ${own.join(', ')}.`;
}

function* lacking(row: CommandRow, params: CommandParams): Generator<[string, string]> {
  const given = (name: string) => params[name] !== undefined;
  for (const [name, param] of Object.entries(row.params)) {
    if (given(name)) continue;
    const { neededWhen } = param;
    if (param.optional !== true) yield [name, 'This parameter is required.'];
    else if (neededWhen && params[neededWhen.param] === neededWhen.is) yield [name, `This parameter is required where ${neededWhen.param} is ${neededWhen.is}.`];
  }
  const { choose } = row;
  if (choose === undefined) return;
  const begun = choose.of.filter((names) => names.some(given));
  const whole = choose.of.filter((names) => names.every(given));
  const words = choose.of.map((names) => names.join(' and ')).join(', or ');
  const [first = ''] = choose.of[0] ?? [];
  if (whole.length === 0) yield [begun[0]?.find((name) => !given(name)) ?? first, `Give ${words}.`];
  else if (choose.how === 'one' && begun.length > 1) yield [begun[1]?.find(given) ?? first, `Give only one of: ${words}.`];
}

/** Parameters that nothing is done with, because they belong to others that were not given. */
function* idle({ maker, params: own }: CommandRow, params: CommandParams): Generator<[string, string]> {
  const used = maker.filter(({ when }) => isUsed(when, params));
  for (const name of Object.keys(own)) {
    const taking = maker.filter(({ takes, when }) => when?.param === name || (takes?.includes(name) ?? true));
    if (params[name] === undefined || taking.some((use) => used.includes(use))) continue;
    const others = taking.flatMap(({ when }) => (when === undefined ? [] : [when.param]));
    yield [name, `This parameter goes with ${[...new Set(others)].join(' or ')} only.`];
  }
}

/** Whether a command of the maker is used for these parameters. */
export function isUsed(when: MakerUse['when'], params: CommandParams): boolean {
  if (when === undefined) return true;
  const value = params[when.param];
  return value !== undefined && (when.is === undefined || value === when.is);
}

function fromText(param: Param, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  switch (param.kind) {
    case 'boolean':
      return /^(true|1|on)$/i.test(value) ? true : /^(false|0|off)$/i.test(value) ? false : value;
    case 'int':
    case 'float':
      return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    case 'days':
    case 'places':
      return value.split(',').map((part) => part.trim());
    default:
      return value;
  }
}

function readOne(param: Param, value: unknown): Read {
  switch (param.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? good(value) : wrong('Give true or false.');
    case 'int':
    case 'float':
      return readNumber(param, value);
    case 'choice': {
      const words = Object.keys(param.choices);
      const word = typeof value === 'string' ? words.find((one) => one === value.toUpperCase()) : undefined;
      return word === undefined ? wrong(`Give one of ${words.join(', ')}.`) : good(word);
    }
    case 'days':
      return readDays(value);
    case 'text':
      return readText(value, param.maxLength);
    case 'places':
      return readPlaces(value, param.most);
    case 'pin':
      return typeof value === 'string' && /^\d{4}$/.test(value) ? good(value) : wrong('Give four digits, as text.');
  }
}

function readNumber(param: NumberParam, value: unknown): Read {
  const { kind, min, max, step, unit } = param;
  const sentence = `Give a ${kind === 'int' ? 'whole ' : ''}number from ${min} to ${max}${unit === undefined ? '' : ` ${unit}`}${step === undefined ? '' : `, in steps of ${step}`}.`;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < min || value > max) return wrong(sentence);
  if (kind === 'int' && !Number.isInteger(value)) return wrong(sentence);
  if (step !== undefined && Math.abs(value / step - Math.round(value / step)) > 1e-6) return wrong(sentence);
  return good(value);
}

function readText(value: unknown, maxLength: number): Read {
  const text = typeof value === 'string' ? value.trim() : '';
  const sound = text !== '' && text.length <= maxLength && !text.includes('\0');
  return sound ? good(text) : wrong(`Give a text of 1 to ${maxLength} characters.`);
}

function readDays(value: unknown): Read {
  const given = Array.isArray(value) ? value : [];
  const days = weekdays.filter((day) => given.some((one) => typeof one === 'string' && one.toUpperCase() === day));
  const sound = days.length > 0 && given.every((one) => weekdays.some((day) => typeof one === 'string' && one.toUpperCase() === day));
  return sound ? good(days) : wrong(`Give a list of ${weekdays.join(', ')}.`);
}

/** An id of the maker's map provider; the maker takes several in one text, separated by commas. */
const placeId = /^[\w-]{1,200}$/;

function readPlaces(value: unknown, most: number): Read {
  const ids = Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && placeId.test(one)) : [];
  const sound = Array.isArray(value) && ids.length === value.length && ids.length > 0 && ids.length <= most;
  return sound ? good(ids) : wrong(`Give a list of 1 to ${most} ids of letters, digits, - and _.`);
}
