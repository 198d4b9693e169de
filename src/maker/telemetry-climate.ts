import { each, fact } from './facts.ts';
import { flag, mapped, numberWithin, wholeWithin } from './readers.ts';
import { enumWord, type FieldFacts } from './telemetry-value.ts';

const temperature = numberWithin(-90, 120);
const level = wholeWithin(0, 3);

const power = enumWord('HvacPowerState', {
  Off: 'OFF',
  On: 'ON',
  Precondition: 'PRECONDITION',
  OverheatProtect: 'OVERHEAT_PROTECT',
} as const);

/** Fields of the climate, in °C; left and right are the sides of a vehicle with the wheel on the left (maker.md §5.4). */
export const climateFields: FieldFacts = {
  InsideTemp: fact('insideTempC', temperature),
  OutsideTemp: fact('outsideTempC', temperature),
  HvacPower: each(
    fact('climatePower', power),
    fact(
      'climateOn',
      mapped(power, (now) => now !== 'OFF'),
    ),
    fact(
      'preconditioning',
      mapped(power, (now) => now === 'PRECONDITION'),
    ),
  ),
  HvacLeftTemperatureRequest: fact('driverTempSettingC', temperature),
  HvacRightTemperatureRequest: fact('passengerTempSettingC', temperature),
  HvacFanStatus: fact('fanLevel', wholeWithin(0, 20)),
  HvacAutoMode: fact(
    'autoConditioning',
    enumWord('HvacAutoModeState', { On: true, Override: false, Off: false }),
  ),
  ClimateKeeperMode: fact(
    'climateKeeperMode',
    enumWord('ClimateKeeperModeState', {
      Off: 'OFF',
      On: 'KEEP',
      Keep: 'KEEP',
      Dog: 'DOG',
      // What older software called camp mode.
      Party: 'CAMP',
      Camp: 'CAMP',
    } as const),
  ),
  DefrostMode: fact(
    'defrostMode',
    enumWord('DefrostModeState', {
      Off: 'OFF',
      Normal: 'NORMAL',
      AutoDefog: 'NORMAL',
      Max: 'MAX',
    } as const),
  ),
  RearDefrostEnabled: fact('rearDefrosterOn', flag),
  CabinOverheatProtectionMode: fact(
    'cabinOverheatMode',
    enumWord('CabinOverheatProtectionModeState', {
      Off: 'OFF',
      On: 'ON',
      FanOnly: 'FAN_ONLY',
    } as const),
  ),
  CabinOverheatProtectionTemperatureLimit: fact(
    'cabinOverheatLimitC',
    enumWord('ClimateOverheatProtectionTempLimit', { Low: 30, Medium: 35, High: 40 }),
  ),
  SeatHeaterLeft: fact('seatHeatFrontLeft', level),
  SeatHeaterRight: fact('seatHeatFrontRight', level),
  SeatHeaterRearLeft: fact('seatHeatRearLeft', level),
  SeatHeaterRearCenter: fact('seatHeatRearCenter', level),
  SeatHeaterRearRight: fact('seatHeatRearRight', level),
  AutoSeatClimateLeft: fact('seatAutoFrontLeft', flag),
  AutoSeatClimateRight: fact('seatAutoFrontRight', flag),
  ClimateSeatCoolingFrontLeft: fact('seatCoolFrontLeft', level),
  ClimateSeatCoolingFrontRight: fact('seatCoolFrontRight', level),
  HvacSteeringWheelHeatLevel: fact('steeringWheelHeatLevel', level),
  WiperHeatEnabled: fact('wiperHeaterOn', flag),
};
