import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SignalValues } from '../../src/contract/signals.ts';
import { type IngestEvent, initialState } from '../../src/ingest/state.ts';
import { driving, parked, rows, run, seen } from '../support/trace.ts';

const HOUR = 3600;

/** A vehicle of 150 Wh/km that is parked with 80 % and 400 km. */
const rest = (seconds: number, rangeRatedKm: number, more: SignalValues = {}) =>
  parked(seconds, 1000, { rangeRatedKm, ...more });

/** The list says that it sleeps; nothing else is heard. */
const asleep = (seconds: number) => seen(seconds, {}, { connectivity: 'asleep' });

/** Drives off an hour after the last event. */
const driveOff = (seconds: number) => driving(seconds, 1000.5);

function losses(events: IngestEvent[]) {
  const [span] = rows(run(events), 'parkedSpan');
  if (span === undefined) throw new Error('Nothing was parked.');
  const { energyLostKwh, drainPctPerDay, preconditioningMinutes, sentryMinutes, reasons } = span;
  return { energyLostKwh, drainPctPerDay, preconditioningMinutes, sentryMinutes, reasons };
}

describe('what a parked vehicle loses', () => {
  it('asleep, nobody knows why: its drain is the level lost per day', () => {
    const found = losses([rest(0, 400), asleep(HOUR), rest(24 * HOUR, 396), driveOff(25 * HOUR)]);
    // 4 km of 400 km are 1 % of the 80 % there were, and 0.6 kWh.
    expect(found).toEqual({
      energyLostKwh: 0.6,
      drainPctPerDay: 0.8,
      preconditioningMinutes: 0,
      sentryMinutes: 0,
      reasons: ['UNKNOWN'],
    });
  });

  it('on guard is put down to sentry, whose time the drain leaves out', () => {
    const found = losses([
      rest(0, 400, { sentry: 'ARMED' }),
      rest(10 * HOUR, 380, { sentry: 'OFF' }),
      asleep(10 * HOUR + 60),
      rest(34 * HOUR, 379),
      driveOff(35 * HOUR),
    ]);
    expect(found).toMatchObject({ sentryMinutes: 600, reasons: ['SENTRY'], energyLostKwh: 3.15 });
    expect(found.drainPctPerDay).toBeCloseTo(0.21, 2);
  });

  it('asleep is not put down to a sentry that was last heard on', () => {
    const found = losses([
      rest(0, 400, { sentry: 'ARMED' }),
      asleep(60),
      rest(10 * HOUR, 398),
      driveOff(11 * HOUR),
    ]);
    expect(found).toMatchObject({ sentryMinutes: 1, reasons: ['UNKNOWN'] });
  });

  it('with the climate on is put down to it, also on guard', () => {
    const found = losses([
      rest(0, 400, { sentry: 'ARMED', climateOn: true }),
      rest(HOUR / 2, 390, { climateOn: false, sentry: 'OFF' }),
      driveOff(HOUR),
    ]);
    expect(found).toMatchObject({
      preconditioningMinutes: 30,
      sentryMinutes: 30,
      reasons: ['CLIMATE'],
      drainPctPerDay: null,
    });
  });

  it.each([
    ['the pack withholds level', { usableBatteryLevelPct: 77 }],
    ['it freezes outside', { outsideTempC: -8 }],
  ])('is put down to the cold where %s', (_why, signals) => {
    const found = losses([
      rest(0, 400),
      asleep(60),
      rest(9 * HOUR, 385, signals),
      driveOff(10 * HOUR),
    ]);
    expect(found.reasons).toEqual(['COLD']);
  });

  it('names each reason of at least a tenth, the most first', () => {
    const found = losses([
      rest(0, 400, { climateOn: true }),
      rest(HOUR, 398, { climateOn: false, sentry: 'ARMED' }),
      rest(9 * HOUR, 380, { sentry: 'OFF' }),
      rest(10 * HOUR, 379.5),
      driveOff(11 * HOUR),
    ]);
    expect(found.reasons).toEqual(['SENTRY']);
    const closer = losses([
      rest(0, 400, { climateOn: true }),
      rest(HOUR, 395, { climateOn: false, sentry: 'ARMED' }),
      rest(9 * HOUR, 380, { sentry: 'OFF' }),
      driveOff(11 * HOUR),
    ]);
    expect(closer.reasons).toEqual(['SENTRY', 'CLIMATE']);
  });

  it('leaves out a charge, seen or not', () => {
    const cable = { pluggedIn: true };
    const charging = { ...cable, chargeStatus: 'CHARGING', chargerPowerKw: 11 } as const;
    const found = losses([
      rest(0, 400),
      rest(10 * HOUR, 396),
      rest(11 * HOUR, 396, charging),
      rest(12 * HOUR, 450, { ...charging, batteryLevelPct: 90 }),
      rest(13 * HOUR, 450, { chargeStatus: 'DISCONNECTED', batteryLevelPct: 90 }),
      driveOff(14 * HOUR),
    ]);
    expect(found.energyLostKwh).toBe(0.6);
    const unseen = losses([
      rest(0, 400),
      rest(10 * HOUR, 396),
      asleep(11 * HOUR),
      rest(20 * HOUR, 450, { batteryLevelPct: 90, usableBatteryLevelPct: 90 }),
      driveOff(21 * HOUR),
    ]);
    expect(unseen.energyLostKwh).toBe(0.6);
  });

  it('is nothing, not less, where the pack warms up and the range rises', () => {
    const found = losses([rest(0, 400), asleep(60), rest(9 * HOUR, 404), driveOff(10 * HOUR)]);
    expect(found).toMatchObject({ energyLostKwh: 0, drainPctPerDay: 0, reasons: [] });
  });

  it('is told while it is parked, when it changes', () => {
    const outcome = run([rest(0, 400), rest(HOUR, 399), rest(2 * HOUR, 399), rest(3 * HOUR, 398)]);
    const told = outcome.effects.flatMap((effect) =>
      effect.kind === 'parkedSpan' ? [effect.row.energyLostKwh] : [],
    );
    expect(told).toEqual([null, 0, 0.15, 0.3].filter((kwh) => kwh !== 0));
  });

  it('goes on in a span that an earlier version opened, whose row has no figures', () => {
    const before = run([rest(0, 400)]).state;
    const { losses: _losses, ...stored } = before;
    const {
      energyLostKwh: _kwh,
      reasons: _reasons,
      sentryMinutes: _minutes,
      ...row
    } = before.parked ?? {};
    const revived = { ...initialState, ...stored, parked: row } as typeof before;
    const outcome = run(
      [rest(HOUR, 400), rest(10 * HOUR, 398), driveOff(11 * HOUR)],
      {},
      JSON.parse(JSON.stringify(revived)),
    );
    const span = rows(outcome, 'parkedSpan').at(0);
    expect(span).toMatchObject({ energyLostKwh: 0.3, sentryMinutes: 0, reasons: ['UNKNOWN'] });
  });

  it('never adds up to more minutes than passed, whatever is heard', () => {
    const event = fc.record({
      afterS: fc.integer({ min: 1, max: 40_000 }),
      km: fc.integer({ min: 100, max: 500 }),
      sentry: fc.constantFrom('OFF' as const, 'ARMED' as const),
      climateOn: fc.boolean(),
      sleeps: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 20 }), (steps) => {
        let at = 0;
        const events = [rest(0, 300)];
        for (const { afterS, km, sentry, climateOn, sleeps } of steps) {
          at += afterS;
          events.push(sleeps ? asleep(at) : rest(at, km, { sentry, climateOn }));
        }
        const found = losses([...events, driveOff(at + 60)]);
        expect(found.sentryMinutes).toBeLessThanOrEqual(at / 60 + 0.1);
        expect(found.preconditioningMinutes).toBeLessThanOrEqual(at / 60 + 0.1);
        expect(found.energyLostKwh ?? 0).toBeGreaterThanOrEqual(0);
        expect(found.drainPctPerDay ?? 0).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 60 },
    );
  });
});
