import { DAY_MS, SECOND_MS } from '../base/units.ts';
import type { TelemetryTarget } from './connector.ts';

/**
 * What vehicles are asked to stream. A vehicle sends a field when it changes, at most once in so many seconds; 150,000
 * values cost as much as 500 snapshots (maker.md §1.7), so what changes all the time comes seldom. Every field is one
 * that `telemetry.ts` reads.
 */
const fieldsByInterval: readonly { everyS: number; fields: string }[] = [
  { everyS: 1, fields: 'Gear DetailedChargeState' },
  { everyS: 5, fields: 'Location VehicleSpeed GpsHeading' },
  { everyS: 10, fields: 'Odometer PackVoltage PackCurrent ACChargingPower DCChargingPower' },
  {
    everyS: 30,
    fields:
      'Soc BatteryLevel RatedRange IdealBatteryRange EstBatteryRange EnergyRemaining ACChargingEnergyIn DCChargingEnergyIn DoorState Locked SentryMode HvacPower ClimateKeeperMode DefrostMode',
  },
  {
    everyS: 60,
    fields:
      'ChargeState ChargeLimitSoc ChargeAmps ChargeCurrentRequest ChargerVoltage ChargerPhases FastChargerPresent FastChargerType ChargingCableType ChargePortDoorOpen ChargePortLatch TimeToFullCharge InsideTemp OutsideTemp HvacLeftTemperatureRequest HvacRightTemperatureRequest HvacFanStatus BatteryHeaterOn FdWindow FpWindow RdWindow RpWindow DriverSeatOccupied DestinationName DestinationLocation MilesToArrival MinutesToArrival',
  },
  {
    everyS: 300,
    fields:
      'TpmsPressureFl TpmsPressureFr TpmsPressureRl TpmsPressureRr Version VehicleName ServiceMode ValetModeEnabled SoftwareUpdateVersion SoftwareUpdateDownloadPercentComplete SoftwareUpdateInstallationPercentComplete SoftwareUpdateExpectedDurationMinutes SoftwareUpdateScheduledStartTime ScheduledChargingMode ScheduledChargingPending ScheduledChargingStartTime',
  },
];

/** The fields with their shortest interval in seconds. */
export const telemetryFields: ReadonlyMap<string, number> = new Map(
  fieldsByInterval.flatMap(({ everyS, fields }) =>
    fields.split(' ').map((field) => [field, everyS] as const),
  ),
);

/** How long vehicles stream without being asked anew. */
export const TELEMETRY_LIFETIME_MS = 365 * DAY_MS;

/** What a vehicle is told to stream, where, and until when. */
export type TelemetryWish = {
  hostname: string;
  port: number;
  ca: string;
  exp: number;
  fields: Record<string, { interval_seconds: number }>;
  alert_types: string[];
  prefer_typed: boolean;
  delivery_policy: string;
};

/** The whole wish (maker.md §5.1); `ca` is the chain of certificates (PEM), `now` epoch milliseconds. */
export function telemetryWish(
  { hostname, port }: TelemetryTarget,
  ca: string,
  now: number,
): TelemetryWish {
  const fields = [...telemetryFields].map(
    ([field, everyS]) => [field, { interval_seconds: everyS }] as const,
  );
  return {
    hostname,
    port,
    ca,
    exp: Math.floor((now + TELEMETRY_LIFETIME_MS) / SECOND_MS),
    fields: Object.fromEntries(fields),
    alert_types: ['service'],
    prefer_typed: true,
    // What was not delivered is sent when the vehicle is back, the newest first.
    delivery_policy: 'latest',
  };
}
