import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signals } from '../../src/contract/signals.ts';
import {
  observationOfListItem,
  observationOfVehicleData,
} from '../../src/maker/parse-vehicle-data.ts';
import { fullAnswer, fullAnswerAt } from './full-answer.ts';
import { receivedAt } from './read.ts';

const reception = { receivedAt, source: 'POLL' } as const;

const kinds = new Map<string, string | readonly string[]>(
  Object.entries(signals).map(([name, { kind }]) => [name, kind]),
);

/** What is wrong with a value for a signal of the table, or null. */
function flaw(name: string, value: unknown): string | null {
  const kind = kinds.get(name);
  if (kind === undefined) return 'no such signal';
  if (value === null) return null;
  if (typeof kind !== 'string') return kind.some((word) => word === value) ? null : 'no such word';
  if (kind === 'boolean' || kind === 'string') return typeof value === kind ? null : 'wrong type';
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'no finite number';
  return kind === 'float' || Number.isInteger(value) ? null : 'no whole number';
}

const dirt = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    '<invalid>',
    '',
    ' ',
    'NaN',
    'Infinity',
    '1e400',
    '-0',
    'online',
    'Charging',
    'P',
  ),
  fc.constantFrom(Number.POSITIVE_INFINITY, 1e308, -1e308, 2 ** 53, -1, 999, 1e13),
  fc.double({ noNaN: true }).map(String),
  fc.integer(),
  fc.boolean(),
);

type Json = { [field: string]: unknown };

/** The full answer with any of its leaves, groups and sections replaced by dirt. */
function soiled(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fc.oneof({ weight: 1, arbitrary: fc.constant(value) }, { weight: 2, arbitrary: dirt });
  }
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, field] of Object.entries(value)) fields[name] = soiled(field);
  return fc.oneof(
    { weight: 9, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: dirt },
  );
}

const soiledAnswer: fc.Arbitrary<Json> = soiled(fullAnswer()).map((answer) => ({
  ...Object(answer),
  vin: 'LRW3E7FS0NC000042',
}));

test('yields only values of the table from any answer about a vehicle', () => {
  let told = 0;
  fc.assert(
    fc.property(soiledAnswer, (answer) => {
      for (const parsed of [
        observationOfVehicleData(answer, reception),
        observationOfListItem({ response: answer }, reception),
      ]) {
        if (!parsed.ok) throw new Error(parsed.reason);
        const observed = parsed.value;
        for (const [name, value] of Object.entries(observed.signals)) {
          if (value !== null) told += 1;
          expect([name, value, flaw(name, value)]).toEqual([name, value, null]);
        }
        for (const at of [observed.at, ...Object.values(observed.sectionAt)]) {
          expect(Number.isInteger(at)).toBe(true);
          expect(at).toBeGreaterThanOrEqual(Date.UTC(2012, 0, 1));
          expect(at).toBeLessThanOrEqual(receivedAt + 86_400_000);
        }
        expect(JSON.parse(JSON.stringify(observed.raw))).toEqual(observed.raw);
      }
    }),
    { numRuns: 500 },
  );
  // The dirt must leave something to be checked.
  expect(told).toBeGreaterThan(500);
});

test('never throws on any JSON, in place of the answer or of a section', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      observationOfVehicleData(json, reception);
      observationOfListItem(json, reception);
      const { vin } = fullAnswer();
      const answer = { vin, charge_state: json, vehicle_state: { media_info: json }, state: json };
      expect(observationOfVehicleData(answer, reception).ok).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('gives the same observation for the same answer', () => {
  fc.assert(
    fc.property(soiledAnswer, (answer) => {
      const once = observationOfVehicleData(structuredClone(answer), reception);
      expect(observationOfVehicleData(answer, reception)).toEqual(once);
    }),
    { numRuns: 100 },
  );
  expect(fullAnswerAt).toBeLessThan(receivedAt);
});
