import { storable } from './json.ts';

/**
 * How one value of the wire is read.
 *
 * A reader answers the value in our unit, null where the vehicle says that it does not know (null, `"<invalid>"`, blank),
 * and undefined where the value is not understood, so that it can be kept raw.
 */
export type Reader<T> = (value: unknown, receivedAt: number) => T | null | undefined;

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const longestText = 1_000;

/** Whether a value stands for "not known" (maker.md §1.5, dirty values). */
export function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'string') return false;
  const text = value.trim();
  return text === '' || text.toLowerCase() === '<invalid>';
}

/** The finite number in a number or in decimal text, else undefined. */
export function finiteNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && decimal.test(value.trim()) ? Number(value.trim()) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return number === 0 ? 0 : number;
}

/** A number from `lowest` to `highest` in the wire's unit, turned by `convert` into ours; others are not understood. */
export function numberWithin(
  lowest: number,
  highest: number,
  convert?: (value: number) => number,
): Reader<number> {
  return (value) => {
    if (isNothing(value)) return null;
    const number = finiteNumber(value);
    if (number === undefined || number < lowest || number > highest) return undefined;
    return convert === undefined ? number : convert(number);
  };
}

/** A whole number from `lowest` to `highest`; fractions are rounded. */
export function wholeWithin(lowest: number, highest: number): Reader<number> {
  const read = numberWithin(lowest, highest);
  return (value, receivedAt) => {
    const number = read(value, receivedAt);
    return typeof number === 'number' ? Math.round(number) : number;
  };
}

const flagWord = word({ true: true, 1: true, false: false, 0: false });

/** A boolean, also as 0, 1 or text. */
export const flag: Reader<boolean> = (value, receivedAt) =>
  typeof value === 'boolean' ? value : flagWord(value, receivedAt);

/** Whether a door, trunk or window is not closed: 0 is closed, 1 and more is open or moving (maker.md §1.5). */
export const ajar: Reader<boolean> = (value, receivedAt) => {
  if (typeof value === 'boolean') return value;
  const position = numberWithin(0, 255)(value, receivedAt);
  return typeof position === 'number' ? position > 0 : position;
};

/** Trimmed text without what a database refuses (NUL, lone surrogates), at most 1,000 characters. */
export const text: Reader<string> = (value) => {
  if (isNothing(value)) return null;
  if (typeof value !== 'string') return undefined;
  const clean = storable(value).trim();
  if (clean.length > longestText) return undefined;
  return clean === '' ? null : clean;
};

/** A word of the wire as ours, found without regard to case; words that are not in the table are not understood. */
export function word<T>(words: Readonly<Record<string, T>>): Reader<T> {
  const table = new Map(Object.entries(words).map(([wire, ours]) => [wire.toLowerCase(), ours]));
  return (value) => {
    const found =
      typeof value === 'string' || typeof value === 'number'
        ? table.get(String(value).trim().toLowerCase())
        : undefined;
    if (found !== undefined) return found;
    return isNothing(value) ? null : undefined;
  };
}

/** `read` with what it understood turned into something else; `into` may answer undefined again. */
export function mapped<A, B>(read: Reader<A>, into: (value: A) => B | null | undefined): Reader<B> {
  return (value, receivedAt) => {
    const understood = read(value, receivedAt);
    if (understood === undefined) return undefined;
    return understood === null ? null : into(understood);
  };
}
