import { milesFromKm, rounded } from '../base/units.ts';
import type { ChargeStateWire } from '../maker/wire.ts';
import { MAINS_PHASES, MAINS_V, minutesToLimit, packVoltageV } from './charging.ts';
import { coldLossPct } from './power.ts';
import { type Car, levelPct } from './state.ts';

/** The part of `charge_state` that changes while the car drives. */
function batteryProgress(car: Car): ChargeStateWire {
  const { spec, state } = car;
  const level = levelPct(car);
  const rangeMi = milesFromKm((state.energyKwh * 1000) / spec.ratedWhPerKm);
  return {
    battery_level: Math.round(level),
    usable_battery_level: Math.round(Math.max(0, level - coldLossPct(state.packTempC))),
    battery_range: rounded(rangeMi, 2),
    ideal_battery_range: rounded(rangeMi, 2),
    est_battery_range: rounded(rangeMi * (state.outsideTempC < 5 ? 0.72 : 0.86), 2),
    timestamp: state.atMs,
  };
}

/** The part of `charge_state` that changes while the car drives or charges; without a cable the battery's alone. */
export function chargeProgress(car: Car): ChargeStateWire {
  return car.state.charge.cable === null ? batteryProgress(car) : chargerProgress(car);
}

function chargerProgress(car: Car): ChargeStateWire {
  const { spec, state } = car;
  const { charge } = state;
  const flows = charge.state === 'Charging';
  const fast = charge.cable === 'dc';
  const fastVoltageV = flows ? Math.round(packVoltageV(levelPct(car))) : 0;
  const minutes = Math.round(minutesToLimit(car));
  const addedMi = milesFromKm((charge.addedKwh * 1000) / spec.ratedWhPerKm);
  // Field by field: a literal with a spread costs several times as much, a hundred thousand times at a first start.
  const told = batteryProgress(car);
  told.charging_state = charge.state;
  told.charge_energy_added = rounded(charge.addedKwh, 2);
  told.charge_miles_added_ideal = rounded(addedMi, 1);
  told.charge_miles_added_rated = told.charge_miles_added_ideal;
  told.charge_rate = flows
    ? rounded(milesFromKm((-state.powerKw * 1000) / spec.ratedWhPerKm), 1)
    : 0;
  told.charger_power = flows ? Math.round(charge.chargerKw) : 0;
  told.charger_voltage = fast ? fastVoltageV : flows ? MAINS_V : charge.cable === null ? 2 : 1;
  told.charger_actual_current = flows && !fast ? Math.round(charge.currentA) : 0;
  told.charger_phases = flows && !fast ? MAINS_PHASES : null;
  told.minutes_to_full_charge = minutes;
  told.time_to_full_charge = rounded(minutes / 60, 2);
  return told;
}

/** Battery and charger, whole. */
export function chargeState(car: Car): ChargeStateWire {
  const { charge, atMs, packTempC, remote } = car.state;
  const fast = charge.cable === 'dc';
  const plugged = charge.cable !== null;
  const pending = charge.scheduledAtMs !== null && charge.scheduledAtMs > atMs;
  const { startHour } = car.spec.charging;
  return {
    ...chargerProgress(car),
    battery_heater_on: charge.state === 'Charging' && fast && packTempC < 5,
    charge_amps: remote.chargeAmps,
    charge_current_request: remote.chargeAmps,
    charge_current_request_max: 16,
    charge_enable_request: true,
    charge_limit_soc: charge.limitPct,
    charge_limit_soc_max: 100,
    charge_limit_soc_min: 50,
    charge_limit_soc_std: 80,
    charge_port_cold_weather_mode: false,
    charge_port_door_open: plugged || remote.portOpen,
    charge_port_latch: remote.cableLoose ? 'Disengaged' : 'Engaged',
    charger_pilot_current: plugged && !fast ? 16 : 0,
    conn_charge_cable: plugged ? 'IEC' : '<invalid>',
    fast_charger_brand: fast ? 'Tesla' : '<invalid>',
    fast_charger_present: fast,
    fast_charger_type: fast ? 'Combo' : plugged ? 'ACSingleWireCAN' : '<invalid>',
    managed_charging_active: false,
    not_enough_power_to_heat: null,
    off_peak_charging_enabled: remote.offPeak.enabled,
    off_peak_charging_times: remote.offPeak.weekdaysOnly ? 'weekdays' : 'all_week',
    off_peak_hours_end_time: remote.offPeak.endMinute,
    preconditioning_enabled: remote.preconditioning.enabled,
    preconditioning_times: remote.preconditioning.weekdaysOnly ? 'weekdays' : 'all_week',
    scheduled_charging_mode: remote.schedule?.mode ?? (startHour === null ? 'Off' : 'StartAt'),
    scheduled_charging_pending: pending,
    scheduled_charging_start_time: pending ? Math.floor((charge.scheduledAtMs ?? 0) / 1000) : null,
    scheduled_charging_start_time_app: remote.schedule?.startMinute ?? (startHour ?? 0) * 60,
    ...(remote.schedule?.mode === 'DepartBy'
      ? { scheduled_departure_time_minutes: remote.schedule.departMinute }
      : {}),
    supercharger_session_trip_planner: false,
    trip_charging: fast,
    user_charge_enable_request: null,
  };
}
