import { MINUTE_MS } from '../../base/units.ts';
import { type CommandEffect, noting, parked } from './effect.ts';

/** A car can be driven off without a key for so long (maker.md §2.1). */
const REMOTE_START_MS = 2 * MINUTE_MS;

/** Locks, trunks, windows and alerts. */
export const closureEffects = {
  door_lock: ({ state }) => {
    if (state.driverDoorOpen) return 'CLOSURES_OPEN';
    state.locked = true;
    return undefined;
  },
  door_unlock: noting(({ state }) => {
    state.locked = false;
  }),
  actuate_trunk: ({ state: { remote } }, body) => {
    const which = body.textIf('which_trunk') ?? 'rear';
    if (which !== 'front' && which !== 'rear') return 'invalid_value';
    if (which === 'front') remote.frunkOpen = true;
    else remote.trunkOpen = !remote.trunkOpen;
    return undefined;
  },
  open_tonneau: noting(({ state }) => {
    state.remote.tonneau = 'open';
  }),
  close_tonneau: noting(({ state }) => {
    state.remote.tonneau = 'closed';
  }),
  stop_tonneau: noting(({ state }) => {
    state.remote.tonneau = 'stopped';
  }),
  window_control: ({ state }, body) => {
    const command = body.text('command');
    if (command !== 'vent' && command !== 'close') return 'invalid_value';
    state.remote.windowsOpen = command === 'vent';
    return undefined;
  },
  sun_roof_control: ({ state }, body) => {
    const wanted = body.text('state');
    if (wanted === 'vent') state.remote.sunroof = { state: 'vent', percent: 15 };
    else if (wanted === 'close') state.remote.sunroof = { state: 'closed', percent: 0 };
    else if (wanted !== 'stop') return 'invalid_value';
    return undefined;
  },
  flash_lights: noting(({ state }) => {
    state.remote.flashes += 1;
  }),
  honk_horn: parked(
    noting(({ state }) => {
      state.remote.honks += 1;
    }),
  ),
  remote_boombox: parked(
    noting(({ state }, body) => {
      body.numberIf('sound');
      state.remote.sounds += 1;
    }),
  ),
  remote_start_drive: noting(({ state }, _body, nowMs) => {
    state.remote.remoteStartUntilMs = nowMs + REMOTE_START_MS;
  }),
  trigger_homelink: ({ state }, body) => {
    body.number('lat');
    body.number('lon');
    if (state.placeId !== 'home') return 'not_nearby';
    state.remote.homelinks += 1;
    return undefined;
  },
} as const satisfies Record<string, CommandEffect>;
