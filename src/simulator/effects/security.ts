import { SECOND_MS } from '../../base/units.ts';
import { type BodyReader, WrongParam } from '../command-params.ts';
import { type CommandEffect, noting, parked } from './effect.ts';

const mph = { min: 50, max: 120 };
const WRONG_PIN = 'wrong_pin';
const settings = [
  'SpeedLimit',
  'Acceleration',
  'SafetyFeatures',
  'Curfew',
  'BrowserBlocked',
  'TheaterBlocked',
  'ArcadeBlocked',
];

type Guarded = { on: boolean; pin: string | null };

/** Switches what a PIN guards: on sets the PIN the first time, and any other PIN than that is refused. */
function guard(guarded: Guarded, on: boolean, pin: string | null): string | undefined {
  if (guarded.pin !== null && pin !== null && pin !== guarded.pin) return WRONG_PIN;
  guarded.on = on;
  if (on) guarded.pin = pin ?? guarded.pin;
  return undefined;
}

/** The PIN under the name that these commands take; needed only to switch on. */
function password(body: BodyReader, on: boolean): string | null {
  return on || body.textIf('password') ? body.pin('password') : null;
}

/** Guard, PINs, limits, modes and software. */
export const securityEffects = {
  set_sentry_mode: noting(({ state }, body) => {
    state.remote.sentry = body.flag('on');
  }),
  set_valet_mode: parked(({ state: { remote } }, body) => {
    const on = body.flag('on');
    return guard(remote.valet, on, password(body, on));
  }),
  reset_valet_pin: ({ state: { remote } }) => {
    if (remote.valet.on) return 'valet_mode_active';
    remote.valet.pin = null;
    return undefined;
  },
  set_pin_to_drive: ({ state: { remote } }, body) => {
    const on = body.flag('on');
    return guard(remote.pinToDrive, on, password(body, on));
  },
  reset_pin_to_drive_pin: noting(({ state }) => {
    state.remote.pinToDrive = { on: false, pin: null };
  }),
  clear_pin_to_drive_admin: noting(({ state }) => {
    state.remote.pinToDrive = { on: false, pin: null };
  }),
  guest_mode: noting(({ state }, body) => {
    state.remote.guest = body.flag('enable');
  }),
  erase_user_data: parked(({ state }, _body, nowMs) => {
    if (!state.remote.guest) return 'guest_mode_needed';
    state.remote.erasedAtMs = nowMs;
    return undefined;
  }),
  speed_limit_activate: ({ state }, body) => guard(state.remote.speedLimit, true, body.pin('pin')),
  speed_limit_deactivate: ({ state }, body) =>
    guard(state.remote.speedLimit, false, body.pin('pin')),
  speed_limit_set_limit: ({ state: { remote } }, body) => {
    const limit = body.number('limit_mph', mph);
    if (remote.speedLimit.on) return 'speed_limit_mode_active';
    remote.speedLimit.mph = limit;
    return undefined;
  },
  speed_limit_clear_pin: ({ state: { remote } }, body) => {
    if (remote.speedLimit.on) return 'speed_limit_mode_active';
    const pin = body.pin('pin');
    if (remote.speedLimit.pin !== null && remote.speedLimit.pin !== pin) return WRONG_PIN;
    remote.speedLimit.pin = null;
    return undefined;
  },
  speed_limit_clear_pin_admin: noting(({ state: { remote } }) => {
    remote.speedLimit = { ...remote.speedLimit, on: false, pin: null };
  }),
  parental_controls_activate: ({ state }, body) =>
    guard(state.remote.parental, true, body.pin('pin')),
  parental_controls_deactivate: ({ state }, body) =>
    guard(state.remote.parental, false, body.pin('pin')),
  parental_controls_enable_setting: ({ state: { remote } }, body) => {
    const setting = body.text('setting');
    if (!settings.includes(setting)) throw new WrongParam('invalid setting param');
    const enable = body.flag('enable');
    if (remote.parental.on) return 'parental_controls_active';
    remote.parental.settings[setting] = enable;
    return undefined;
  },
  parental_controls_set_speed_limit: ({ state: { remote } }, body) => {
    const limit = body.number('limit_mph', mph);
    if (remote.parental.on) return 'parental_controls_active';
    remote.parental.mph = limit;
    return undefined;
  },
  parental_controls_clear_pin_admin: noting(({ state: { remote } }) => {
    remote.parental = { ...remote.parental, on: false, pin: null };
  }),
  set_vehicle_name: noting(({ state }, body) => {
    state.remote.name = body.text('vehicle_name');
  }),
  set_low_power_mode: noting(({ state }, body) => {
    state.remote.lowPower = body.flag('enable');
  }),
  keep_accessory_power_mode: noting(({ state }, body) => {
    state.remote.accessoryPower = body.flag('enable');
  }),
  schedule_software_update: ({ state: { software } }, body, nowMs) => {
    const offsetS = body.number('offset_sec', { min: 0, max: Infinity });
    if (software.target === null) return 'no_update_to_be_scheduled';
    software.status = offsetS === 0 ? 'installing' : 'scheduled';
    software.sinceMs = nowMs;
    software.startAtMs = offsetS === 0 ? null : nowMs + offsetS * SECOND_MS;
    return undefined;
  },
  cancel_software_update: ({ state: { software } }, _body, nowMs) => {
    if (software.status !== 'scheduled') return 'no_update_scheduled';
    software.status = 'available';
    software.sinceMs = nowMs;
    software.startAtMs = null;
    return undefined;
  },
} as const satisfies Record<string, CommandEffect>;
