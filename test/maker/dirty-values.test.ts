import { describe, expect, test } from 'vitest';
import type { SignalName, SignalValues } from '../../src/contract/signals.ts';
import { fullAnswer, fullAnswerAt } from './full-answer.ts';
import { kmOf, read, receivedAt } from './read.ts';

/** The full answer with the value at `section.field` or `section.group.field` replaced. */
function answerWith(path: string, value: unknown): Record<string, unknown> {
  const answer: Record<string, unknown> = structuredClone(fullAnswer());
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let place: unknown = answer;
  for (const step of steps) place = Object(place)[step];
  Object(place)[last] = value;
  return answer;
}

type Row = [path: string, value: unknown, signal: SignalName, expected: unknown, kept?: 'kept raw'];

const numbers: Row[] = [
  ['charge_state.battery_level', '64', 'batteryLevelPct', 64],
  ['charge_state.battery_level', ' 64.5 ', 'batteryLevelPct', 64.5],
  ['charge_state.battery_level', '<invalid>', 'batteryLevelPct', null],
  ['charge_state.battery_level', '', 'batteryLevelPct', null],
  ['charge_state.battery_level', null, 'batteryLevelPct', null],
  ['charge_state.battery_level', 'bad value', 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.battery_level', '0x10', 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.battery_level', '1e999', 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.battery_level', Number.POSITIVE_INFINITY, 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.battery_level', 101, 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.battery_level', -1, 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.battery_level', true, 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.battery_level', [64], 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.battery_level', { value: 64 }, 'batteryLevelPct', null, 'kept raw'],
  ['charge_state.charge_limit_soc', '79.6', 'chargeLimitPct', 80],
  ['charge_state.battery_range', 999, 'rangeRatedKm', null, 'kept raw'],
  ['charge_state.ideal_battery_range', 999, 'rangeIdealKm', null, 'kept raw'],
  ['charge_state.est_battery_range', '999.0', 'rangeEstimatedKm', null, 'kept raw'],
  ['charge_state.battery_range', 0, 'rangeRatedKm', 0],
  ['charge_state.charge_energy_added', 0, 'chargeEnergyAddedKwh', 0],
  ['charge_state.charge_energy_added', '3.5', 'chargeEnergyAddedKwh', 3.5],
  ['charge_state.charger_phases', 0, 'chargerPhases', null],
  ['charge_state.charger_phases', 1, 'chargerPhases', 1],
  ['charge_state.charger_phases', 2, 'chargerPhases', 2],
  ['charge_state.charger_phases', 3, 'chargerPhases', 3],
  ['charge_state.charger_phases', 4, 'chargerPhases', null, 'kept raw'],
  ['charge_state.minutes_to_full_charge', 165, 'minutesToFull', 165],
  ['drive_state.speed', '31', 'speedKmh', kmOf(31)],
  ['drive_state.speed', null, 'speedKmh', null],
  ['drive_state.power', -9, 'powerKw', -9],
  ['drive_state.heading', 360, 'headingDeg', 0],
  ['drive_state.heading', 361, 'headingDeg', null, 'kept raw'],
  ['vehicle_state.odometer', '<invalid>', 'odometerKm', null],
  ['vehicle_state.tpms_pressure_fl', null, 'tyrePressureFlBar', null],
  ['climate_state.inside_temp', null, 'insideTempC', null],
  ['climate_state.seat_heater_left', 4, 'seatHeatFrontLeft', null, 'kept raw'],
];

const words: Row[] = [
  ['charge_state.charging_state', 'Charging', 'chargeStatus', 'CHARGING'],
  ['charge_state.charging_state', 'NoPower', 'chargeStatus', 'NO_POWER'],
  ['charge_state.charging_state', 'Starting', 'chargeStatus', 'STARTING'],
  ['charge_state.charging_state', 'Complete', 'chargeStatus', 'COMPLETE'],
  ['charge_state.charging_state', 'Stopped', 'chargeStatus', 'STOPPED'],
  ['charge_state.charging_state', 'Calibrating', 'chargeStatus', 'UNKNOWN'],
  ['charge_state.charging_state', 'Levitating', 'chargeStatus', 'UNKNOWN', 'kept raw'],
  ['charge_state.charging_state', '<invalid>', 'chargeStatus', null],
  ['charge_state.charging_state', null, 'chargeStatus', null],
  ['charge_state.charging_state', 7, 'chargeStatus', null, 'kept raw'],
  ['charge_state.charging_state', 'Stopped', 'pluggedIn', true],
  ['charge_state.charging_state', 'NoPower', 'pluggedIn', true],
  ['charge_state.charging_state', 'Disconnected', 'pluggedIn', false],
  ['charge_state.charging_state', 'Calibrating', 'pluggedIn', null],
  ['charge_state.charging_state', null, 'pluggedIn', null],
  ['charge_state.charge_port_latch', 'Engaged', 'chargePortLatch', 'ENGAGED'],
  ['charge_state.charge_port_latch', 'Blocking', 'chargePortLatch', 'BLOCKING'],
  ['charge_state.charge_port_latch', 'Molten', 'chargePortLatch', null, 'kept raw'],
  ['charge_state.charge_port_latch', '<invalid>', 'chargePortLatch', null],
  ['charge_state.scheduled_charging_mode', 'Off', 'chargeScheduleMode', 'OFF'],
  ['charge_state.scheduled_charging_mode', 'StartAt', 'chargeScheduleMode', 'START_AT'],
  ['charge_state.conn_charge_cable', 'IEC', 'chargeCableType', 'IEC'],
  ['charge_state.fast_charger_type', '<invalid>', 'fastChargerType', null],
  ['charge_state.fast_charger_type', 'ACSingleWireCAN', 'fastChargerType', 'ACSingleWireCAN'],
  ['climate_state.climate_keeper_mode', 'off', 'climateKeeperMode', 'OFF'],
  ['climate_state.climate_keeper_mode', 'on', 'climateKeeperMode', 'KEEP'],
  ['climate_state.climate_keeper_mode', 'keep', 'climateKeeperMode', 'KEEP'],
  ['climate_state.climate_keeper_mode', 'camp', 'climateKeeperMode', 'CAMP'],
  ['climate_state.climate_keeper_mode', 'party', 'climateKeeperMode', 'CAMP'],
  ['climate_state.climate_keeper_mode', 'unknown', 'climateKeeperMode', null, 'kept raw'],
  ['climate_state.cabin_overheat_protection', 'Off', 'cabinOverheatMode', 'OFF'],
  ['climate_state.cabin_overheat_protection', 'On', 'cabinOverheatMode', 'ON'],
  ['climate_state.cop_activation_temperature', 'Low', 'cabinOverheatLimitC', 30],
  ['climate_state.cop_activation_temperature', 'High', 'cabinOverheatLimitC', 40],
  ['climate_state.defrost_mode', 0, 'defrostMode', 'OFF'],
  ['climate_state.defrost_mode', '1', 'defrostMode', 'NORMAL'],
  ['climate_state.defrost_mode', 3, 'defrostMode', null, 'kept raw'],
  ['drive_state.shift_state', null, 'gear', null],
  ['drive_state.shift_state', 'P', 'gear', 'P'],
  ['drive_state.shift_state', 'R', 'gear', 'R'],
  ['drive_state.shift_state', 'N', 'gear', 'N'],
  ['drive_state.shift_state', '<invalid>', 'gear', undefined, 'kept raw'],
  ['drive_state.shift_state', 'SNA', 'gear', undefined, 'kept raw'],
  ['vehicle_config.charge_port_type', 'EU', 'chargePortType', 'EU'],
  ['vehicle_config.charge_port_type', 'CHAdeMO', 'chargePortType', null, 'kept raw'],
  ['vehicle_state.media_info.media_playback_status', 'Stopped', 'mediaPlaying', false],
  ['vehicle_state.media_info.now_playing_title', '', 'mediaTitle', null],
  ['vehicle_state.vehicle_name', 'a\u0000b\ud800c', 'vehicleName', 'abc'],
  ['vehicle_state.sun_roof_state', 'unknown', 'sunroofState', null],
];

const flags: Row[] = [
  ['vehicle_state.locked', 'true', 'locked', true],
  ['vehicle_state.locked', 0, 'locked', false],
  ['vehicle_state.locked', '<invalid>', 'locked', null],
  ['vehicle_state.locked', 'ajar', 'locked', null, 'kept raw'],
  ['vehicle_state.locked', { toString: 1, valueOf: 2 }, 'locked', null, 'kept raw'],
  ['charge_state.fast_charger_present', '1', 'fastChargerPresent', true],
  ['vehicle_state.sentry_mode', false, 'sentry', 'OFF'],
  ['vehicle_state.sentry_mode', null, 'sentry', null],
  ['vehicle_state.fd_window', 0, 'windowFrontLeft', 'CLOSED'],
  ['vehicle_state.fd_window', 1, 'windowFrontLeft', 'OPEN'],
  ['vehicle_state.fd_window', 2, 'windowFrontLeft', 'OPEN'],
  ['vehicle_state.fd_window', '<invalid>', 'windowFrontLeft', null],
  ['vehicle_state.ft', 2, 'frunkOpen', true],
  ['vehicle_state.rt', 0, 'trunkOpen', false],
  ['vehicle_state.df', '1', 'doorFrontLeft', true],
  ['vehicle_state.df', -1, 'doorFrontLeft', null, 'kept raw'],
  ['vehicle_config.sun_roof_installed', 2, 'hasSunroof', true],
  ['vehicle_config.sun_roof_installed', true, 'hasSunroof', true],
  ['vehicle_config.sun_roof_installed', null, 'hasSunroof', null],
];

const times: Row[] = [
  ['drive_state.gps_as_of', 1714979288, 'locatedAt', 1714979288000],
  ['drive_state.gps_as_of', 1714979288000, 'locatedAt', 1714979288000],
  ['drive_state.gps_as_of', '1714979288', 'locatedAt', 1714979288000],
  ['drive_state.gps_as_of', '2024-05-06T07:08:08Z', 'locatedAt', 1714979288000],
  ['drive_state.gps_as_of', { seconds: 1714979288, nanos: 0 }, 'locatedAt', 1714979288000],
  ['drive_state.gps_as_of', 0, 'locatedAt', null],
  ['drive_state.gps_as_of', 1_000_000_000, 'locatedAt', null, 'kept raw'],
  ['drive_state.gps_as_of', receivedAt + 25 * 3_600_000, 'locatedAt', null, 'kept raw'],
  ['charge_state.scheduled_charging_start_time', null, 'chargeScheduleStartAt', null],
  ['charge_state.scheduled_departure_time', 'soon', 'chargeScheduleDepartureAt', null, 'kept raw'],
];

const versions: Row[] = [
  ['vehicle_state.car_version', '2020.48.10 f8900cddd03a', 'softwareVersion', '2020.48.10'],
  ['vehicle_state.car_version', '2020.48.10 f8900cddd03a', 'softwareCommit', 'f8900cddd03a'],
  ['vehicle_state.car_version', '2024.14.3', 'softwareVersion', '2024.14.3'],
  ['vehicle_state.car_version', '2024.14.3', 'softwareCommit', null],
  ['vehicle_state.car_version', ' ', 'softwareVersion', null],
  ['vehicle_state.car_version', null, 'softwareVersion', null],
  ['vehicle_state.car_version', 'nightly', 'softwareVersion', null, 'kept raw'],
  ['vehicle_state.software_update.version', ' ', 'updateVersion', null],
  ['vehicle_state.software_update.version', null, 'updateVersion', null],
  ['vehicle_state.software_update.status', 'available', 'updateStatus', 'AVAILABLE'],
  ['vehicle_state.software_update.status', 'scheduled', 'updateStatus', 'SCHEDULED'],
  ['vehicle_state.software_update.status', 'downloading', 'updateStatus', 'DOWNLOADING'],
  ['vehicle_state.software_update.status', 'downloading_wifi_wait', 'updateStatus', 'WAITING_WIFI'],
  ['vehicle_state.software_update.status', '', 'updateStatus', 'NONE'],
  ['vehicle_state.software_update.status', null, 'updateStatus', null],
  ['vehicle_state.software_update.status', 'praying', 'updateStatus', null, 'kept raw'],
  ['vehicle_state.software_update.status', 'available', 'updateInstallPct', null],
];

describe.each([
  ['numbers', numbers],
  ['words', words],
  ['flags', flags],
  ['times', times],
  ['versions', versions],
])('tolerates dirty %s', (_kind, rows) => {
  test.each(rows)('%s = %j makes %s %j', (path, value, signal, expected, kept) => {
    const { signals, raw } = read(answerWith(path, value));
    expect(signals[signal]).toEqual(expected);
    expect(Object.hasOwn(raw, path)).toBe(kept === 'kept raw');
  });
});

test('falls back to hours where the minutes to full are bad', () => {
  const answer = answerWith('charge_state.minutes_to_full_charge', 'bad value');
  const charge = { ...Object(answer.charge_state), time_to_full_charge: 2.75 };
  expect(read({ ...answer, charge_state: charge }).signals.minutesToFull).toBe(165);
});

test('takes the level of the steering wheel from its switch where there is no level', () => {
  const answer = answerWith('climate_state.steering_wheel_heat_level', null);
  expect(read(answer).signals.steeringWheelHeatLevel).toBe(3);
});

test.each([
  { status: '', install: null, download: null, minutes: null },
  { status: 'downloading', install: null, download: 40, minutes: 45 },
  { status: 'installing', install: 1, download: 40, minutes: 45 },
])('tells of an update "$status" only what means something', (row) => {
  const update = {
    status: row.status,
    version: ' ',
    install_perc: 1,
    download_perc: 40,
    expected_duration_sec: 2700,
  };
  const { signals } = read(answerWith('vehicle_state.software_update', update));
  expect(signals.updateInstallPct).toBe(row.install);
  expect(signals.updateDownloadPct).toBe(row.download);
  expect(signals.updateExpectedDurationMin).toBe(row.minutes);
  expect(signals.updateVersion).toBeNull();
});

test.each([
  { what: 'a pack current of 155 A at 230 V', amps: 155, offered: 16, dc: false, expected: null },
  {
    what: 'a pack current of 27 A where 16 A are offered',
    amps: 27,
    offered: 16,
    dc: false,
    expected: null,
  },
  {
    what: 'a pack current of 155 A without a known offer',
    amps: 155,
    offered: null,
    dc: false,
    expected: null,
  },
  { what: 'a charger current of 16 A', amps: 16, offered: 16, dc: false, expected: 16 },
  { what: 'a direct current of 400 A', amps: 400, offered: 16, dc: true, expected: 400 },
])('answers $expected for $what', ({ amps, offered, dc, expected }) => {
  const answer = answerWith('charge_state.charger_actual_current', amps);
  const charge = {
    ...Object(answer.charge_state),
    charger_voltage: 230,
    charger_pilot_current: offered,
    fast_charger_present: dc,
  };
  const { signals, raw } = read({ ...answer, charge_state: charge });
  expect(signals.chargeActualCurrentA).toBe(expected);
  expect(raw['charge_state.charger_actual_current']).toBe(expected === null ? amps : undefined);
});

test.each([
  { on: false, preconditioning: false, cooling: false, power: 'OFF' },
  { on: true, preconditioning: false, cooling: false, power: 'ON' },
  { on: true, preconditioning: true, cooling: false, power: 'PRECONDITION' },
  { on: true, preconditioning: false, cooling: true, power: 'OVERHEAT_PROTECT' },
  { on: false, preconditioning: false, cooling: true, power: 'OVERHEAT_PROTECT' },
  { on: null, preconditioning: null, cooling: null, power: null },
])('says $power when on is $on, preconditioning $preconditioning, cooling $cooling', (row) => {
  const climate_state = {
    is_climate_on: row.on,
    is_preconditioning: row.preconditioning,
    cabin_overheat_protection_actively_cooling: row.cooling,
    timestamp: fullAnswerAt,
  };
  expect(read({ ...fullAnswer(), climate_state }).signals.climatePower).toBe(row.power);
});

test('says nothing of places without the location scope', () => {
  const { latitude, longitude, gps_as_of, ...drive } = fullAnswer().drive_state;
  expect([latitude, longitude, gps_as_of]).not.toContain(undefined);
  const { active_route_destination, ...unrouted } = drive;
  expect(active_route_destination).toBe('Home');
  const { signals } = read({ ...fullAnswer(), drive_state: unrouted });
  expect(signals).not.toHaveProperty('latitude');
  expect(signals).not.toHaveProperty('longitude');
  expect(signals).not.toHaveProperty('routeDestination');
});

test('forgets the route when an answer with a place has none', () => {
  const { latitude, longitude, timestamp } = fullAnswer().drive_state;
  const { signals } = read({ ...fullAnswer(), drive_state: { latitude, longitude, timestamp } });
  expect(signals.routeDestination).toBeNull();
  expect(signals.routeDistanceKm).toBeNull();
});

test.each([
  { latitude: 47.3, longitude: null },
  { latitude: '<invalid>', longitude: 8.5 },
  { latitude: 91, longitude: 8.5 },
  { latitude: 47.3, longitude: -181 },
  { latitude: 47.3 },
])('takes half a position %j for none', (place) => {
  const { signals } = read({ ...fullAnswer(), drive_state: { ...place, timestamp: fullAnswerAt } });
  expect(signals.latitude).toBeNull();
  expect(signals.longitude).toBeNull();
});

const sections = [
  'charge_state',
  'climate_state',
  'drive_state',
  'vehicle_state',
  'vehicle_config',
];

test.each(sections)(
  'tells the rest of an answer when %s is null, missing or no object',
  (section) => {
    const whole: SignalValues = read(fullAnswer()).signals;
    for (const value of [null, undefined, 'down', 7, []]) {
      const part = read({ ...fullAnswer(), [section]: value }).signals;
      expect(Object.keys(part).length).toBeGreaterThan(40);
      expect(Object.keys(part).length).toBeLessThan(Object.keys(whole).length);
      expect(whole).toMatchObject(part);
    }
  },
);
