import { ServiceError } from '../../base/errors.ts';
import { instantOf } from '../../schema/scalars.ts';
import { quoted } from './words.ts';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What a text says, or what is wrong with it. */
export type Reading = { value: unknown } | { problem: string };

/** How the text of a parameter is read, and the same as a JSON Schema. */
export type Reader = { schema: JsonSchema; example: unknown; read: (text: string) => Reading };

/** The largest Int of GraphQL (September 2025 specification 3.5.1). */
const LARGEST_INT = 2_147_483_647;

/** Whole numbers between two bounds. */
export function integers(minimum: number, maximum: number, example = minimum): Reader {
  const problem = `Give a whole number from ${minimum} to ${maximum}.`;
  return {
    schema: { type: 'integer', minimum, maximum },
    example,
    read: (text) => {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= minimum && value <= maximum ? { value } : { problem };
    },
  };
}

/** Whole numbers as GraphQL takes them. */
export const wholeNumbers: Reader = integers(-LARGEST_INT - 1, LARGEST_INT, 600);

/** Numbers, between two bounds where there are some. */
export function anyNumber(range?: readonly [number, number]): Reader {
  const [minimum, maximum] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const problem =
    range === undefined
      ? 'Give a number, such as 12.5.'
      : `Give a number from ${minimum} to ${maximum}.`;
  return {
    schema: { type: 'number', ...(range === undefined ? {} : { minimum, maximum }) },
    example: minimum > 0 ? minimum : 12.5,
    read: (text) => {
      const value = /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
      return value >= minimum && value <= maximum ? { value } : { problem };
    },
  };
}

const LONGEST_TEXT = 500;

/** Text that is not empty, of a form where one is given. */
export function textOf(pattern?: string): Reader {
  const form = pattern === undefined ? null : new RegExp(pattern);
  return {
    schema: {
      type: 'string',
      ...(pattern === undefined ? {} : { pattern }),
      minLength: 1,
      maxLength: LONGEST_TEXT,
    },
    example: 'holiday',
    read: (value) => {
      if (value.length > LONGEST_TEXT) {
        return { problem: `Give at most ${LONGEST_TEXT} characters.` };
      }
      return form?.test(value) === false ? { problem: `Give ${pattern}.` } : { value };
    },
  };
}

/** Circles on the earth: latitude, longitude and radius in metres, separated by commas. */
export const circles: Reader = {
  schema: {
    type: 'array',
    prefixItems: [
      { type: 'number', minimum: -90, maximum: 90 },
      { type: 'number', minimum: -180, maximum: 180 },
      { type: 'number', exclusiveMinimum: 0, maximum: 100_000 },
    ],
    items: false,
    minItems: 3,
  },
  example: [52.52, 13.405, 500],
  read: (text) => {
    const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    const [latitude = Number.NaN, longitude = Number.NaN, radiusM = Number.NaN] = parts;
    const onEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    return parts.length === 3 && onEarth && radiusM > 0 && radiusM <= 100_000
      ? { value: { latitude, longitude, radiusM } }
      : { problem: 'Give latitude, longitude and a radius of up to 100000 m: 52.52,13.405,500.' };
  },
};

const truths = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Yes or no; `1` and `0` are taken too. */
export const truth: Reader = {
  schema: { type: 'boolean' },
  example: true,
  read: (text) => {
    const value = truths.get(text);
    return value === undefined ? { problem: 'Give true, 1, false or 0.' } : { value };
  },
};

const timeSchema = {
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
    { type: 'integer', minimum: 0 },
  ],
};

/** Points in time: RFC 3339 with an offset, unix seconds, or a date, which is its midnight in UTC. */
export const time: Reader = {
  schema: timeSchema,
  example: '2026-03-01T08:00:00Z',
  read: (given) => {
    // A `+` that was not escaped arrives as a space.
    const text = /^\d{4}-\d{2}-\d{2}$/.test(given)
      ? `${given}T00:00:00Z`
      : given.replace(/ (\d{2}:\d{2})$/, '+$1');
    try {
      return { value: new Date(instantOf(text)).toISOString() };
    } catch (error) {
      if (error instanceof ServiceError) return { problem: error.message };
      throw error;
    }
  },
};

/** One of a few words, in upper or lower case. */
export function words(values: readonly string[]): Reader {
  const byLowerCase = new Map(values.map((value) => [value.toLowerCase(), value]));
  return {
    schema: { type: 'string', enum: values },
    example: values[0],
    read: (text) => {
      const value = byLowerCase.get(text.toLowerCase());
      return value === undefined ? { problem: `Give one of ${quoted(values)}.` } : { value };
    },
  };
}

/** Several of what `one` reads, separated by commas. */
export function listOf(one: Reader): Reader {
  return {
    schema: { type: 'array', items: one.schema, minItems: 1 },
    example: [one.example],
    read: (text) => {
      const readings = text.split(',').map(one.read);
      const wrong = readings.find((reading) => 'problem' in reading);
      return wrong ?? { value: readings.map((reading) => 'value' in reading && reading.value) };
    },
  };
}
