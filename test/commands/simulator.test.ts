import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../src/base/units.ts';
import { commandEntries, commandRow } from '../../src/contract/commands.ts';
import { verdictOf } from '../../src/contract/expectations.ts';
import { callsOf } from '../../src/maker/command-body.ts';
import { observationOfVehicleData } from '../../src/maker/parse-vehicle-data.ts';
import { dataEndpoints } from '../../src/maker/wire.ts';
import { plugIn } from '../../src/simulator/charging.ts';
import { at } from '../schema/ask.ts';
import { bodyOf, type Maker, startMaker } from '../simulator/maker.ts';
import { exampleParams } from './examples.ts';

const refusals: [string, unknown, string][] = [
  ['set_charge_limit', {}, 'missing percent param'],
  ['set_charge_limit', { percent: '80' }, 'invalid percent param'],
  ['set_charge_limit', { percent: 30 }, 'invalid percent param'],
  ['set_sentry_mode', { on: 1 }, 'invalid on param'],
  ['remote_seat_heater_request', { level: 1 }, 'missing seat_position param'],
  ['set_pin_to_drive', { on: true, password: '12' }, 'invalid password param'],
];

/** A car at home, awake, plugged in below its limit, with its climate on and an update waiting. */
async function readyCar(): Promise<{ maker: Maker; vin: string }> {
  const maker = await startMaker({ wakeTime: 0 });
  const vin = maker.vins[0] ?? '';
  await maker.post(`/api/1/vehicles/${vin}/wake_up`);
  maker.turn(2 * SECOND_MS);
  await maker.get(`/api/1/vehicles/${vin}/vehicle_data`);
  const car = maker.simulator.cars[0];
  if (car === undefined) throw new Error('No car.');
  car.state.energyKwh = car.spec.capacityKwh * 0.4;
  plugIn(car, { cable: 'ac', limitPct: 70, startAtMs: null });
  car.state.climateOn = true;
  car.state.software.target = '2099.1.1';
  car.state.software.status = 'available';
  return { maker, vin };
}

async function dataOf(maker: Maker, vin: string) {
  const query = `endpoints=${encodeURIComponent(dataEndpoints.join(';'))}`;
  const body = await bodyOf(maker.get(`/api/1/vehicles/${vin}/vehicle_data?${query}`));
  const parsed = observationOfVehicleData(body, { receivedAt: 1, source: 'COMMAND' });
  if (!parsed.ok) throw new Error('The answer could not be read.');
  return { body, signals: parsed.value.signals };
}

/** What has to be so before a command that would else be refused. */
const before: Readonly<Record<string, [string, object][]>> = {
  erase_user_data: [['guest_mode', { enable: true }]],
  cancel_software_update: [['schedule_software_update', { offset_sec: 600 }]],
  start_charging: [['charge_stop', {}]],
  close_charge_port: [],
};

describe('commands at the stand-in', () => {
  it.each(commandEntries())('%s happens and shows in the next answer', async (name, row) => {
    const { maker, vin } = await readyCar();
    await using _ = maker;
    if (name === 'close_charge_port') {
      const state = maker.simulator.cars[0]?.state;
      if (state) state.charge = { ...state.charge, cable: null, state: 'Disconnected' };
      if (state) state.remote.portOpen = true;
    }
    for (const [command, body] of before[name] ?? []) await maker.command(vin, command, body);
    for (const { command } of row.maker) {
      const params = exampleParams(row, command);
      const call = callsOf(row, params, 0).find((one) => one.command === command);
      const answer = await maker.command(vin, command, call?.body);
      const said: unknown = await answer.json();
      if (name === 'wake') continue;
      expect([command, answer.status, said]).toMatchObject([
        command,
        200,
        { response: { result: true, reason: '' } },
      ]);
      const { signals } = await dataOf(maker, vin);
      const wanted = row.verify?.(params) ?? [];
      // This protocol tells nothing of a guest.
      const expected = wanted.length === 0 ? 'silent' : 'met';
      expect([command, verdictOf(wanted, signals)]).toEqual([command, expected]);
    }
  });

  it.each(refusals)('%s with %j is refused like the proxy does', async (name, body, reason) => {
    const { maker, vin } = await readyCar();
    await using _ = maker;
    const answer = await maker.command(vin, name, body);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { response: { result: false, reason }, error: '', error_description: '' },
    ]);
  });

  it('has no other commands', async () => {
    const { maker, vin } = await readyCar();
    await using _ = maker;
    const answer = await maker.command(vin, 'self_destruct', {});
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_command' }]);
    expect((await maker.command(vin, 'door_lock', 'no json')).status).toBe(400);
  });

  it('are refused by a car that sleeps, moves, is already so, or asks for a PIN', async () => {
    const { maker, vin } = await readyCar();
    await using _ = maker;
    const [, asleep = ''] = maker.vins;
    expect((await maker.command(asleep, 'door_lock', {})).status).toBe(408);
    const reasonOf = async (name: string, body: object = {}) => {
      return at(await bodyOf(maker.command(vin, name, body)), 'response.reason');
    };
    expect(await reasonOf('set_charge_limit', { percent: 70 })).toBe('already_set');
    expect(await reasonOf('charge_start')).toBe('is_charging');
    await reasonOf('speed_limit_activate', { pin: '1234' });
    expect(await reasonOf('speed_limit_deactivate', { pin: '4321' })).toBe('wrong_pin');
    expect(await reasonOf('speed_limit_set_limit', { limit_mph: 60 })).toBe(
      'speed_limit_mode_active',
    );
    const state = maker.simulator.cars[0]?.state;
    if (state) state.gear = 'D';
    expect(await reasonOf('honk_horn')).toBe('VEHICLE_NOT_IN_PARK');
    if (state) state.climateOn = false;
    expect(await reasonOf('remote_seat_heater_request', { heater: 0, level: 2 })).toBe(
      'climate_off',
    );
  });

  it('are refused with the words of a fault, and where signatures are required', async () => {
    const { maker, vin } = await readyCar();
    await using _ = maker;
    maker.simulator.fault({ kind: 'refused', reason: 'user_present', times: 1 });
    expect(await bodyOf(maker.command(vin, 'door_lock', {}))).toMatchObject({
      response: { result: false, reason: 'user_present' },
    });
    maker.simulator.fault({ kind: 'protocol_required', times: 1 });
    const answer = await maker.command(vin, 'door_lock', {});
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { error: expect.stringContaining('Command Protocol required') },
    ]);
    expect((await maker.command(vin, 'door_lock', {})).status).toBe(200);
  });

  it('keep plans that were added, and drop those that were removed', async () => {
    const { maker, vin } = await readyCar();
    await using _ = maker;
    const row = commandRow('add_charge_schedule');
    const [call] = callsOf(row, { ...exampleParams(row), id: 7 }, 0);
    await maker.command(vin, 'add_charge_schedule', call?.body);
    const plans = async () => (await dataOf(maker, vin)).body;
    expect(await plans()).toMatchObject({
      response: { charge_schedule_data: { charge_schedules: [{ id: 7, days_of_week: 2 }] } },
    });
    await maker.command(vin, 'remove_charge_schedule', { id: 7 });
    expect(await plans()).toMatchObject({
      response: { charge_schedule_data: { charge_schedules: [] } },
    });
  });
});
