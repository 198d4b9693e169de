import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsedState } from '../../src/ingest/stored-state.ts';
import { driving, type Outcome, parked, passed, rows, run } from '../support/trace.ts';

const day = [
  parked(0, 1000, { softwareVersion: '2026.8.1' }),
  driving(60, 1000.3),
  driving(120, 1001),
  driving(600, 1010),
  parked(660, 1011),
  parked(700, 1011, { chargeStatus: 'CHARGING', chargerPowerKw: 11, chargeEnergyAddedKwh: 0 }),
  parked(2500, 1011, { chargeStatus: 'CHARGING', chargerPowerKw: 11, chargeEnergyAddedKwh: 5 }),
  parked(2600, 1011, { chargeStatus: 'COMPLETE', chargerPowerKw: 0, chargeEnergyAddedKwh: 5 }),
  parked(4000, 1011),
  driving(4100, 1011.4),
  driving(5000, 1026),
  passed(5000 + 1000),
  parked(9000, 1030, { softwareVersion: '2026.12.3' }),
];

function result(outcome: Outcome) {
  return (['drive', 'charge', 'stateSpan', 'parkedSpan', 'installation'] as const).map((kind) =>
    rows(outcome, kind),
  );
}

describe('the reducer', () => {
  it('comes to the same rows wherever the process died and read its state again', () => {
    const whole = result(run(day));
    fc.assert(
      fc.property(fc.subarray(day.map((_, index) => index)), (cuts) => {
        const outcome = day.reduce<Outcome>((before, event, index) => {
          const stored = cuts.includes(index)
            ? parsedState(JSON.parse(JSON.stringify(before.state)))
            : before.state;
          const next = run([event], {}, stored);
          return { state: next.state, effects: [...before.effects, ...next.effects] };
        }, run([]));
        expect(result(outcome)).toEqual(whole);
      }),
    );
  });

  it('comes to the same rows when answers are repeated', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(day.length - 1), { maxLength: 6 }), (repeated) => {
        const events = day.flatMap((event, index) =>
          repeated.includes(index) ? [event, event] : [event],
        );
        expect(result(run(events))).toEqual(result(run(day)));
      }),
    );
  });

  it('never touches the state it is given', () => {
    const before = run(day.slice(0, 4)).state;
    const copy = structuredClone(before);
    run(day.slice(4), {}, before);
    expect(before).toEqual(copy);
  });
});
