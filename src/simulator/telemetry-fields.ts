import { milesFromKm, rounded } from '../base/units.ts';
import { packVoltageV } from './charging.ts';
import { coldLossPct } from './power.ts';
import { updateProgress } from './software.ts';
import { type Car, levelPct } from './state.ts';

/** A value as the maker's telemetry server decodes it: one member, by its type (maker.md §5.3). */
export type TelemetryValue = Readonly<Record<string, unknown>>;

/** A field that a car streams: not more often than every so many seconds, and only when it changed. */
export type TelemetryField = { name: string; everyS: number; read: (car: Car) => TelemetryValue };

const invalid: TelemetryValue = { invalid: true };
const double = (value: number, digits: number): TelemetryValue => ({
  doubleValue: rounded(value, digits),
});

function voltage(car: Car): number {
  return packVoltageV(levelPct(car));
}

/** Whether somebody is in the car, or it moves: else what drives is off and does not know its own values. */
function isOn({ state }: Car): boolean {
  return state.phase !== 'parked';
}

function chargerPower(car: Car, cable: 'ac' | 'dc'): TelemetryValue {
  const { charge } = car.state;
  return double(charge.state === 'Charging' && charge.cable === cable ? charge.chargerKw : 0, 2);
}

const chargerVoltageOf = ({ state: { charge } }: Car): TelemetryValue =>
  charge.state === 'Charging' ? double(charge.cable === 'dc' ? 390 : 230, 1) : invalid;

/** What the cars stream: how they move, their battery and charger, their software (maker.md §5.4, in miles and mph). */
export const telemetryFields: readonly TelemetryField[] = [
  {
    name: 'Gear',
    everyS: 1,
    read: (car) => (isOn(car) ? { shiftStateValue: `ShiftState${car.state.gear}` } : invalid),
  },
  {
    name: 'VehicleSpeed',
    everyS: 10,
    read: (car) => (isOn(car) ? double(milesFromKm(car.state.speedMps * 3.6), 2) : invalid),
  },
  {
    name: 'Location',
    everyS: 10,
    read: ({ state }) => ({
      locationValue: { latitude: rounded(state.lat, 6), longitude: rounded(state.lon, 6) },
    }),
  },
  {
    name: 'GpsHeading',
    everyS: 10,
    read: ({ state }) => double(state.headingDeg, 1),
  },
  // By steps of a tenth of a mile, as cars do since 2025.
  {
    name: 'Odometer',
    everyS: 10,
    read: ({ state }) => double(Math.floor(milesFromKm(state.odometerKm) * 10) / 10, 1),
  },
  { name: 'BatteryLevel', everyS: 30, read: (car) => double(levelPct(car), 1) },
  {
    name: 'Soc',
    everyS: 30,
    read: (car) => double(Math.max(0, levelPct(car) - coldLossPct(car.state.packTempC)), 1),
  },
  { name: 'EnergyRemaining', everyS: 30, read: ({ state }) => double(state.energyKwh, 2) },
  {
    name: 'RatedRange',
    everyS: 30,
    read: ({ spec, state }) => double(milesFromKm((state.energyKwh * 1000) / spec.ratedWhPerKm), 1),
  },
  { name: 'PackVoltage', everyS: 10, read: (car) => double(voltage(car), 1) },
  {
    name: 'PackCurrent',
    everyS: 10,
    read: (car) => double((-car.state.powerKw * 1000) / voltage(car), 1),
  },
  {
    name: 'DetailedChargeState',
    everyS: 1,
    read: ({ state }) => ({ detailedChargeStateValue: `DetailedChargeState${state.charge.state}` }),
  },
  {
    name: 'FastChargerPresent',
    everyS: 1,
    read: ({ state }) => ({ booleanValue: state.charge.cable === 'dc' }),
  },
  { name: 'ACChargingPower', everyS: 10, read: (car) => chargerPower(car, 'ac') },
  { name: 'DCChargingPower', everyS: 10, read: (car) => chargerPower(car, 'dc') },
  { name: 'DCChargingEnergyIn', everyS: 10, read: ({ state }) => double(state.charge.addedKwh, 2) },
  { name: 'ChargerVoltage', everyS: 60, read: chargerVoltageOf },
  { name: 'ChargeAmps', everyS: 60, read: ({ state }) => double(state.charge.currentA, 1) },
  {
    name: 'ChargeLimitSoc',
    everyS: 60,
    read: ({ state }) => ({ intValue: state.charge.limitPct }),
  },
  { name: 'InsideTemp', everyS: 60, read: ({ state }) => double(state.insideTempC, 1) },
  { name: 'OutsideTemp', everyS: 60, read: ({ state }) => double(state.outsideTempC, 1) },
  { name: 'Locked', everyS: 1, read: ({ state }) => ({ booleanValue: state.locked }) },
  { name: 'Version', everyS: 60, read: ({ state }) => ({ stringValue: state.software.version }) },
  {
    name: 'SoftwareUpdateVersion',
    everyS: 60,
    // What stands there at rest.
    read: ({ state }) => ({ stringValue: state.software.target ?? ' ' }),
  },
  {
    name: 'SoftwareUpdateDownloadPercentComplete',
    everyS: 60,
    read: ({ state }) => ({ intValue: updateProgress(state.software, state.atMs).downloadPct }),
  },
  {
    name: 'SoftwareUpdateInstallationPercentComplete',
    everyS: 60,
    read: ({ state }) => ({
      intValue: Math.max(1, updateProgress(state.software, state.atMs).installPct),
    }),
  },
];
