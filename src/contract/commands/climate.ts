import type { SignalName } from '../signals.ts';
import { type CommandRow, equals, near, oneOf, use } from './command.ts';

const seatHeatSignals: Readonly<Record<string, SignalName>> = {
  FRONT_LEFT: 'seatHeatFrontLeft',
  FRONT_RIGHT: 'seatHeatFrontRight',
  REAR_LEFT: 'seatHeatRearLeft',
  REAR_CENTER: 'seatHeatRearCenter',
  REAR_RIGHT: 'seatHeatRearRight',
};
const seatCoolSignals: Readonly<Record<string, SignalName>> = { FRONT_LEFT: 'seatCoolFrontLeft', FRONT_RIGHT: 'seatCoolFrontRight' };
const seatAutoSignals: Readonly<Record<string, SignalName>> = { FRONT_LEFT: 'seatAutoFrontLeft', FRONT_RIGHT: 'seatAutoFrontRight' };

const frontSeats = { FRONT_LEFT: { wire: 1, sentence: 'Front left.' }, FRONT_RIGHT: { wire: 2, sentence: 'Front right.' } } as const;

const manualOverride = { kind: 'boolean', wire: 'manual_override', optional: true, sentence: 'Whether it stays so until somebody changes it by hand.' } as const;
const on = { kind: 'boolean', wire: 'on', sentence: 'Whether it is to be on.' } as const;
const level = { kind: 'int', min: 0, max: 3, sentence: 'Level, 0 (off) to 3.' } as const;
const temperature = { kind: 'float', unit: '°C', min: 15, max: 28, step: 0.5, within: { min: 'climateMinTempC', max: 'climateMaxTempC' } } as const;

/** Heating and cooling (maker.md §2.2). */
export const climateCommands = {
  start_climate: {
    group: 'climate',
    sentence: 'Starts heating or cooling to the temperature that is set.',
    maker: [use('auto_conditioning_start')],
    params: {},
    idempotent: true,
    scope: 'COMMANDS',
    supersedes: 'climate',
    verify: () => oneOf('climateOn', true),
    legacy: 'startAC',
    surface: 'all',
  },
  stop_climate: {
    group: 'climate',
    sentence: 'Stops heating and cooling.',
    maker: [use('auto_conditioning_stop')],
    params: {},
    idempotent: true,
    scope: 'COMMANDS',
    supersedes: 'climate',
    verify: () => oneOf('climateOn', false),
    legacy: 'stopAC',
    surface: 'all',
  },
  set_temperature: {
    group: 'climate',
    sentence: 'Sets the temperature inside.',
    maker: [use('set_temps')],
    params: {
      driver_c: { ...temperature, wire: 'driver_temp', sentence: 'Temperature on the driver’s side [°C].' },
      passenger_c: { ...temperature, wire: 'passenger_temp', optional: true, elseAs: 'driver_c', sentence: 'Temperature on the passenger’s side [°C]; the driver’s where it is left out.' },
    },
    idempotent: true,
    scope: 'COMMANDS',
    supersedes: 'temperature',
    verify: ({ driver_c }) => near('driverTempSettingC', driver_c, 0.26),
    surface: 'all',
  },
  set_seat_heater: {
    group: 'climate',
    sentence: 'Heats a seat.',
    maker: [use('remote_seat_heater_request')],
    params: {
      seat: {
        kind: 'choice',
        choices: {
          FRONT_LEFT: { wire: 0, sentence: 'Front left.' },
          FRONT_RIGHT: { wire: 1, sentence: 'Front right.' },
          REAR_LEFT: { wire: 2, sentence: 'Rear left.' },
          REAR_LEFT_BACK: { wire: 3, sentence: 'Backrest, rear left.' },
          REAR_CENTER: { wire: 4, sentence: 'Rear centre.' },
          REAR_RIGHT: { wire: 5, sentence: 'Rear right.' },
          REAR_RIGHT_BACK: { wire: 6, sentence: 'Backrest, rear right.' },
          THIRD_ROW_LEFT: { wire: 7, sentence: 'Third row left.' },
          THIRD_ROW_RIGHT: { wire: 8, sentence: 'Third row right.' },
        },
        wire: ['seat_position', 'heater'],
        sentence: 'Which seat.',
      },
      level: { ...level, wire: 'level' },
    },
    idempotent: true,
    scope: 'COMMANDS',
    precondition: { is: 'climate_on', unless: { param: 'level', is: 0 } },
    verify: ({ seat, level: wanted }) => {
      const signal = seatHeatSignals[String(seat)];
      return signal === undefined ? [] : equals(signal, wanted);
    },
    surface: 'all',
  },
  set_seat_cooler: {
    group: 'climate',
    sentence: 'Cools a front seat.',
    maker: [use('remote_seat_cooler_request')],
    params: {
      seat: { kind: 'choice', choices: frontSeats, wire: 'seat_position', sentence: 'Which seat.' },
      level: { ...level, wire: 'seat_cooler_level', convert: 'plus_one' },
    },
    idempotent: true,
    scope: 'COMMANDS',
    needs: 'SEAT_COOLING',
    precondition: { is: 'climate_on', unless: { param: 'level', is: 0 } },
    verify: ({ seat, level: wanted }) => {
      const signal = seatCoolSignals[String(seat)];
      return signal === undefined ? [] : equals(signal, wanted);
    },
    surface: 'all',
  },
  set_auto_seat_climate: {
    group: 'climate',
    sentence: 'Lets a front seat heat and cool by itself, or not.',
    maker: [use('remote_auto_seat_climate_request')],
    params: {
      seat: { kind: 'choice', choices: frontSeats, wire: 'auto_seat_position', sentence: 'Which seat.' },
      on: { ...on, wire: 'auto_climate_on' },
    },
    idempotent: true,
    scope: 'COMMANDS',
    verify: ({ seat, on: wanted }) => {
      const signal = seatAutoSignals[String(seat)];
      return signal === undefined ? [] : equals(signal, wanted);
    },
    surface: 'all',
  },
  set_steering_wheel_heater: {
    group: 'climate',
    sentence: 'Heats the steering wheel: on or off, or by level.',
    maker: [
      { command: 'remote_steering_wheel_heater_request', signing: 'INFOTAINMENT', when: { param: 'on' }, takes: ['on'] },
      { command: 'remote_steering_wheel_heat_level_request', signing: 'PROXYLESS', when: { param: 'level' }, takes: ['level'] },
    ],
    params: {
      on: { ...on, optional: true },
      level: {
        kind: 'choice',
        choices: { OFF: { wire: 0, sentence: 'Off.' }, LOW: { wire: 1, sentence: 'Low.' }, HIGH: { wire: 3, sentence: 'High.' } },
        wire: 'level',
        optional: true,
        sentence: 'Level.',
      },
    },
    choose: { how: 'one', of: [['on'], ['level']] },
    idempotent: true,
    scope: 'COMMANDS',
    precondition: { is: 'climate_on', unless: { param: 'on', is: false } },
    verify: ({ on: wanted, level: step }) => (wanted === false || step === 'OFF' ? oneOf('steeringWheelHeatLevel', 0) : oneOf('steeringWheelHeatLevel', 1, 2, 3)),
    surface: 'all',
  },
  set_auto_steering_wheel_heat: {
    group: 'climate',
    sentence: 'Lets the steering wheel heat by itself, or not.',
    maker: [use('remote_auto_steering_wheel_heat_climate_request', 'PROXYLESS')],
    params: { on },
    idempotent: true,
    scope: 'COMMANDS',
    surface: 'all',
  },
  set_defrost: {
    group: 'climate',
    sentence: 'Defrosts the windows as fast as the vehicle can, or stops it.',
    maker: [use('set_preconditioning_max')],
    params: { on, manual_override: manualOverride },
    idempotent: true,
    scope: 'COMMANDS',
    verify: ({ on: wanted }) => (wanted === true ? oneOf('defrostMode', 'NORMAL', 'MAX') : oneOf('defrostMode', 'OFF')),
    surface: 'all',
  },
  set_bioweapon_mode: {
    group: 'climate',
    sentence: 'Filters the air with overpressure, or stops it.',
    maker: [use('set_bioweapon_mode')],
    params: { on, manual_override: manualOverride },
    idempotent: true,
    scope: 'COMMANDS',
    verify: ({ on: wanted }) => equals('bioweaponMode', wanted),
    surface: 'all',
  },
  set_cabin_overheat: {
    group: 'climate',
    sentence: 'Protects the cabin from heat.',
    maker: [
      { command: 'set_cabin_overheat_protection', signing: 'INFOTAINMENT', when: { param: 'on' }, takes: ['on', 'fan_only'] },
      { command: 'set_cop_temp', signing: 'INFOTAINMENT', when: { param: 'limit' }, takes: ['limit'] },
    ],
    params: {
      on: { ...on, optional: true },
      fan_only: { kind: 'boolean', wire: 'fan_only', optional: true, sentence: 'Whether the fan alone is used.' },
      limit: {
        kind: 'choice',
        choices: {
          C30: { wire: 0, sentence: 'From 30 °C on.' },
          C35: { wire: 1, sentence: 'From 35 °C on.' },
          C40: { wire: 2, sentence: 'From 40 °C on.' },
        },
        wire: 'cop_temp',
        optional: true,
        sentence: 'Temperature at which it starts.',
      },
    },
    choose: { how: 'any', of: [['on'], ['limit']] },
    idempotent: true,
    scope: 'COMMANDS',
    verify: ({ on: wanted, fan_only, limit }) => [
      ...(wanted === undefined ? [] : equals('cabinOverheatMode', wanted === false ? 'OFF' : fan_only === true ? 'FAN_ONLY' : 'ON')),
      ...(limit === undefined ? [] : equals('cabinOverheatLimitC', Number(String(limit).slice(1)))),
    ],
    surface: 'all',
  },
  set_climate_keeper: {
    group: 'climate',
    sentence: 'Keeps the climate on while parked.',
    maker: [use('set_climate_keeper_mode')],
    params: {
      mode: {
        kind: 'choice',
        choices: {
          OFF: { wire: 0, sentence: 'Off.' },
          KEEP: { wire: 1, sentence: 'The temperature is kept.' },
          DOG: { wire: 2, sentence: 'For an animal in the vehicle.' },
          CAMP: { wire: 3, sentence: 'For people who stay in the vehicle.' },
        },
        wire: 'climate_keeper_mode',
        sentence: 'Which mode.',
      },
      manual_override: manualOverride,
    },
    idempotent: true,
    scope: 'COMMANDS',
    precondition: { is: 'parked' },
    verify: ({ mode }) => equals('climateKeeperMode', mode),
    surface: 'all',
  },
} as const satisfies Record<string, CommandRow>;
