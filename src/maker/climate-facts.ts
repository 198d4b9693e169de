import { type Facts, fact, factsOf, type Reading, unused } from './facts.ts';
import { flag, mapped, numberWithin, wholeWithin, word } from './readers.ts';
import type { ClimateStateWire } from './wire.ts';

const temperature = numberWithin(-90, 120);
const level = wholeWithin(0, 3);

const keeperMode = word<'OFF' | 'KEEP' | 'DOG' | 'CAMP'>({
  off: 'OFF',
  on: 'KEEP',
  keep: 'KEEP',
  dog: 'DOG',
  camp: 'CAMP',
  // What older software called camp mode.
  party: 'CAMP',
});

/** A steering wheel without steps is off or fully on; observed on vehicles that report no level. */
const wheelHeater = mapped(flag, (on) => (on ? 3 : 0));

const table: Facts<ClimateStateWire> = {
  is_climate_on: fact('climateOn', flag),
  inside_temp: fact('insideTempC', temperature),
  outside_temp: fact('outsideTempC', temperature),
  driver_temp_setting: fact('driverTempSettingC', temperature),
  passenger_temp_setting: fact('passengerTempSettingC', temperature),
  min_avail_temp: fact('climateMinTempC', temperature),
  max_avail_temp: fact('climateMaxTempC', temperature),
  fan_status: fact('fanLevel', wholeWithin(0, 20)),
  is_preconditioning: fact('preconditioning', flag),
  is_auto_conditioning_on: fact('autoConditioning', flag),
  climate_keeper_mode: fact('climateKeeperMode', keeperMode),
  defrost_mode: fact('defrostMode', word({ 0: 'OFF', 1: 'NORMAL', 2: 'MAX' })),
  is_front_defroster_on: fact('frontDefrosterOn', flag),
  is_rear_defroster_on: fact('rearDefrosterOn', flag),
  bioweapon_mode: fact('bioweaponMode', flag),
  cabin_overheat_protection: fact(
    'cabinOverheatMode',
    word({ Off: 'OFF', On: 'ON', FanOnly: 'FAN_ONLY' }),
  ),
  cop_activation_temperature: fact('cabinOverheatLimitC', word({ Low: 30, Medium: 35, High: 40 })),
  seat_heater_left: fact('seatHeatFrontLeft', level),
  seat_heater_right: fact('seatHeatFrontRight', level),
  seat_heater_rear_left: fact('seatHeatRearLeft', level),
  seat_heater_rear_center: fact('seatHeatRearCenter', level),
  seat_heater_rear_right: fact('seatHeatRearRight', level),
  seat_fan_front_left: fact('seatCoolFrontLeft', level),
  seat_fan_front_right: fact('seatCoolFrontRight', level),
  auto_seat_climate_left: fact('seatAutoFrontLeft', flag),
  auto_seat_climate_right: fact('seatAutoFrontRight', flag),
  steering_wheel_heat_level: fact('steeringWheelHeatLevel', level),
  steering_wheel_heater: fact('steeringWheelHeatLevel', wheelHeater),
  side_mirror_heaters: fact('mirrorHeatersOn', flag),
  wiper_blade_heater: fact('wiperHeaterOn', flag),
  allow_cabin_overheat_protection: unused,
  auto_steering_wheel_heat: unused,
  // The same as `charge_state.battery_heater_on`.
  battery_heater: unused,
  battery_heater_no_power: unused,
  cabin_overheat_protection_actively_cooling: unused,
  hvac_auto_request: unused,
  left_temp_direction: unused,
  remote_heater_control_enabled: unused,
  right_temp_direction: unused,
  seat_heater_third_row_left: unused,
  seat_heater_third_row_right: unused,
  supports_fan_only_cabin_overheat_protection: unused,
  timestamp: unused,
};

/** What `climate_state` tells. */
export const climateFacts = factsOf(table, climatePower);

/** The reason why the climate runs; unknown only where the vehicle says nothing of it being on. */
function climatePower(into: Reading, fields: Readonly<Record<string, unknown>>) {
  const { climateOn, preconditioning } = into.signals;
  const cooling = flag(fields.cabin_overheat_protection_actively_cooling, into.receivedAt);
  if (cooling === true) into.signals.climatePower = 'OVERHEAT_PROTECT';
  else if (preconditioning === true) into.signals.climatePower = 'PRECONDITION';
  else if (climateOn === true) into.signals.climatePower = 'ON';
  else if (climateOn === false) into.signals.climatePower = 'OFF';
  else if (climateOn === null) into.signals.climatePower = null;
}
