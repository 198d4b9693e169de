import type { SignalName, SignalValues } from '../contract/signals.ts';
import { type Fact, fact, keepRaw } from './facts.ts';
import { isObject } from './json.ts';
import { isNothing, type Reader, text, word } from './readers.ts';

/** What is done with each field of a record that is known by name, by the maker's name of the field. */
export type FieldFacts = Readonly<Record<string, Fact>>;

/**
 * The bare value in the oneof of a record's datum (maker.md §5.3): the one member whatever its type, null where the
 * vehicle says that it does not know (`{"invalid":true}`, `{}`), and a value outside an object as it is.
 */
export function valueOfDatum(value: unknown): unknown {
  if (!isObject(value)) return value ?? null;
  if (value.invalid === true) return null;
  for (const member of Object.keys(value)) if (member !== 'invalid') return value[member];
  return null;
}

/** What an enum says when it says nothing. */
const silent = new Set(['Unknown', 'Invalid', 'SNA']);

function bareName(value: string, prefix: string): string {
  return value.startsWith(prefix) ? value.slice(prefix.length) : value;
}

/** An enum's name with or without its `prefix` as our word; `Unknown`, `Invalid` and `SNA` are not known. */
export function enumWord<T>(prefix: string, words: Readonly<Record<string, T>>): Reader<T> {
  const read = word(words);
  return (value, receivedAt) => {
    if (typeof value !== 'string') return read(value, receivedAt);
    const bare = bareName(value.trim(), prefix);
    return silent.has(bare) ? null : read(bare, receivedAt);
  };
}

/** An enum's name without its `prefix`, as text; `Unknown`, `Invalid` and `SNA` are not known. */
export function enumText(prefix: string): Reader<string> {
  return (value, receivedAt) => {
    const bare = typeof value === 'string' ? bareName(value.trim(), prefix) : value;
    return typeof bare === 'string' && silent.has(bare) ? null : text(bare, receivedAt);
  };
}

/** The first of two readers that understands. */
export function either<T>(first: Reader<T>, second: Reader<T>): Reader<T> {
  return (value, receivedAt) => first(value, receivedAt) ?? second(value, receivedAt);
}

/** Like `fact`, but only a known value says something: what is unavailable for a moment is no news (maker.md §3.3). */
export function factWhenKnown<N extends SignalName>(
  signal: N,
  read: Reader<NonNullable<SignalValues[N]>>,
): Fact {
  const take = fact(signal, read);
  return (value, into, path) => {
    const known = read(value, into.receivedAt) ?? undefined;
    if (known !== undefined) take(value, into, path);
    else if (!isNothing(value)) keepRaw(into, path, value);
  };
}
