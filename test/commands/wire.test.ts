import { describe, expect, it } from 'vitest';
import { readParams } from '../../src/contract/command-params.ts';
import { commandNamed, commandRow, makerCommandNames } from '../../src/contract/commands.ts';
import { callsOf, fromMaker, inMakerWords } from '../../src/maker/command-body.ts';
import { exampleParams } from './examples.ts';

function calls(name: string, values: Record<string, unknown>) {
  const command = commandNamed(name);
  if (command === null) throw new Error(`No command ${name}.`);
  const params = readParams(command, { values, texts: false });
  return callsOf(command.row, params, 1_700_000_000_000).map(({ command: maker, body }) => [
    maker,
    body,
  ]);
}

const cases: [string, Record<string, unknown>, [string, unknown][]][] = [
  ['lock', {}, [['door_lock', {}]]],
  ['open_frunk', {}, [['actuate_trunk', { which_trunk: 'front' }]]],
  [
    'close_windows',
    { latitude: 52, longitude: 13 },
    [['window_control', { command: 'close', lat: 52, lon: 13 }]],
  ],
  ['tonneau', { action: 'STOP' }, [['stop_tonneau', {}]]],
  [
    'set_temperature',
    { driver_c: 21.5 },
    [['set_temps', { driver_temp: 21.5, passenger_temp: 21.5 }]],
  ],
  [
    'set_seat_heater',
    { seat: 'REAR_CENTER', level: 2 },
    [['remote_seat_heater_request', { seat_position: 4, heater: 4, level: 2 }]],
  ],
  [
    'set_seat_cooler',
    { seat: 'FRONT_RIGHT', level: 0 },
    [['remote_seat_cooler_request', { seat_position: 2, seat_cooler_level: 1 }]],
  ],
  [
    'set_steering_wheel_heater',
    { level: 'HIGH' },
    [['remote_steering_wheel_heat_level_request', { level: 3 }]],
  ],
  [
    'set_cabin_overheat',
    { on: true, fan_only: false, limit: 'C35' },
    [
      ['set_cabin_overheat_protection', { on: true, fan_only: false }],
      ['set_cop_temp', { cop_temp: 1 }],
    ],
  ],
  ['speed_limit_set', { limit_kmh: 120 }, [['speed_limit_set_limit', { limit_mph: 75 }]]],
  [
    'set_pin_to_drive',
    { on: true, pin: '0123' },
    [['set_pin_to_drive', { on: true, password: '0123' }]],
  ],
  [
    'add_charge_schedule',
    { days: ['MONDAY', 'SATURDAY'], enabled: true, latitude: 52, longitude: 13, start_minute: 120 },
    [
      [
        'add_charge_schedule',
        {
          days_of_week: 'Mon,Sat',
          enabled: true,
          lat: 52,
          lon: 13,
          start_time: 120,
          start_enabled: true,
          end_enabled: false,
        },
      ],
    ],
  ],
  [
    'navigate',
    { address: 'Berlin' },
    [
      [
        'navigation_request',
        {
          type: 'share_ext_content_raw',
          value: 'Berlin',
          locale: 'en-US',
          timestamp_ms: '1700000000000',
        },
      ],
    ],
  ],
  [
    'navigate',
    { waypoints: ['a', 'b'] },
    [['navigation_waypoints_request', { waypoints: 'refId:a,refId:b' }]],
  ],
];

describe('what the maker is asked', () => {
  it.each(cases)('for %s with %j', (name, values, expected) => {
    expect(calls(name, values)).toEqual(expected);
  });
});

describe('the pass-through', () => {
  it.each(makerCommandNames())('understands what the service itself sends as %s', (makerName) => {
    const name = fromMaker(makerName, {})?.ok ? fromMaker(makerName, {}) : null;
    if (name === null || !name.ok) throw new Error(`${makerName} is not understood.`);
    const row = commandRow(name.name);
    const params = exampleParams(row, makerName);
    const call = callsOf(row, params, 0).find(({ command }) => command === makerName);
    expect(call).toBeDefined();
    const back = fromMaker(makerName, call?.body ?? {});
    const again = readParams(
      { name: name.name, row, params: {}, legacy: false },
      { values: back?.ok ? back.values : {}, texts: false },
    );
    expect(callsOf(row, again, 0).find(({ command }) => command === makerName)).toEqual(call);
  });

  it('takes a seat under either of its two names', () => {
    for (const seat of ['seat_position', 'heater']) {
      expect(fromMaker('remote_seat_heater_request', { [seat]: 2, level: 1 })).toEqual({
        ok: true,
        name: 'set_seat_heater',
        values: { seat: 'REAR_LEFT', level: 1 },
      });
    }
  });

  it('reads the days as the maker writes them', () => {
    const days = (days_of_week: string) => fromMaker('add_charge_schedule', { days_of_week });
    expect(days('Mon,Tues')).toMatchObject({ values: { days: ['MONDAY', 'TUESDAY'] } });
    expect(days('Thursday,Saturday')).toMatchObject({ values: { days: ['THURSDAY', 'SATURDAY'] } });
    expect(days('Weekdays')).toMatchObject({ values: { days: { length: 5 } } });
    expect(days('Someday')).toEqual({ ok: false, reason: 'invalid days_of_week param' });
  });

  it('leaves out the times of a plan that their own flags switch off', () => {
    const body = { start_enabled: false, start_time: 60, end_enabled: true, end_time: 420 };
    expect(fromMaker('add_charge_schedule', body)).toMatchObject({ values: { end_minute: 420 } });
    expect(fromMaker('add_charge_schedule', body)).not.toHaveProperty('values.start_minute');
    expect(fromMaker('add_charge_schedule', { start_enabled: 1 })).toEqual({
      ok: false,
      reason: 'invalid start_enabled param',
    });
  });

  it('takes what the maker’s clients leave out, leave empty or wrap', () => {
    const older = { locale: 'de-DE', value: { 'android.intent.extra.TEXT': 'Berlin' } };
    expect(fromMaker('actuate_trunk', {})).toMatchObject({ values: { which: 'REAR' } });
    expect(fromMaker('set_valet_mode', { on: false, password: '' })).toMatchObject({
      values: { on: false },
    });
    expect(fromMaker('navigation_request', older)).toMatchObject({
      values: { address: 'Berlin', locale: 'de-DE' },
    });
  });

  it('takes every whole mph within the maker’s bounds as it is', () => {
    const row = commandRow('speed_limit_set');
    for (let limit_mph = 50; limit_mph <= 120; limit_mph++) {
      const read = fromMaker('speed_limit_set_limit', { limit_mph });
      const command = { name: 'speed_limit_set', row, params: {}, legacy: false } as const;
      const params = readParams(command, { values: read?.ok ? read.values : {}, texts: false });
      expect(callsOf(row, params, 0)[0]?.body).toEqual({ limit_mph });
    }
  });

  it('says what is wrong by the maker’s names', () => {
    const fields = { driver_c: ['This parameter is required.'], passenger_c: ['Give a number.'] };
    expect(inMakerWords('set_temperature', { passenger_temp: 'warm' }, fields)).toEqual([
      'missing driver_temp param',
      'invalid passenger_temp param: Give a number.',
    ]);
    expect(inMakerWords('speed_limit_set', { limit_mph: 9 }, { limit_kmh: ['80 km/h.'] })).toEqual([
      'invalid limit_mph param',
    ]);
  });

  it('knows no other names and no other fields', () => {
    expect(fromMaker('self_destruct', {})).toBeNull();
    expect(fromMaker('door_lock', { force: true })).toEqual({
      ok: false,
      reason: 'invalid force param',
    });
  });
});
