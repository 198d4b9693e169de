import { kmFromMiles } from '../base/units.ts';
import { each, fact, factIfKnown, unused } from './facts.ts';
import { flag, mapped, numberWithin, text, wholeWithin } from './readers.ts';
import { enumText, enumWord, type FieldFacts, factWhenKnown } from './telemetry-value.ts';

const percent = numberWithin(0, 100);
const amperes = numberWithin(0, 2_000);
const kilowatts = numberWithin(-2_000, 2_000);
const kilowattHours = numberWithin(0, 1_000);
const moduleTemperature = numberWithin(-80, 150);
const hours = mapped(numberWithin(0, 1_000), (duration) => duration * 60);

/** Ranges in miles; 999 is what some vehicles say when they have none (maker.md §5.4). */
const rangeMiles = numberWithin(0, 998.99, kmFromMiles);

const status = enumWord('DetailedChargeState', {
  Disconnected: 'DISCONNECTED',
  NoPower: 'NO_POWER',
  Starting: 'STARTING',
  Charging: 'CHARGING',
  Complete: 'COMPLETE',
  Stopped: 'STOPPED',
} as const);

/** Fields of battery and charger (maker.md §5.4): powers in kW, counters in kWh, positive pack current into the battery. */
export const chargeFields: FieldFacts = {
  BatteryLevel: fact('batteryLevelPct', percent),
  Soc: fact('usableBatteryLevelPct', percent),
  EnergyRemaining: fact('energyRemainingKwh', kilowattHours),
  RatedRange: fact('rangeRatedKm', rangeMiles),
  IdealBatteryRange: fact('rangeIdealKm', rangeMiles),
  EstBatteryRange: fact('rangeEstimatedKm', rangeMiles),
  DetailedChargeState: each(
    factWhenKnown('chargeStatus', status),
    factWhenKnown(
      'pluggedIn',
      mapped(status, (now) => now !== 'DISCONNECTED'),
    ),
  ),
  ChargeState: fact('bmsChargeState', enumText('ChargeState')),
  ACChargingPower: fact('acPowerKw', kilowatts),
  DCChargingPower: fact('dcPowerKw', kilowatts),
  ACChargingEnergyIn: fact('acEnergyInKwh', kilowattHours),
  DCChargingEnergyIn: fact('dcEnergyInKwh', kilowattHours),
  PackVoltage: fact('packVoltageV', numberWithin(0, 2_000)),
  PackCurrent: fact('packCurrentA', numberWithin(-5_000, 5_000)),
  ChargeLimitSoc: fact('chargeLimitPct', wholeWithin(0, 100)),
  // Observed: the current that flows, where `vehicle_data` has the requested one under this name.
  ChargeAmps: fact('chargeActualCurrentA', amperes),
  ChargeCurrentRequest: fact('chargeRequestedCurrentA', amperes),
  ChargeCurrentRequestMax: fact('chargeMaxCurrentA', amperes),
  ChargerVoltage: fact('chargerVoltageV', numberWithin(0, 2_000)),
  ChargerPhases: fact(
    'chargerPhases',
    mapped(wholeWithin(0, 3), (phases) => phases || null),
  ),
  ChargeRateMilePerHour: fact('chargeRateKmPerH', numberWithin(-2_000, 2_000, kmFromMiles)),
  TimeToFullCharge: fact('minutesToFull', hours),
  EstimatedHoursToChargeTermination: factIfKnown('minutesToFull', hours),
  ChargePortDoorOpen: fact('chargePortOpen', flag),
  ChargePortLatch: fact(
    'chargePortLatch',
    enumWord('ChargePortLatch', {
      Engaged: 'ENGAGED',
      Disengaged: 'DISENGAGED',
      Blocking: 'BLOCKING',
    } as const),
  ),
  ChargingCableType: fact('chargeCableType', enumText('CableType')),
  FastChargerPresent: fact('fastChargerPresent', flag),
  FastChargerType: fact('fastChargerType', enumText('FastCharger')),
  FastChargerBrand: fact('fastChargerBrand', text),
  BatteryHeaterOn: fact('batteryHeaterOn', flag),
  ModuleTempMin: fact('moduleTempMinC', moduleTemperature),
  ModuleTempMax: fact('moduleTempMaxC', moduleTemperature),
  LifetimeEnergyUsed: fact('lifetimeEnergyUsedKwh', numberWithin(0, 10_000_000)),
  ScheduledChargingMode: fact(
    'chargeScheduleMode',
    enumWord('ScheduledChargingMode', {
      Off: 'OFF',
      StartAt: 'START_AT',
      DepartBy: 'DEPART_BY',
    } as const),
  ),
  ScheduledChargingPending: fact('chargeSchedulePending', flag),
  // Seconds that say a clock's time in a zone that is not the vehicle's: no instant (maker.md §5.4).
  ScheduledChargingStartTime: unused,
  ScheduledDepartureTime: unused,
};
