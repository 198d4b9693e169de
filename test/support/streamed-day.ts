import { charger, gear, link, MPH_60, miles, place, record } from './telemetry.ts';

/** A drive with a hole, an unseen one, a charge with a reset, and an update: forty events in order. */
export const streamedDay: string[] = [
  record(0, { Gear: gear('P'), Odometer: miles(1000), Location: place(0), Soc: 80 }),
  record(1, { DetailedChargeState: charger('Disconnected'), DCChargingEnergyIn: 6 }),
  record(2, { Version: '2026.8.1', SoftwareUpdateVersion: ' ' }),
  record(30, { Gear: gear('D'), PackVoltage: 400 }),
  ...[0, 1, 2, 3, 4].flatMap((minute) => [
    record(31 + minute * 60, { VehicleSpeed: MPH_60, PackCurrent: -30 - minute }),
    record(32 + minute * 60, { Location: place(minute), Odometer: miles(1000 + minute) }),
  ]),
  record(280, { Gear: gear('P'), VehicleSpeed: 0 }),
  record(282, { Odometer: miles(1004.1) }),
  link(400, 'DISCONNECTED'),
  link(4000, 'CONNECTED'),
  record(4001, { Odometer: miles(1030), Location: place(30) }),
  record(4100, { DetailedChargeState: charger('Starting') }),
  record(4103, { DetailedChargeState: charger('Charging'), ACChargingPower: 11, PackCurrent: 25 }),
  record(4110, { DCChargingEnergyIn: 0 }),
  record(5900, { DCChargingEnergyIn: 5, Soc: 70 }),
  record(5901, { DCChargingEnergyIn: 0.1 }),
  record(7600, { DCChargingEnergyIn: 4, Soc: 75 }),
  record(7700, { DetailedChargeState: charger('Complete'), ACChargingPower: 0 }),
  record(9000, { SoftwareUpdateVersion: '2026.12.3', SoftwareUpdateDownloadPercentComplete: 10 }),
  record(9500, { SoftwareUpdateDownloadPercentComplete: 100 }),
  record(9600, { SoftwareUpdateInstallationPercentComplete: 40 }),
  link(9610, 'DISCONNECTED'),
  link(11000, 'CONNECTED'),
  record(11001, { Version: '2026.12.3 abc123', SoftwareUpdateVersion: ' ' }),
  record(12000, { DetailedChargeState: charger('Disconnected') }),
];
