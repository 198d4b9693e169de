import { type CommandEffect, noting } from './effect.ts';

const keepers = ['off', 'keep', 'dog', 'camp'] as const;
const limits = ['Low', 'Medium', 'High'] as const;
const level = { min: 0, max: 3 };
const degrees = { min: 15, max: 28 };

/** The car heats seats and wheel only while the climate is on (maker.md §2.2). */
function warmed(effect: CommandEffect, wire: string): CommandEffect {
  return (car, body, nowMs) => {
    const wanted = body.all[wire];
    const off = wanted === 0 || wanted === false;
    return off || car.state.climateOn ? effect(car, body, nowMs) : 'climate_off';
  };
}

/** Heating and cooling. */
export const climateEffects = {
  auto_conditioning_start: noting(({ state }) => {
    state.climateOn = true;
  }),
  auto_conditioning_stop: noting(({ state }) => {
    state.climateOn = false;
    state.preconditioning = false;
    state.remote.keeper = 'off';
    state.remote.defrost = false;
  }),
  set_temps: noting(({ state }, body) => {
    // What is left out is 0 at the maker's proxy, and then out of bounds here.
    state.remote.driverTempC = body.number('driver_temp', degrees);
    state.remote.passengerTempC = body.number('passenger_temp', degrees);
  }),
  set_preconditioning_max: noting(({ state }, body) => {
    state.remote.defrost = body.flag('on');
    if (state.remote.defrost) state.climateOn = true;
  }),
  set_bioweapon_mode: noting(({ state }, body) => {
    state.remote.bioweapon = body.flag('on');
  }),
  set_cabin_overheat_protection: noting(({ state }, body) => {
    const fanOnly = body.flagIf('fan_only') === true;
    state.remote.overheat = body.flag('on') ? (fanOnly ? 'FanOnly' : 'On') : 'Off';
  }),
  set_cop_temp: noting(({ state }, body) => {
    state.remote.overheatLimit = limits[body.number('cop_temp', { min: 0, max: 2 })] ?? 'High';
  }),
  set_climate_keeper_mode: noting(({ state }, body) => {
    const mode = keepers[body.number('climate_keeper_mode', { min: 0, max: 3 })] ?? 'off';
    state.remote.keeper = mode;
    if (mode !== 'off') state.climateOn = true;
  }),
  remote_seat_heater_request: warmed(
    noting(({ state }, body) => {
      const seat = body.number(body.oneOf('seat_position', 'heater'), { min: 0, max: 8 });
      state.remote.seatHeat[seat] = body.number('level', level);
    }),
    'level',
  ),
  remote_seat_cooler_request: ({ state }, body) => {
    const seat = body.number('seat_position', { min: 1, max: 2 });
    const wanted = body.number('seat_cooler_level', { min: 1, max: 4 }) - 1;
    if (wanted > 0 && !state.climateOn) return 'climate_off';
    state.remote.seatCool[seat] = wanted;
    return undefined;
  },
  remote_auto_seat_climate_request: noting(({ state }, body) => {
    const seat = body.number('auto_seat_position', { min: 1, max: 2 });
    state.remote.seatAuto[seat] = body.flag('auto_climate_on');
  }),
  remote_steering_wheel_heater_request: warmed(
    noting(({ state }, body) => {
      state.remote.wheelLevel = body.flag('on') ? 3 : 0;
    }),
    'on',
  ),
  remote_steering_wheel_heat_level_request: warmed(
    noting(({ state }, body) => {
      state.remote.wheelLevel = body.number('level', level);
    }),
    'level',
  ),
  remote_auto_steering_wheel_heat_climate_request: noting(({ state }, body) => {
    state.remote.wheelAuto = body.flag('on');
  }),
} as const satisfies Record<string, CommandEffect>;
