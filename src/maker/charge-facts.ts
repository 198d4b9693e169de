import { kmFromMiles } from '../base/units.ts';
import { each, type Facts, fact, factsOf, keepRaw, noted, type Reading, unused } from './facts.ts';
import { finiteNumber, flag, mapped, numberWithin, text, wholeWithin, word } from './readers.ts';
import { plannedTime } from './times.ts';
import type { ChargeStateWire } from './wire.ts';

const percent = numberWithin(0, 100);
const wholePercent = wholeWithin(0, 100);
const amperes = numberWithin(0, 2_000);
const kilowatts = numberWithin(-2_000, 2_000);
const kilowattHours = numberWithin(0, 1_000);
const moduleTemperature = numberWithin(-80, 150);

/** Ranges in miles; 999 is what some vehicles say when they have none (maker.md §5.4). */
const rangeMiles = numberWithin(0, 998.99, kmFromMiles);

const statusWords = {
  Disconnected: 'DISCONNECTED',
  NoPower: 'NO_POWER',
  Starting: 'STARTING',
  Charging: 'CHARGING',
  Complete: 'COMPLETE',
  Stopped: 'STOPPED',
  Calibrating: 'UNKNOWN',
} as const;

const knownStatus = word(statusWords);

/** Words that are not in the table are `UNKNOWN`; what is no word is not understood. */
const status: typeof knownStatus = (value, receivedAt) =>
  knownStatus(value, receivedAt) ?? mapped(text, () => 'UNKNOWN' as const)(value, receivedAt);

const pluggedIn = mapped(status, (now) => (now === 'UNKNOWN' ? null : now !== 'DISCONNECTED'));

const hours = mapped(numberWithin(0, 1_000), (duration) => duration * 60);

const table: Facts<ChargeStateWire> = {
  battery_level: fact('batteryLevelPct', percent),
  usable_battery_level: fact('usableBatteryLevelPct', percent),
  energy_remaining: fact('energyRemainingKwh', kilowattHours),
  battery_range: fact('rangeRatedKm', rangeMiles),
  ideal_battery_range: fact('rangeIdealKm', rangeMiles),
  est_battery_range: fact('rangeEstimatedKm', rangeMiles),
  charging_state: each(
    fact('chargeStatus', status),
    fact('pluggedIn', pluggedIn),
    noted(knownStatus),
  ),
  charge_limit_soc: fact('chargeLimitPct', wholePercent),
  charge_limit_soc_min: fact('chargeLimitMinPct', wholePercent),
  charge_limit_soc_max: fact('chargeLimitMaxPct', wholePercent),
  charge_limit_soc_std: fact('chargeLimitStandardPct', wholePercent),
  charge_current_request: fact('chargeRequestedCurrentA', amperes),
  charge_amps: fact('chargeRequestedCurrentA', amperes),
  charge_current_request_max: fact('chargeMaxCurrentA', amperes),
  charger_actual_current: fact('chargeActualCurrentA', amperes),
  charger_voltage: fact('chargerVoltageV', numberWithin(0, 2_000)),
  charger_phases: fact(
    'chargerPhases',
    mapped(wholeWithin(0, 3), (phases) => phases || null),
  ),
  charger_power: fact('chargerPowerKw', kilowatts),
  charge_rate: fact('chargeRateKmPerH', numberWithin(-2_000, 2_000, kmFromMiles)),
  charge_energy_added: fact('chargeEnergyAddedKwh', kilowattHours),
  minutes_to_full_charge: fact('minutesToFull', numberWithin(0, 60_000)),
  time_to_full_charge: fact('minutesToFull', hours),
  charge_port_door_open: fact('chargePortOpen', flag),
  charge_port_latch: fact(
    'chargePortLatch',
    word({ Engaged: 'ENGAGED', Disengaged: 'DISENGAGED', Blocking: 'BLOCKING' }),
  ),
  conn_charge_cable: fact('chargeCableType', text),
  fast_charger_present: fact('fastChargerPresent', flag),
  fast_charger_type: fact('fastChargerType', text),
  fast_charger_brand: fact('fastChargerBrand', text),
  battery_heater_on: fact('batteryHeaterOn', flag),
  scheduled_charging_mode: fact(
    'chargeScheduleMode',
    word({ Off: 'OFF', StartAt: 'START_AT', DepartBy: 'DEPART_BY' }),
  ),
  scheduled_charging_pending: fact('chargeSchedulePending', flag),
  scheduled_charging_start_time: fact('chargeScheduleStartAt', plannedTime),
  scheduled_departure_time: fact('chargeScheduleDepartureAt', plannedTime),
  module_temp_min: fact('moduleTempMinC', moduleTemperature),
  module_temp_max: fact('moduleTempMaxC', moduleTemperature),
  lifetime_energy_used: fact('lifetimeEnergyUsedKwh', numberWithin(0, 10_000_000)),
  charge_enable_request: unused,
  charge_miles_added_ideal: unused,
  charge_miles_added_rated: unused,
  charge_port_cold_weather_mode: unused,
  charge_port_color: unused,
  charge_to_max_range: unused,
  charger_pilot_current: unused,
  charging_schedule_override: unused,
  managed_charging_active: unused,
  managed_charging_start_time: unused,
  managed_charging_user_canceled: unused,
  max_range_charge_counter: unused,
  not_enough_power_to_heat: unused,
  off_peak_charging_enabled: unused,
  off_peak_charging_times: unused,
  off_peak_hours_end_time: unused,
  preconditioning_enabled: unused,
  preconditioning_times: unused,
  // Minutes after local midnight say no instant without the vehicle's time zone.
  scheduled_charging_start_time_app: unused,
  scheduled_departure_time_minutes: unused,
  supercharger_session_trip_planner: unused,
  timestamp: unused,
  trip_charging: unused,
  user_charge_enable_request: unused,
};

/** What `charge_state` tells. */
export const chargeFacts = factsOf(table, (into, fields, path) => {
  correctFastCharger(into);
  dropPackCurrent(into, fields, path);
});

/** Wall and mobile connectors, of which some vehicles say that a fast charger is present (maker.md §1.5). */
const alternatingType = /^(?:AC|MC)\s?SingleWireCAN/i;
const directType = /tesla|supercharger|combo|ccs|chademo|gb/i;

/** A charger is one of direct current by its type, where that is told. */
function correctFastCharger({ signals }: Reading) {
  const { fastChargerPresent, fastChargerType: type } = signals;
  if (typeof type !== 'string') return;
  if (alternatingType.test(type)) signals.fastChargerPresent = false;
  else if (fastChargerPresent == null && directType.test(type)) signals.fastChargerPresent = true;
}

/** No charger with alternating current gives more per phase. */
const highestAcCurrentA = 80;

/**
 * Some vehicles report the pack's current at the charger's voltage while charging with alternating current (155 A at
 * 230 V, maker.md §1.5): a current that the cable did not offer is not known.
 */
function dropPackCurrent(into: Reading, fields: Readonly<Record<string, unknown>>, path: string) {
  const { chargeActualCurrentA: currentA, fastChargerPresent } = into.signals;
  if (typeof currentA !== 'number' || fastChargerPresent === true) return;
  const offeredA = finiteNumber(fields.charger_pilot_current);
  const offerKnown = offeredA !== undefined && offeredA > 0;
  // A tenth and one ampere more than offered is rounding.
  const highestA = offerKnown ? Math.min(highestAcCurrentA, offeredA * 1.1 + 1) : highestAcCurrentA;
  if (currentA <= highestA) return;
  into.signals.chargeActualCurrentA = null;
  keepRaw(into, `${path}.charger_actual_current`, currentA);
}
