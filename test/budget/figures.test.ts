import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/base/units.ts';
import {
  budgetWord,
  callsLeft,
  costOf,
  forecastOf,
  periodAt,
  pressureOf,
  shareUsed,
} from '../../src/contract/budget.ts';
import type { Budget, CallCategory, Usage } from '../../src/contract/spend.ts';
import { someRates } from '../support/rows.ts';

const { prices } = someRates;
const nothing: Usage = { SIGNAL: 0, DATA: 0, COMMAND: 0, WAKE: 0 };
const noCalls = { DATA: null, COMMAND: null, WAKE: null };
const terms = (money: number | null, calls: Partial<Budget['calls']> = {}) => ({
  prices,
  budget: { money, calls: { ...noCalls, ...calls } },
});

const units = fc.integer({ min: 0, max: 100_000 });
const usages = fc.record({ SIGNAL: units, DATA: units, COMMAND: units, WAKE: units });
const limits = fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: null });
const someTerms = fc
  .tuple(fc.option(fc.integer({ min: 0, max: 50_000 }), { nil: null }), limits, limits, limits)
  .map(([cents, DATA, COMMAND, WAKE]) =>
    terms(cents === null ? null : cents / 100, { DATA, COMMAND, WAKE }),
  );
const categories = fc.constantFrom<CallCategory>('DATA', 'COMMAND', 'WAKE');

describe('what is used', () => {
  it('costs what the maker’s list says', () => {
    expect(costOf({ SIGNAL: 150_000, DATA: 500, COMMAND: 1_000, WAKE: 50 }, prices)).toBe(4);
    expect(costOf({ ...nothing, SIGNAL: 1 }, prices)).toBe(0.000007);
  });

  it('leaves 5000 calls for data of ten dollars, and to the last', () => {
    expect(callsLeft('DATA', nothing, terms(10))).toBe(5_000);
    expect(callsLeft('DATA', { ...nothing, DATA: 4_999 }, terms(10))).toBe(1);
    expect(callsLeft('DATA', { ...nothing, DATA: 5_000 }, terms(10))).toBe(0);
    expect(callsLeft('DATA', { ...nothing, WAKE: 499 }, terms(10))).toBe(10);
  });

  it('may be limited by the number of calls too', () => {
    expect(callsLeft('WAKE', { ...nothing, WAKE: 3 }, terms(10, { WAKE: 5 }))).toBe(2);
    expect(callsLeft('WAKE', { ...nothing, WAKE: 3 }, terms(null, { WAKE: 3 }))).toBe(0);
    expect(callsLeft('DATA', { ...nothing, WAKE: 3 }, terms(null, { WAKE: 3 }))).toBeNull();
  });

  it('never passes a limit, however many calls are made that are left', () => {
    fc.assert(
      fc.property(usages, someTerms, categories, (usage, under, category) => {
        const left = callsLeft(category, usage, under);
        if (left === null || left === 0) return;
        const after = { ...usage, [category]: usage[category] + left };
        const { budget } = under;
        expect(costOf(after, prices)).toBeLessThanOrEqual((budget.money ?? 1e9) + 1e-5);
        expect(after[category]).toBeLessThanOrEqual(budget.calls[category] ?? 1e9);
        expect(callsLeft(category, after, under)).toBe(0);
      }),
    );
  });

  it('is told of at four fifths, and when nothing is left', () => {
    const word = (data: number) => budgetWord({ ...nothing, DATA: data }, terms(10));
    expect([word(3_999), word(4_000), word(4_999), word(5_000)]).toEqual([
      null,
      'THRESHOLD',
      'THRESHOLD',
      'EXHAUSTED',
    ]);
    expect(budgetWord({ ...nothing, WAKE: 3 }, terms(10, { WAKE: 3 }))).toBe('EXHAUSTED');
    expect(budgetWord(nothing, terms(0))).toBe('EXHAUSTED');
    expect(budgetWord({ ...nothing, DATA: 1e6 }, terms(null))).toBeNull();
  });
});

describe('the forecast', () => {
  const { startsAt, endsAt } = periodAt(Date.UTC(2026, 3, 10));
  const month = { since: startsAt, endsAt };

  it('goes on as it did', () => {
    expect(endsAt - startsAt).toBe(30 * DAY_MS);
    expect(forecastOf(100, month, startsAt + 10 * DAY_MS)).toBe(300);
    const linked = { since: startsAt + 10 * DAY_MS, endsAt };
    expect(forecastOf(100, linked, startsAt + 20 * DAY_MS)).toBe(200);
  });

  it('takes less than a day for a whole one', () => {
    expect(forecastOf(1, month, startsAt + HOUR_MS)).toBeLessThanOrEqual(31);
  });

  it('is what is used when the month ends, never less before, and grows with use', () => {
    const times = fc.integer({ min: startsAt, max: endsAt });
    fc.assert(
      fc.property(units, times, (used, at) => {
        expect(forecastOf(used, month, at)).toBeGreaterThanOrEqual(used);
        expect(forecastOf(used + 1, month, at)).toBeGreaterThanOrEqual(forecastOf(used, month, at));
        expect(forecastOf(used, month, endsAt)).toBe(used);
      }),
    );
  });
});

describe('the pressure on a budget', () => {
  const { startsAt, endsAt } = periodAt(Date.UTC(2026, 3, 10));
  const period = { startsAt, endsAt };

  it('is 1 as long as it lasts, and grows the faster it goes', () => {
    const half = startsAt + 15 * DAY_MS;
    expect(pressureOf(0.5, period, half)).toBe(1);
    expect(pressureOf(0.2, period, half)).toBe(1);
    expect(pressureOf(0.75, period, half)).toBe(2);
    expect(pressureOf(1, period, half)).toBe(Number.POSITIVE_INFINITY);
    expect(pressureOf(null, period, half)).toBe(1);
  });

  it('never falls while more is used', () => {
    const times = fc.integer({ min: startsAt, max: endsAt - 1 });
    fc.assert(
      fc.property(usages, categories, times, (usage, category, at) => {
        const pressure = (used: Usage) => pressureOf(shareUsed(used, terms(100)), period, at);
        const more = { ...usage, [category]: usage[category] + 1 };
        expect(pressure(more)).toBeGreaterThanOrEqual(pressure(usage));
      }),
    );
  });
});
