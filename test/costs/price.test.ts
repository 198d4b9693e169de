import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/units.ts';
import type { Prices, TariffRule } from '../../src/contract/tariffs.ts';
import { windowsOf } from '../../src/ingest/charge-windows.ts';
import { driveCostOf, sumOfCosts } from '../../src/ingest/drive-price.ts';
import { type EnergyWindow, priceOf } from '../../src/ingest/price-charge.ts';
import { ruleStretches } from '../../src/ingest/tariff-times.ts';
import { aSample } from '../support/rows.ts';

const anyTime: TariffRule = {
  days: null,
  startMinute: 0,
  endMinute: 0,
  months: null,
  ratePerKwh: null,
  ratePerMin: null,
  sessionFee: null,
  idleFeePerMin: null,
};
const night: TariffRule = {
  ...anyTime,
  startMinute: 22 * 60,
  endMinute: 6 * 60,
  ratePerKwh: '0.10',
};

function prices(over: Partial<Prices> = {}): Prices {
  return { currency: 'EUR', timezone: 'Europe/Berlin', defaultRate: '0.30', rules: [], ...over };
}

const at = (text: string) => Date.parse(text);

function price(
  over: Partial<Prices>,
  windows: EnergyWindow[],
  idle: [number, number] | null = null,
) {
  const startedAt = windows[0]?.from ?? 0;
  const idleTime = idle && { from: idle[0], to: idle[1] };
  return priceOf(prices(over), { startedAt, windows, idle: idleTime });
}

const told = ({ lines }: ReturnType<typeof price>) =>
  lines.map(({ kind, kwh, rate, amountMinor }) => [kind, kwh, rate, amountMinor]);

describe('a tariff', () => {
  it('charges energy at its default rate', () => {
    const from = at('2026-03-02T09:00:00Z');
    const one = price({}, [{ from, to: from + HOUR_MS, kwh: 10 }]);
    expect(one).toMatchObject({ amountMinor: 300 });
    expect(told(one)).toEqual([['ENERGY', 10, '0.30', 300]]);
  });

  it('charges by local time, over midnight', () => {
    // 21:00 to 23:00 and then to 07:00 in Berlin, at 1 kW.
    const from = at('2026-03-02T20:00:00Z');
    const one = price({ rules: [night] }, [{ from, to: from + 10 * HOUR_MS, kwh: 10 }]);
    expect(told(one)).toEqual([
      ['ENERGY', 1, '0.30', 30],
      ['ENERGY', 8, '0.10', 80],
      ['ENERGY', 1, '0.30', 30],
    ]);
  });

  it('counts day and month of a night by its evening', () => {
    const friday = { ...night, days: ['FRI'], months: [2] } as const;
    // Friday 27 February 2026, 23:00 in Berlin, to Saturday 08:00: the night ends at 06:00, and the next one is no Friday.
    const from = at('2026-02-27T22:00:00Z');
    const hours = (count: number) => [{ from, to: from + count * HOUR_MS, kwh: count }];
    expect(price({ rules: [friday] }, hours(9)).amountMinor).toBe(7 * 10 + 2 * 30);
    // On 28 February the night begins on a Saturday, and that of 27 March is of another month.
    expect(
      price({ rules: [friday] }, [{ from: from + DAY_MS, to: from + DAY_MS + HOUR_MS, kwh: 1 }])
        .amountMinor,
    ).toBe(30);
    const march = at('2026-03-27T22:00:00Z');
    expect(
      price({ rules: [friday] }, [{ from: march, to: march + HOUR_MS, kwh: 1 }]).amountMinor,
    ).toBe(30);
    // The night from Saturday 28 to Sunday 1 March belongs to February.
    const saturday = { ...friday, days: ['SAT'] } as const;
    const sunday = at('2026-03-01T02:00:00Z');
    expect(
      price({ rules: [saturday] }, [{ from: sunday, to: sunday + HOUR_MS, kwh: 1 }]).amountMinor,
    ).toBe(10);
  });

  it.each([
    ['loses an hour of', '2026-03-28T21:00:00Z', 7, 9],
    ['gains an hour of', '2026-10-24T20:00:00Z', 9, 10],
  ])('%s a night in which clocks change', (_, text, nightHours, hours) => {
    const from = at(text);
    const one = price({ rules: [night] }, [{ from, to: from + hours * HOUR_MS, kwh: hours }]);
    expect(told(one)[0]).toEqual(['ENERGY', nightHours, '0.10', nightHours * 10]);
    expect(one.amountMinor).toBe(nightHours * 10 + (hours - nightHours) * 30);
  });

  it('takes the first rule that holds, and its default where that says no price', () => {
    const rules = [
      { ...anyTime, days: ['MON'] as const },
      { ...anyTime, ratePerKwh: '0.50' },
    ];
    const monday = at('2026-03-02T09:00:00Z');
    const of = (from: number) =>
      price({ rules }, [{ from, to: from + HOUR_MS, kwh: 10 }]).amountMinor;
    expect(of(monday)).toBe(300);
    expect(of(monday + DAY_MS)).toBe(500);
  });

  it('charges for the session, for minutes of energy and for minutes after it', () => {
    const rule = {
      ...anyTime,
      ratePerKwh: '0.59',
      ratePerMin: '0.02',
      sessionFee: '1',
      idleFeePerMin: '0.10',
    };
    const from = at('2026-03-02T09:00:00Z');
    const end = from + 30 * MINUTE_MS;
    const one = price({ rules: [rule] }, [{ from, to: end, kwh: 20 }], [end, end + 12 * MINUTE_MS]);
    expect(told(one)).toEqual([
      ['SESSION', null, '1', 100],
      ['ENERGY', 20, '0.59', 1180],
      ['TIME', null, '0.02', 60],
      ['IDLE', null, '0.10', 120],
    ]);
  });

  it('rounds the total once, half up, to the minor unit of its currency', () => {
    const from = at('2026-03-02T09:00:00Z');
    const window = (kwh: number) => [{ from, to: from + HOUR_MS, kwh }];
    expect(price({ defaultRate: '0.315' }, window(1)).amountMinor).toBe(32);
    expect(price({ defaultRate: '0.314999' }, window(1)).amountMinor).toBe(31);
    expect(price({ defaultRate: '31.5', currency: 'JPY' }, window(1)).amountMinor).toBe(32);
    expect(price({ defaultRate: '0.1234', currency: 'KWD' }, window(1)).amountMinor).toBe(123);
  });
});

const rate = fc.integer({ min: 0, max: 2_000_000 }).map((n) => (n / 1e6).toFixed(6));
const anyRule: fc.Arbitrary<TariffRule> = fc.record({
  days: fc.option(fc.uniqueArray(fc.constantFrom('SUN', 'MON', 'WED', 'SAT'), { minLength: 1 })),
  startMinute: fc.integer({ min: 0, max: 1439 }),
  endMinute: fc.integer({ min: 0, max: 1439 }),
  months: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1 })),
  ratePerKwh: fc.option(rate),
  ratePerMin: fc.option(rate),
  sessionFee: fc.option(rate),
  idleFeePerMin: fc.option(rate),
});
const anyPrices: fc.Arbitrary<Prices> = fc.record({
  currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
  timezone: fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC'),
  defaultRate: rate,
  rules: fc.array(anyRule, { maxLength: 4 }),
});
/** Around the changes of clocks of both halves of the year. */
const anyStart = fc.oneof(
  fc.integer({ min: at('2026-03-27T00:00Z'), max: at('2026-04-06T00:00Z') }),
  fc.integer({ min: at('2026-10-02T00:00Z'), max: at('2026-11-02T00:00Z') }),
);
const anyCharge = fc.record({
  from: anyStart,
  lengthMs: fc.integer({ min: 1_000, max: 2 * DAY_MS }),
  kwh: fc.integer({ min: 1, max: 120_000 }).map((wh) => wh / 1000),
  idleMs: fc.integer({ min: 0, max: DAY_MS }),
});

describe('a price', () => {
  it('is the sum of its lines, whatever the tariff', () => {
    fc.assert(
      fc.property(anyPrices, anyCharge, (of, { from, lengthMs, kwh, idleMs }) => {
        const to = from + lengthMs;
        const idle = idleMs === 0 ? null : { from: to, to: to + idleMs };
        const one = priceOf(of, { startedAt: from, windows: [{ from, to, kwh }], idle });
        expect(one.lines.reduce((sum, line) => sum + line.amountMinor, 0)).toBe(one.amountMinor);
        const energy = one.lines.reduce((sum, line) => sum + (line.kwh ?? 0), 0);
        expect(Math.abs(energy - kwh)).toBeLessThan(1e-4);
        for (const line of one.lines) {
          expect(line.from).toBeGreaterThanOrEqual(from);
          expect(line.to).toBeLessThanOrEqual(to + idleMs);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('does not change when its windows are cut', () => {
    const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(anyPrices, anyCharge, share, (of, { from, lengthMs, kwh }, cutAt) => {
        const to = from + lengthMs;
        const middle = from + Math.round(lengthMs * cutAt);
        if (middle <= from || middle >= to) return;
        const first = (kwh * (middle - from)) / lengthMs;
        const windows = [
          { from, to: middle, kwh: first },
          { from: middle, to, kwh: kwh - first },
        ];
        const whole = priceOf(of, { startedAt: from, windows: [{ from, to, kwh }], idle: null });
        expect(priceOf(of, { startedAt: from, windows, idle: null })).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('has stretches that lie on each other without a gap, each with its rule to the minute', () => {
    fc.assert(
      fc.property(anyPrices, anyCharge, (of, { from, lengthMs }) => {
        const stretches = ruleStretches(of, from, from + lengthMs);
        expect(stretches[0]?.from).toBe(from);
        expect(stretches.at(-1)?.to).toBe(from + lengthMs);
        stretches.slice(1).forEach((one, index) => {
          expect(one.from).toBe(stretches[index]?.to);
        });
        for (const { from: a, to, rule } of stretches) {
          const middle = Math.floor((a + to) / 2);
          expect(ruleStretches(of, middle, middle + 1)[0]?.rule ?? null).toBe(rule);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('the energy of a charge', () => {
  const from = at('2026-03-02T09:00:00Z');
  const charge = {
    startedAt: from,
    endedAt: from + 2 * HOUR_MS,
    energyAddedKwh: 10,
    energyUsedKwh: 11,
    segments: [{ startedAt: from, endedAt: from + HOUR_MS, energyAddedKwh: 10 }],
  };
  const counter = (minute: number, kwh: number | null, kw: number | null = null) =>
    aSample(from + minute * MINUTE_MS, { chargeEnergyAddedKwh: kwh, chargerPowerKw: kw });

  it('lies where its counter rose, over a reset, and comes to what the charger gave', () => {
    const windows = windowsOf(charge, [
      counter(0, 0),
      counter(30, 6),
      counter(60, 6),
      counter(90, 2),
    ]);
    expect(windows.map(({ from: a, kwh }) => [(a - from) / MINUTE_MS, kwh])).toEqual([
      [0, expect.closeTo(8.25, 9)],
      [60, expect.closeTo(2.75, 9)],
    ]);
  });

  it('lies where there was power, else in its segments, else in all of it', () => {
    const powered = windowsOf(charge, [
      counter(0, null, 0),
      counter(60, null, 0),
      counter(90, null, 20),
    ]);
    expect(powered).toMatchObject([{ from: from + HOUR_MS, kwh: 11 }]);
    expect(windowsOf(charge, [])).toMatchObject([{ from, to: from + HOUR_MS, kwh: 11 }]);
    expect(windowsOf({ ...charge, segments: [] }, [])).toMatchObject([
      { from, to: charge.endedAt, kwh: 11 },
    ]);
    expect(windowsOf({ ...charge, energyAddedKwh: 0, energyUsedKwh: null }, [])).toEqual([]);
  });
});

describe('the cost of a drive', () => {
  const charge = (kwh: number, amount: number | null, currency: string | null = 'EUR') => ({
    kwh,
    amount,
    currency,
  });

  it.each<[string, number | null, ReturnType<typeof charge>[], number | null]>([
    [
      'that of the last charge, where that filled the pack',
      10,
      [charge(50, 25), charge(50, 5)],
      500,
    ],
    [
      'the mean of the last ones, where one was not enough',
      10,
      [charge(20, 10), charge(30, 5)],
      300,
    ],
    [
      'unknown where the last charge has no cost',
      10,
      [charge(20, null, null), charge(30, 5)],
      null,
    ],
    [
      'that of the newer ones where an older one has none',
      10,
      [charge(20, 10), charge(30, null, null)],
      500,
    ],
    ['that of the newest currency', 10, [charge(20, 10), charge(30, 5, 'CHF')], 500],
    ['nothing where energy flowed back', -1, [charge(50, 25)], 0],
    ['unknown where its energy is', null, [charge(50, 25)], null],
    ['unknown without charges', 10, [], null],
  ])('is %s', (_, usedKwh, charges, expected) => {
    const cost = driveCostOf({ usedKwh, heldKwh: 45, charges });
    expect(cost?.amountMinor ?? null).toBe(expected);
  });

  it('adds up over a trip, unless one is unknown or in another currency', () => {
    const eur = { amountMinor: 120, currency: 'EUR' };
    expect(sumOfCosts([eur, eur])).toEqual({ amountMinor: 240, currency: 'EUR' });
    expect(sumOfCosts([eur, null])).toBeNull();
    expect(sumOfCosts([eur, { amountMinor: 1, currency: 'CHF' }])).toBeNull();
    expect(sumOfCosts([])).toBeNull();
  });
});
