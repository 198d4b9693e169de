import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import {
  checkBounds,
  isIdempotent,
  readParams,
  redactedParams,
} from '../../src/contract/command-params.ts';
import { meaningOf, ruleOf } from '../../src/contract/command-rules.ts';
import { commandNamed, commandRow } from '../../src/contract/commands.ts';

function read(name: string, values: Record<string, unknown>, texts = false) {
  const command = commandNamed(name);
  if (command === null) throw new Error(`No command ${name}.`);
  return readParams(command, { values, texts });
}

function problemsOf(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.code).toBe('validation_failed');
    return error.fields;
  }
}

describe('parameters of a command', () => {
  it('are taken within their bounds and refused outside', () => {
    expect(read('set_charge_limit', { percent: 80 })).toEqual({ percent: 80 });
    for (const percent of [49, 101, 80.5, '80', null]) {
      const problems = problemsOf(() => read('set_charge_limit', { percent }));
      expect([percent, problems]).toEqual([percent, { percent: [expect.any(String)] }]);
    }
  });

  it('are read from texts where they come from a query string', () => {
    expect(read('setChargeLimit', { limit: '80' }, true)).toEqual({ percent: 80 });
    expect(read('set_sentry_mode', { on: 'true' }, true)).toEqual({ on: true });
    expect(problemsOf(() => read('setChargeLimit', { limit: '8e1' }, true))).toEqual({
      limit: [expect.any(String)],
    });
  });

  it('are named in full where they are unknown or missing', () => {
    expect(problemsOf(() => read('set_charge_limit', { level: 3 }))).toEqual({
      level: ['There is no such parameter; there is percent.'],
      percent: ['This parameter is required.'],
    });
    expect(problemsOf(() => read('lock', { force: true }))).toEqual({
      force: ['This command takes no parameters.'],
    });
    for (const inherited of ['constructor', 'toString', 'valueOf']) {
      expect(problemsOf(() => read('lock', { [inherited]: 1 }))).toEqual({
        [inherited]: ['This command takes no parameters.'],
      });
    }
  });

  it('of a shortcut cannot be given again', () => {
    expect(read('vent_windows', {})).toEqual({ action: 'VENT' });
    expect(problemsOf(() => read('vent_windows', { action: 'CLOSE' }))).toEqual({
      action: [expect.stringContaining('latitude')],
    });
  });

  it('that exclude each other are refused together, and asked for when none is given', () => {
    expect(read('navigate', { latitude: 52, longitude: 13 })).toEqual({
      latitude: 52,
      longitude: 13,
    });
    expect(problemsOf(() => read('navigate', { address: 'Berlin', charger_id: 5 }))).toEqual({
      charger_id: [expect.stringContaining('only one')],
    });
    expect(problemsOf(() => read('navigate', { latitude: 52 }))).toEqual({
      longitude: [expect.any(String)],
    });
    expect(problemsOf(() => read('navigate', {}))).toEqual({ address: [expect.any(String)] });
  });

  it('that go with others are refused without them', () => {
    expect(problemsOf(() => read('set_cabin_overheat', { limit: 'C35', fan_only: true }))).toEqual({
      fan_only: ['This parameter goes with on only.'],
    });
    expect(problemsOf(() => read('navigate', { address: 'Berlin', order: 1 }))).toEqual({
      order: ['This parameter goes with latitude or charger_id only.'],
    });
    expect(read('tonneau', { action: 'STOP' })).toEqual({ action: 'STOP' });
  });

  it('say in a sentence which of them belong together', () => {
    const same = (name: string) => name;
    expect(ruleOf(commandRow('navigate'), same)).toBe(
      'Give exactly one of: address; latitude and longitude; charger_id; waypoints.',
    );
    expect(ruleOf(commandRow('lock'), same)).toBeNull();
    const { start_minute } = commandRow('set_scheduled_charging').params;
    expect(start_minute && meaningOf(start_minute, same)).toContain('Needed where enable is true.');
  });

  it('ask for a PIN only where something is switched on, and keep it out of the ledger', () => {
    expect(read('set_valet_mode', { on: false })).toEqual({ on: false });
    expect(problemsOf(() => read('set_valet_mode', { on: true }))).toEqual({
      pin: [expect.any(String)],
    });
    const params = read('set_valet_mode', { on: true, pin: '1234' });
    expect(redactedParams(commandRow('set_valet_mode'), params)).toEqual({
      on: true,
      pin: '[redacted]',
    });
    expect(
      JSON.stringify(problemsOf(() => read('speed_limit_activate', { pin: '98765' }))),
    ).not.toContain('98765');
  });

  it('are held against the bounds that the vehicle reports', () => {
    const row = commandRow('set_charging_amps');
    expect(() => checkBounds(row, { amps: 16 }, { chargeMaxCurrentA: 16 })).not.toThrow();
    expect(() => checkBounds(row, { amps: 32 }, {})).not.toThrow();
    expect(problemsOf(() => checkBounds(row, { amps: 32 }, { chargeMaxCurrentA: 16 }))).toEqual({
      amps: ['This vehicle takes at most 16 A.'],
    });
  });

  it('may be what is rounded to a bound of the vehicle in mph', () => {
    const row = commandRow('speed_limit_set');
    const reported = { speedLimitMinKmh: 80.467, speedLimitMaxKmh: 144.841 };
    expect(() => checkBounds(row, { limit_kmh: 80 }, reported)).not.toThrow();
    expect(() => checkBounds(row, { limit_kmh: 145 }, reported)).not.toThrow();
    expect(problemsOf(() => checkBounds(row, { limit_kmh: 146 }, reported))).toEqual({
      limit_kmh: ['This vehicle takes at most 145 km/h.'],
    });
  });

  it('say whether a repetition is harmless', () => {
    const row = commandRow('add_charge_schedule');
    expect(isIdempotent(row, { id: 5 })).toBe(true);
    expect(isIdempotent(row, {})).toBe(false);
    expect(isIdempotent(commandRow('unlock'), {})).toBe(false);
    expect(isIdempotent(commandRow('lock'), {})).toBe(true);
  });
});
