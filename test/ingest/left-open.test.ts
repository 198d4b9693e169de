import { describe, expect, it } from 'vitest';
import type { SignalValues } from '../../src/contract/signals.ts';
import type { IngestEvent } from '../../src/ingest/state.ts';
import { driving, parked, passed, run, seen, T0 } from '../support/trace.ts';

/** The reminders of a script: seconds after the beginning, and what stood open. */
function reminders(events: readonly IngestEvent[], leftOpenMinutes = 10) {
  return run(events, { leftOpenMinutes }).effects.flatMap((effect) =>
    effect.kind === 'event' && effect.type === 'reminder.left_open'
      ? [[(effect.occurredAt - T0) / 1000, effect.data.parts]]
      : [],
  );
}

const closed = { locked: true, doorFrontLeft: false, trunkOpen: false } as const;
const at = (seconds: number, signals: SignalValues) =>
  parked(seconds, 1000, { ...closed, ...signals });

describe('a reminder of what was left open', () => {
  it.each<[string, SignalValues]>([
    ['DOORS', { doorRearRight: true }],
    ['WINDOWS', { windowFrontLeft: 'OPEN' }],
    ['FRUNK', { frunkOpen: true }],
    ['TRUNK', { trunkOpen: true }],
    ['CHARGE_PORT', { chargePortOpen: true, pluggedIn: false }],
    ['UNLOCKED', { locked: false }],
  ])('tells of %s after so many minutes, once', (part, open) => {
    const script = [at(0, {}), at(60, open), at(659, open), at(700, open), at(4000, open)];
    expect(reminders(script)).toEqual([[660, [part]]]);
  });

  it('comes though nothing more is heard than that time passes', () => {
    expect(reminders([at(0, { locked: false }), passed(599), passed(600), passed(601)])).toEqual([
      [600, ['UNLOCKED']],
    ]);
  });

  it('names together what was left together', () => {
    const open = { locked: false, trunkOpen: true };
    expect(reminders([at(0, open), passed(700)])).toEqual([[600, ['TRUNK', 'UNLOCKED']]]);
  });

  it('comes again for another time, and not for what was closed before', () => {
    const open = { trunkOpen: true };
    const script = [
      at(0, open),
      at(500, {}),
      at(700, open),
      passed(1400),
      at(1500, {}),
      at(1600, open),
    ];
    expect(reminders([...script, passed(2300)])).toEqual([
      [1300, ['TRUNK']],
      [2200, ['TRUNK']],
    ]);
  });

  it('counts from when the vehicle was parked and left', () => {
    const open = { locked: false };
    const script = [
      driving(0, 1000, { ...closed, ...open }),
      driving(900, 1015, open),
      parked(1000, 1015, { ...open, userPresent: true }),
      parked(1900, 1015, { ...open, userPresent: false }),
    ];
    expect(reminders([...script, passed(2400)])).toEqual([]);
    expect(reminders([...script, passed(2600)])).toEqual([[2500, ['UNLOCKED']]]);
  });

  it('is of no window that is vented, no port with a cable, and nothing that is not known', () => {
    const open = { windowRearLeft: 'VENTED', chargePortOpen: true, pluggedIn: true } as const;
    expect(reminders([at(0, open), passed(4000), seen(5000, { gear: 'P' }), passed(9000)])).toEqual(
      [],
    );
  });

  it('comes after the time that is set, and never where that is 0', () => {
    const script = [at(0, { locked: false }), passed(1799), passed(1800)];
    expect(reminders(script, 30)).toEqual([[1800, ['UNLOCKED']]]);
    expect(reminders(script, 0)).toEqual([]);
  });
});
