import {
  type Section,
  type SignalName,
  type SignalValues,
  sectionOf,
} from '../contract/signals.ts';
import { isObject, storable, storableJson } from './json.ts';
import { isNothing, type Reader } from './readers.ts';

/** Where the facts of an answer are collected: its signals, the sections they belong to, and by the wire's path the rest. */
export type Reading = {
  receivedAt: number;
  signals: SignalValues;
  sections: Set<Section>;
  raw: Map<string, unknown>;
};

/** A reading of nothing yet. */
export function emptyReading(receivedAt: number): Reading {
  return { receivedAt, signals: {}, sections: new Set(), raw: new Map() };
}

/** Notes a signal as it is told, whatever was noted before. */
export function tell<N extends SignalName>(into: Reading, signal: N, value: SignalValues[N]): void {
  into.sections.add(sectionOf(signal));
  into.signals[signal] = value;
}

/** What is done with the value found at one path of the wire. */
export type Fact = (value: unknown, into: Reading, path: string) => void;

/** What is done with an object, and with each field of it that is known by name. */
export type FactOfFields = Fact & { fields: ReadonlyMap<string, Fact> };

/** The known fields of what a fact takes, by name; none where it takes no object. */
export function fieldsOf(take: Fact | undefined): ReadonlyMap<string, Fact> {
  return take !== undefined && 'fields' in take && take.fields instanceof Map
    ? take.fields
    : new Map();
}

/** Every field of a wire type with what is done with it, in order of precedence. */
export type Facts<Wire> = { readonly [Field in keyof Wire]-?: Fact };

type ValueOf<N extends SignalName> = NonNullable<SignalValues[N]>;

const mostRaw = 500;
const longestPath = 200;

/** Fields that a later protocol may add and that must not be stored in the clear. */
const secretName = /token|secret|password/i;

/** A field that is known by name and tells nothing that is recorded. */
export const unused: Fact = () => {};

/**
 * The value becomes the signal; where it is not understood the signal is null and the value is kept raw. An earlier fact
 * with a value wins over a later one for the same signal.
 */
export function fact<N extends SignalName>(signal: N, read: Reader<ValueOf<N>>): Fact {
  const section = sectionOf(signal);
  return (value, into, path) => {
    const understood = read(value, into.receivedAt);
    if (understood === undefined) keepRaw(into, path, value);
    into.sections.add(section);
    into.signals[signal] ??= (understood ?? null) as SignalValues[N];
  };
}

/** Like `fact`, but a value that is not understood says nothing at all, instead of "not known". */
export function factIfUnderstood<N extends SignalName>(signal: N, read: Reader<ValueOf<N>>): Fact {
  const take = fact(signal, read);
  return (value, into, path) => {
    if (read(value, into.receivedAt) === undefined) keepRaw(into, path, value);
    else take(value, into, path);
  };
}

/** Like `fact`, but null and blank say nothing at all, because another field may know the value. */
export function factIfKnown<N extends SignalName>(signal: N, read: Reader<ValueOf<N>>): Fact {
  const take = fact(signal, read);
  return (value, into, path) => {
    if (!isNothing(value)) take(value, into, path);
  };
}

/** A field that is no signal and read elsewhere; what `read` does not understand is kept raw. */
export function noted<T>(read: Reader<T>): Fact {
  return (value, into, path) => {
    if (read(value, into.receivedAt) === undefined) keepRaw(into, path, value);
  };
}

/** Several facts told by one value. */
export function each(...facts: readonly Fact[]): Fact {
  return (value, into, path) => {
    for (const take of facts) take(value, into, path);
  };
}

/**
 * The facts of an object, in the order of the table; its unknown fields are kept raw. `afterwards` sees what the table
 * cannot say field by field.
 */
export function factsOf<Wire>(
  table: Facts<Wire>,
  afterwards?: (into: Reading, fields: Readonly<Record<string, unknown>>, path: string) => void,
): FactOfFields {
  const fields = new Map(Object.entries<Fact>(table));
  const rows = new Map<string, Row>(
    [...fields].map(([field, take], index) => [field, { field, take, index }]),
  );
  const takeAll: Fact = (value, into, path) => {
    if (!isObject(value)) {
      if (value !== null && value !== undefined) keepRaw(into, path, value);
      return;
    }
    // By what is there, not by what could be: most answers of a recording carry a few fields of many.
    const told = Object.keys(value).map((field) => rows.get(field) ?? unknownRow(field));
    if (!inOrder(told)) told.sort((a, b) => a.index - b.index);
    const prefix = path === '' ? '' : `${path}.`;
    for (const { field, take } of told) take(value[field], into, `${prefix}${field}`);
    afterwards?.(into, value, path);
  };
  return Object.assign(takeAll, { fields });
}

/** A field with what is done with it and its place in the table. */
type Row = { field: string; take: Fact; index: number };

/** Unknown fields come last. */
function unknownRow(field: string): Row {
  return { field, take: unknown, index: Number.MAX_SAFE_INTEGER };
}

const unknown: Fact = (value, into, path) => keepRaw(into, path, value);

function inOrder(rows: readonly Row[]): boolean {
  let last = -1;
  for (const { index } of rows) {
    if (index < last) return false;
    last = index;
  }
  return true;
}

/** Keeps a value under the wire's path, unless its name speaks of a secret; at most 500 values of one answer are kept. */
export function keepRaw(into: Reading, path: string, value: unknown): void {
  if (into.raw.size >= mostRaw || secretName.test(path)) return;
  into.raw.set(storable(path.slice(0, longestPath)), storableJson(value));
}
