import type { SignalName, SignalValues } from '../contract/signals.ts';
import { isObject, storable, storableJson } from './json.ts';
import { isNothing, type Reader } from './readers.ts';

/** Where the facts of one section of an answer are collected; `raw` is keyed by the wire's path. */
export type Reading = {
  receivedAt: number;
  signals: SignalValues;
  raw: Map<string, unknown>;
};

/** What is done with the value found at one path of the wire. */
export type Fact = (value: unknown, into: Reading, path: string) => void;

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
  return (value, into, path) => {
    const understood = read(value, into.receivedAt);
    if (understood === undefined) keepRaw(into, path, value);
    if (into.signals[signal] === undefined || into.signals[signal] === null) {
      into.signals[signal] = (understood ?? null) as SignalValues[N];
    }
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
): Fact {
  const rows = new Map(
    Object.entries<Fact>(table).map(([field, take], index) => [field, { take, index }]),
  );
  return (value, into, path) => {
    if (!isObject(value)) {
      if (value !== null && value !== undefined) keepRaw(into, path, value);
      return;
    }
    const prefix = path === '' ? '' : `${path}.`;
    // By what is there, not by what could be: most answers of a recording carry a few fields of many.
    const fields = Object.keys(value);
    if (!inOrder(fields, rows)) fields.sort((a, b) => indexOf(a, rows) - indexOf(b, rows));
    for (const field of fields) {
      const row = rows.get(field);
      if (row === undefined) keepRaw(into, `${prefix}${field}`, value[field]);
      else row.take(value[field], into, `${prefix}${field}`);
    }
    afterwards?.(into, value, path);
  };
}

type Rows = ReadonlyMap<string, { take: Fact; index: number }>;

/** Place of a field in its table; unknown ones come last. */
function indexOf(field: string, rows: Rows): number {
  return rows.get(field)?.index ?? Number.MAX_SAFE_INTEGER;
}

function inOrder(fields: readonly string[], rows: Rows): boolean {
  let last = -1;
  for (const field of fields) {
    const index = indexOf(field, rows);
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
