import { describe, expect, it } from 'vitest';
import {
  answer,
  charging,
  drivesOf,
  listed,
  minuteOf,
  minutes,
  replayed,
  type Told,
} from '../support/poll-trace.ts';

const unplugged = (minute: number, level: number, added = 11, more: Told = {}) =>
  answer(minute, { level, added, ...more });
const complete = (minute: number, level: number, added: number) =>
  answer(minute, { charging: 'Complete', level, added });

function chargesOf(lines: readonly string[]) {
  return replayed(lines).charges.map((charge) => ({
    ...charge,
    from: minuteOf(charge.started_at),
    to: minuteOf(charge.ended_at),
    parts: charge.segments.map((part) => [
      minuteOf(part.started_at),
      minuteOf(part.ended_at),
      part.energy_added_kwh,
    ]),
  }));
}

describe('a polled charge', () => {
  it('is complete where the charger said so, below its limit too, and flows from its start', () => {
    const lines = [
      answer(0, { level: 50 }),
      answer(1, { charging: 'Starting', level: 50 }),
      ...charging(2, 62),
      complete(63, 61, 11),
      unplugged(100, 61),
    ];
    expect(chargesOf(lines)).toMatchObject([
      { state: 'COMPLETE', from: 1, to: 100, energy_added_kwh: 11, parts: [[1, 63, 11]] },
    ]);
  });

  it('is stopped where it was stopped, or went on after it was complete', () => {
    const stop = answer(63, { charging: 'Stopped', level: 61, added: 11 });
    for (const lines of [
      [answer(0), ...charging(2, 62), stop, unplugged(100, 61)],
      [
        answer(0),
        ...charging(2, 40),
        complete(41, 55, 7),
        ...charging(42, 62, 7),
        stop,
        unplugged(99, 61),
      ],
    ])
      expect(chargesOf(lines)).toMatchObject([{ state: 'STOPPED' }]);
  });

  it.each([
    ['three phases', {}],
    ['two reported for three', { charger_phases: 2 }],
    ['no phases', { charger_phases: null }],
    ['the voltage between phases', { charger_voltage: 400 }],
    ['the current of the battery', { charger_actual_current: 155 }],
  ])('takes from the charger what %s come to', (_by, charger) => {
    const lines = [
      answer(0),
      ...charging(2, 62, 0, { charger }),
      complete(63, 61, 11),
      unplugged(99, 61),
    ];
    const [charge] = chargesOf(lines);
    expect(charge?.energy_used_kwh).toBeGreaterThan(11);
    expect(charge?.energy_used_kwh).toBeLessThan(11.5);
  });

  it.each([
    ['AC', { fast_charger_present: true, fast_charger_type: 'ACSingleWireCAN' }],
    ['AC', { fast_charger_present: false, fast_charger_type: 'MCSingleWireCAN' }],
    ['DC', { fast_charger_present: null, fast_charger_type: 'Combo', charger_phases: null }],
    ['DC', { fast_charger_present: true, fast_charger_type: '<invalid>', charger_phases: null }],
  ])('is %s by what is in the port', (kind, charger) => {
    const lines = [answer(0), ...charging(1, 30, 0, { charger }), unplugged(31, 60, 5.32)];
    expect(chargesOf(lines)).toMatchObject([{ kind, segments: [{ kind }] }]);
  });

  it('has the energy that its counter shows when the vehicle is found without its cable', () => {
    const seen = [answer(0, { level: 50 }), ...charging(1, 30)];
    const found = chargesOf([...seen, listed(40, 'offline'), unplugged(600, 90, 28)]);
    expect(found).toMatchObject([
      { to: 600, energy_added_kwh: 28, battery_end_pct: 90, parts: [[1, 600, 28]] },
    ]);
    expect(found[0]?.energy_used_kwh).toBeGreaterThanOrEqual(28);

    const driven = replayed([...seen, unplugged(600, 80, 28, { mile: 30 })]);
    expect(driven.charges).toMatchObject([{ energy_added_kwh: 28, state: 'INCOMPLETE' }]);
    expect(drivesOf(driven)).toEqual([[expect.any(Number), 600, 30]]);
    expect(driven.charges[0]?.ended_at).toBe(driven.drives[0]?.started_at);

    const off = answer(32, { gear: 'D', speed: 20, level: 62, added: 6 });
    const away = replayed([...seen, off, answer(33, { gear: 'P', mile: 1, added: 6 })]);
    expect(away.charges).toMatchObject([{ energy_added_kwh: 6 }]);
  });

  it('took at least what it gained in a silence', () => {
    const silent = minutes(2, 20).map((i) => listed(i * 10, 'offline'));
    const lines = [
      answer(0),
      ...charging(1, 19),
      ...silent,
      complete(201, 61, 11),
      unplugged(300, 61),
    ];
    const [charge] = chargesOf(lines);
    expect(charge?.energy_added_kwh).toBe(11);
    expect(charge?.energy_used_kwh).toBeGreaterThan(11);
    expect(charge?.energy_used_kwh).toBeLessThan(13);
  });

  it('begins its counter anew where that fell since the charge before, also after an unseen drive', () => {
    const before = [answer(0), ...charging(1, 30), complete(31, 55, 5.32)];
    const lines = [
      ...before,
      answer(600, { charging: 'Charging', level: 50, added: 1, mile: 20 }),
      complete(630, 55, 6).replace('"odometer":1000', '"odometer":1020'),
    ];
    expect(chargesOf(lines)).toMatchObject([
      { energy_added_kwh: 5.32 },
      { energy_added_kwh: 6, energy_partial: false },
    ]);
  });

  describe('that was plugged in and heard of again when it was over', () => {
    const found = { level: 90, added: 28 };
    const cases: readonly (readonly [string, number, string])[] = [
      ['complete', 700, answer(600, { charging: 'Complete', ...found })],
      ['unplugged', 600, answer(600, found)],
      ['driving', 600, answer(600, { gear: 'D', speed: 20, ...found })],
      ['parked elsewhere', 576, answer(600, { mile: 10, ...found })],
    ];

    it.each(cases)(
      'has the energy of its counter, whatever that showed before: %s',
      (how, to, line) => {
        for (const added of [0, 20, 40]) {
          const before = { level: 50, added };
          const plugged = answer(1, { charging: 'Stopped', ...before });
          const lines = [
            answer(0, before),
            plugged,
            listed(30, 'asleep'),
            line,
            answer(700, { ...found, mile: how === 'parked elsewhere' ? 10 : 0 }),
          ];
          const { drives } = replayed(lines);
          const [charge, ...others] = chargesOf(lines);
          expect(others).toEqual([]);
          expect(charge).toMatchObject({
            ...{ from: 1, energy_added_kwh: 28, energy_partial: false },
            ...{ battery_start_pct: 50, battery_end_pct: 90, segments: [{ energy_added_kwh: 28 }] },
          });
          expect(charge?.to).toBeCloseTo(to, 0);
          for (const drive of drives) expect(drive.battery_start_pct).toBe(90);
        }
      },
    );
  });

  it.each([
    ['goes on', 5.32, 5.8, 5.8],
    ['begins anew', 0, 0.5, 5.82],
    ['is first seen after it began anew', 0.3, 0.5, 5.82],
  ])('counts a top-up whose counter %s', (_how, first, last, added) => {
    const lines = [
      answer(0),
      ...charging(1, 30),
      complete(31, 55, 5.32),
      ...charging(600, 600, first),
      complete(605, 55, last),
      unplugged(700, 55, last),
    ];
    expect(chargesOf(lines)).toMatchObject([
      { state: 'COMPLETE', to: 700, energy_added_kwh: added, segments: [{}, {}] },
    ]);
  });

  it.each([
    ['shows the charge before until energy flows', [20, 20, 0.18]],
    ['shows the charge before for a while', [20, 20, 20]],
    ['stays at nothing for a while', [0, 0, 0]],
  ])('has the whole energy where its counter %s', (_how, [plugged, first, second]) => {
    const lines = [
      answer(0, { added: plugged }),
      ...charging(1, 1, first),
      ...charging(2, 2, second),
      ...charging(3, 62, 0.37),
      complete(63, 61, 11.2),
      unplugged(99, 61, 11.2),
    ];
    expect(chargesOf(lines)).toMatchObject([{ energy_added_kwh: 11.2, energy_partial: false }]);
  });
});

describe('polled software', () => {
  const update = (status: string) => ({ status, version: '2026.12.3' });
  const softwareOf = (lines: readonly string[]) =>
    replayed(lines).software.map(({ version, state, started_at, ended_at }) => [
      ...[version, state, minuteOf(started_at), minuteOf(ended_at)],
    ]);

  it('is one version however its name is told', () => {
    const told = [
      '2026.8.1',
      '2026.8.1 ffffffffffff',
      null,
      ' ',
      '<invalid>',
      '2026.8.1 abcdef012345',
    ];
    const lines = told.map((version, i) => answer(i * 10, { version: version ?? '' }));
    expect(softwareOf([answer(0), ...lines])).toEqual([['2026.8.1', 'INSTALLED', null, null]]);
  });

  it('was withdrawn where another version is offered in its place', () => {
    const newer = { status: 'available', version: '2026.12.4' };
    const lines = [
      answer(0),
      answer(10, { update: update('available') }),
      answer(20, { update: newer }),
    ];
    expect(softwareOf(lines).slice(1)).toEqual([
      ['2026.12.3', 'CANCELLED', null, 20],
      ['2026.12.4', 'AVAILABLE', null, null],
    ]);
  });

  it('was not installed where the vehicle comes back with the old version and no update', () => {
    const vehicle = [
      answer(0),
      answer(10, { update: update('installing') }),
      answer(60),
      answer(70),
    ];
    expect(softwareOf(vehicle).at(-1)).toEqual(['2026.12.3', 'CANCELLED', 10, 60]);
    const { states } = replayed(vehicle);
    expect(states.find(({ state }) => state === 'updating')).toMatchObject({
      to: expect.any(String),
    });
  });
});
