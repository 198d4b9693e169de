import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/units.ts';
import { costOfSession, isBillDue, matchSessions } from '../../src/ingest/bill.ts';
import type { ChargingSession } from '../../src/maker/charging-history.ts';

const at = (from: number, to: number) => ({
  startedAt: from * MINUTE_MS,
  endedAt: to * MINUTE_MS,
});

describe('a session and a charge', () => {
  it('belong together where they share at least half of the shorter one', () => {
    const charge = at(0, 60);
    for (const session of [at(5, 40), at(30, 90), at(-30, 30), at(59, 61), at(-100, 100)]) {
      expect(matchSessions([charge], [session])).toEqual([{ charge, session }]);
    }
    for (const session of [at(60, 70), at(50, 90), at(-20, 0), at(200, 230)]) {
      expect(matchSessions([charge], [session])).toEqual([]);
    }
  });

  it('are paired with the most time shared first, each once', () => {
    const [first, second] = [at(0, 60), at(62, 100)];
    const [one, other] = [at(40, 101), at(1, 61)];
    expect(matchSessions([first, second], [one, other])).toEqual([
      { charge: first, session: other },
      { charge: second, session: one },
    ]);
    expect(matchSessions([first], [other, at(2, 10)])).toHaveLength(1);
    expect(matchSessions([at(0, 30), at(30, 60)], [at(0, 60)])).toHaveLength(1);
  });
});

const session = (given: Partial<ChargingSession>): ChargingSession => ({
  vin: 'VIN',
  ...at(0, 30),
  currency: 'EUR',
  fees: [],
  ...given,
});

describe('what a session costs', () => {
  it('is the sum of what is due, with a line for each fee that is', () => {
    const cost = costOfSession(
      session({
        fees: [
          { kind: 'ENERGY', rate: 0.45, usage: 30.5, due: 13.73 },
          { kind: 'IDLE', rate: 0.5, usage: 4, due: 2 },
          { kind: 'TIME', rate: 0.3, usage: 0, due: 0 },
          { kind: 'OTHER', rate: null, usage: null, due: -1.1 },
        ],
      }),
    );
    const times = { from: 0, to: 30 * MINUTE_MS };
    expect(cost).toEqual({
      ...{ costAmount: '14.63', costCurrency: 'EUR', costMethod: 'INVOICE', tariffId: null },
      lines: [
        { kind: 'ENERGY', ...times, kwh: 30.5, rate: '0.45', amountMinor: 1373 },
        { kind: 'IDLE', ...times, kwh: null, rate: '0.5', amountMinor: 200 },
        { kind: 'SESSION', ...times, kwh: null, rate: '-1.10', amountMinor: -110 },
      ],
    });
  });

  it('keeps the minor units of its currency', () => {
    const fees = [{ kind: 'ENERGY', rate: 60, usage: 20, due: 1200 } as const];
    expect(costOfSession(session({ currency: 'JPY', fees })).costAmount).toBe('1200');
  });

  it('is nothing where nothing is due', () => {
    const free = { costMethod: 'FREE', lines: [], costAmount: '0.00', costCurrency: 'EUR' };
    const fees = [{ kind: 'ENERGY', rate: 0.45, usage: 30, due: 0 } as const];
    expect(costOfSession(session({ fees }))).toMatchObject(free);
    expect(costOfSession(session({ fees, currency: null }))).toMatchObject({
      costMethod: 'FREE',
      costAmount: null,
    });
  });

  it('is what its lines come to', () => {
    const fee = fc.record({
      kind: fc.constantFrom('ENERGY', 'TIME', 'IDLE', 'OTHER'),
      rate: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
      usage: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
      due: fc.double({ min: 0, max: 1_000, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(fee, { minLength: 1 }), (fees) => {
        const { costAmount, lines } = costOfSession(session({ fees }));
        const minor = lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
        expect(Number(costAmount) * 100).toBeCloseTo(minor, 4);
        for (const { rate } of lines) expect(rate).toMatch(/^\d+(\.\d+)?$/);
      }),
    );
  });
});

it('a bill is due an hour after the charge and some days after, once each', () => {
  const asked = (hours: readonly number[]) =>
    hours.filter((hour, index) => {
      const since = index === 0 ? null : (hours[index - 1] ?? 0) * HOUR_MS;
      return isBillDue(0, since, hour * HOUR_MS);
    });
  const hourly = Array.from({ length: 480 }, (_, hour) => hour);
  expect(asked(hourly).slice(1)).toEqual([6, 24, 72, 168, 336]);
  expect(asked(hourly)[0]).toBe(1);
  expect(isBillDue(0, null, 0)).toBe(false);
  expect(isBillDue(0, 30 * DAY_MS, 60 * DAY_MS)).toBe(false);
});
