import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import type { SignalValues } from '../../src/contract/signals.ts';
import {
  cadenceOf,
  garageProfile,
  makerProfile,
  profileOf,
  type Situation,
} from '../../src/ingest/cadence.ts';
import type { MachineState } from '../../src/ingest/state.ts';
import { parked, run, seen, T0 } from '../support/trace.ts';

const plugged = { chargeStatus: 'CHARGING', pluggedIn: true, chargerPowerKw: 11 } as const;
const fast = { ...plugged, chargerPowerKw: 120, fastChargerPresent: true } as const;
const after = (signals: SignalValues): MachineState =>
  run([parked(-600, 1_000), seen(0, { gear: 'P', speedKmh: 0, odometerKm: 1_000, ...signals })])
    .state;

const states = {
  driving: after({ gear: 'D', speedKmh: 50, powerKw: 20 }),
  chargingDc: after(fast),
  chargingAc: after(plugged),
  idle: after({}),
} as const;

const plain: Situation = {
  state: { ...states.idle, activeAt: T0 },
  lastDataAt: T0,
  onlineSince: null,
  streamedAt: null,
  sleepAware: true,
  pressure: 1,
};

/** How long after its last data a vehicle is asked again [ms]; null for not within an hour. */
function interval(situation: Partial<Situation>, profile = makerProfile): number | null {
  for (let ms = 0; ms <= 60 * MINUTE_MS; ms += SECOND_MS) {
    if (cadenceOf({ ...plain, ...situation }, T0 + ms, profile).dataNow) return ms;
  }
  return null;
}

const activities = fc.constantFrom(...(['driving', 'chargingDc', 'chargingAc', 'idle'] as const));
const offsets = fc.integer({ min: -60 * MINUTE_MS, max: 60 * MINUTE_MS });
const instants = fc.option(
  offsets.map((offset) => T0 + offset),
  { nil: null },
);
const pressures = fc.oneof(
  fc.double({ min: 1, max: 50, noNaN: true }),
  fc.constant(Number.POSITIVE_INFINITY),
);
const situations = fc.record({
  state: activities.map((activity) => states[activity]),
  lastDataAt: instants,
  onlineSince: instants,
  streamedAt: instants,
  sleepAware: fc.boolean(),
  pressure: pressures,
});
const profiles = fc.constantFrom(
  ...[true, false].flatMap((simulated) =>
    (['NORMAL', 'SPARING', 'LIST_ONLY'] as const).map((pollProfile) =>
      profileOf({ simulated, pollProfile }),
    ),
  ),
);

describe('how often a vehicle is asked', () => {
  it('is a quarter of that where it is asked sparingly, and never where only the list is', () => {
    const sparing = profileOf({ simulated: false, pollProfile: 'SPARING' });
    const listOnly = profileOf({ simulated: false, pollProfile: 'LIST_ONLY' });
    expect(interval({ state: states.driving }, sparing)).toBe(60 * SECOND_MS);
    expect(interval({ state: states.chargingAc }, sparing)).toBe(4 * MINUTE_MS);
    for (const state of Object.values(states)) {
      const unseen = { state, lastDataAt: null, streamedAt: T0 };
      expect(interval({ state }, listOnly)).toBeNull();
      expect(interval(unseen, listOnly)).toBeNull();
      expect(cadenceOf({ ...plain, state }, T0, listOnly).nextInMs).toBe(makerProfile.list);
    }
  });

  it('is what contract §14 says', () => {
    expect(interval({ state: states.driving })).toBe(15 * SECOND_MS);
    expect(interval({ state: states.chargingDc })).toBe(15 * SECOND_MS);
    expect(interval({ state: states.chargingAc })).toBe(60 * SECOND_MS);
    expect(interval({})).toBe(5 * MINUTE_MS);
  });

  it('leaves an idle vehicle 21 minutes after 15 idle ones, and only where that is wished', () => {
    const idle = { ...states.idle, activeAt: T0 - 15 * MINUTE_MS };
    expect(interval({ state: idle })).toBe(21 * MINUTE_MS);
    expect(interval({ state: idle, sleepAware: false })).toBe(5 * MINUTE_MS);
    expect(interval({ state: { ...states.driving, activeAt: T0 - 15 * MINUTE_MS } })).toBe(
      15 * SECOND_MS,
    );
  });

  it('leaves a vehicle alone for a minute that came online by itself, but not one under way', () => {
    const woken = { lastDataAt: T0 - 60 * MINUTE_MS, onlineSince: T0 };
    expect(interval(woken)).toBe(60 * SECOND_MS);
    expect(interval({ ...woken, state: states.driving })).toBe(0);
  });

  it('asks a vehicle that streams once for each time it is awake, and looks at the list seldom', () => {
    const streams = { streamedAt: T0, state: states.driving };
    expect(interval({ ...streams, streamedAt: T0 + 60 * MINUTE_MS })).toBeNull();
    expect(interval({ ...streams, onlineSince: T0 + 1 })).toBe(0);
    const { nextInMs } = cadenceOf({ ...plain, ...streams }, T0 + SECOND_MS, makerProfile);
    expect(nextInMs).toBe(10 * MINUTE_MS);
    expect(interval(streams), 'until its stream ends').toBe(15 * MINUTE_MS);
  });

  it('slows down with the budget, an idle vehicle first and one that drives last', () => {
    expect(interval({ pressure: 2 })).toBe(30 * MINUTE_MS);
    expect(interval({ state: states.chargingAc, pressure: 2 })).toBe(4 * MINUTE_MS);
    expect(interval({ state: states.driving, pressure: 2 })).toBe(30 * SECOND_MS);
    expect(interval({ state: states.driving, pressure: 1_000 })).toBe(2 * MINUTE_MS);
  });

  it('is never for data of a vehicle that is not online, in service, or without budget', () => {
    fc.assert(
      fc.property(situations, offsets, profiles, (situation, offset, profile) => {
        const { state } = situation;
        const never = (more: Partial<Situation>) =>
          expect(cadenceOf({ ...situation, ...more }, T0 + offset, profile).dataNow).toBe(false);
        for (const connectivity of ['asleep', 'offline', null] as const) {
          never({ state: { ...state, connectivity } });
        }
        never({ state: { ...state, inService: true } });
        never({ pressure: Number.POSITIVE_INFINITY });
      }),
    );
  });

  it('is never sooner for less budget, nor for a vehicle that does less', () => {
    const order = ['driving', 'chargingDc', 'chargingAc', 'idle'] as const;
    const asks = (situation: Situation, offset: number) =>
      cadenceOf(situation, T0 + offset, makerProfile).dataNow;
    fc.assert(
      fc.property(situations, offsets, pressures, (situation, offset, pressure) => {
        const more = { ...situation, pressure: Math.max(pressure, situation.pressure) };
        if (asks(more, offset)) expect(asks(situation, offset)).toBe(true);
        // Neither waiting for sleep nor after it: what only the activity decides.
        const awake = { ...situation, onlineSince: null, sleepAware: false };
        const asked = order.map((name) => asks({ ...awake, state: states[name] }, offset));
        expect(asked).toEqual([...asked].sort((a, b) => Number(b) - Number(a)));
      }),
    );
  });

  it('always looks again, at the latest when the list is due, and never within a second', () => {
    fc.assert(
      fc.property(situations, offsets, profiles, (situation, offset, profile) => {
        const { nextInMs } = cadenceOf(situation, T0 + offset, profile);
        expect(nextInMs).toBeGreaterThanOrEqual(SECOND_MS);
        expect(nextInMs).toBeLessThanOrEqual(Math.max(profile.list, profile.streaming));
      }),
    );
  });

  it('never asks twice within the interval', () => {
    fc.assert(
      fc.property(situations, fc.integer({ min: 0, max: 2_900 }), (situation, soonMs) => {
        const asked = { ...situation, lastDataAt: T0, onlineSince: null };
        expect(cadenceOf(asked, T0 + soonMs, garageProfile).dataNow).toBe(false);
      }),
    );
  });
});
