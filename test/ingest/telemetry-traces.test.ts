import { expect, it } from 'vitest';
import { replay } from '../../src/ingest/replay.ts';
import type { ReplayedVehicle } from '../../src/ingest/replay-report.ts';
import {
  charger,
  gear,
  MPH_60,
  miles,
  place,
  record,
  secondsIn,
  timeOf,
  VIN,
} from '../support/telemetry.ts';

const standing = (more = {}) =>
  record(0, { Gear: gear('P'), Odometer: miles(1000), Location: place(0), ...more });

/** A record a quarter of a minute at 60 km/h from 31 to 271 s: four kilometres. */
const onTheRoad = (fields: (km: number) => object) =>
  Array.from({ length: 17 }, (_, nth) =>
    record(31 + nth * 15, { VehicleSpeed: MPH_60, ...fields(nth / 4) }),
  );
const seen = (km: number) => ({ Location: place(km), Odometer: miles(1000 + km) });
const toD = record(30, { Gear: gear('D') });
const toP = record(280, { Gear: gear('P'), VehicleSpeed: 0 });

const off = { DetailedChargeState: charger('Disconnected') };
const starting = record(60, { DetailedChargeState: charger('Starting') });
const done = record(700, { DetailedChargeState: charger('Complete') });
const pulled = (more = {}) => record(1000, { ...off, ...more });
/** A value a minute from 120 to 660 s. */
const charging = (fields: (nth: number) => object) => [
  record(62, { DetailedChargeState: charger('Charging'), ...fields(0) }),
  ...Array.from({ length: 10 }, (_, nth) => record(120 + nth * 60, { ...fields(nth + 1) })),
];

/** What became of a vehicle, a line a drive, charge or discarded one, in seconds, km and kWh. */
function told({ drives, charges, discarded }: ReplayedVehicle): string[] {
  return [
    ...drives.map(
      (drive) =>
        `drive ${drive.state} ${secondsIn(drive.started_at)}-${secondsIn(drive.ended_at)} ${drive.distance_km} km`,
    ),
    ...charges.map(
      (charge) =>
        `${charge.kind} ${charge.state} ${secondsIn(charge.started_at)}-${secondsIn(charge.ended_at)} ${charge.energy_added_kwh} kWh`,
    ),
    ...discarded.map(({ kind, reason }) => `discarded ${kind} ${reason}`),
  ];
}

function inNanoseconds(line: string): string {
  const { createdAt, ...rest } = JSON.parse(line);
  return JSON.stringify({ ...rest, createdAt: `${Date.parse(createdAt)}000000` });
}

const link = (seconds: number, status: string, connectionId: string) =>
  JSON.stringify({ vin: VIN, connectionId, status, createdAt: timeOf(seconds) });

it.each<[string, string[], string[]]>([
  [
    'times that count nanoseconds are times',
    [standing(), toD, ...onTheRoad(seen), toP].map(inNanoseconds),
    ['drive ENDED 30-280 4 km'],
  ],
  [
    'a drive without odometer and positions is as long as its speeds tell',
    [record(0, { Gear: gear('P') }), toD, ...onTheRoad(() => ({})), toP],
    ['drive ENDED 30-280 4.083 km'],
  ],
  [
    'an odometer that is sent hours after its drive makes no second one of the same way',
    [
      standing(),
      toD,
      ...onTheRoad((km) => ({ Location: place(km) })),
      toP,
      record(40_000, { Odometer: miles(1004) }),
    ],
    ['drive ENDED 30-280 4 km'],
  ],
  [
    'a drive that broke off ended where its vehicle is found standing',
    [
      standing(),
      toD,
      ...onTheRoad(seen),
      record(876, { Gear: gear('P'), VehicleSpeed: 0, Odometer: miles(1004) }),
    ],
    ['drive ENDED 30-271 4 km'],
  ],
  [
    'a charge that the vehicle calls complete is, whatever the level',
    [
      standing({ ...off, Soc: 60 }),
      starting,
      ...charging((nth) => ({ DCChargingEnergyIn: nth })),
      done,
      pulled(),
    ],
    ['AC COMPLETE 60-1000 10 kWh'],
  ],
  [
    'without a counter the pack tells the energy of a charge',
    [
      standing({ ...off, EnergyRemaining: 40 }),
      starting,
      ...charging((nth) => ({ EnergyRemaining: 40 + nth })),
      done,
      pulled({ EnergyRemaining: 49.9 }),
    ],
    ['AC COMPLETE 60-1000 10 kWh'],
  ],
  [
    'what the charger alone counted is a charge',
    [
      standing(off),
      starting,
      ...charging((nth) => ({ ACChargingEnergyIn: nth / 2 })),
      done,
      pulled(),
    ],
    ['AC COMPLETE 60-1000 null kWh'],
  ],
  [
    'the record that tells of unplugging may bring the rest of the energy',
    [
      standing(off),
      starting,
      ...charging((nth) => ({ DCChargingEnergyIn: nth })),
      record(40_000, { ...off, DCChargingEnergyIn: 30 }),
    ],
    ['AC STOPPED 60-40000 30 kWh'],
  ],
  [
    'the last of the energy may be told when the cable is out already',
    [
      standing(off),
      starting,
      ...charging((nth) => ({ DCChargingEnergyIn: nth })),
      done,
      pulled(),
      record(1_020, { DCChargingEnergyIn: 10.6 }),
      record(9_000, { DCChargingEnergyIn: 11 }),
    ],
    ['AC COMPLETE 60-1000 10.6 kWh'],
  ],
  [
    'a vehicle without a gear stands at a fast charger, whatever speed it told last',
    [
      record(0, { Odometer: miles(1000), Location: place(0) }),
      ...onTheRoad(seen),
      record(285, { FastChargerPresent: true }),
      record(290, { DCChargingPower: 50, DCChargingEnergyIn: 0 }),
      record(400, { DCChargingEnergyIn: 1.5 }),
      record(500, { FastChargerPresent: false }),
    ],
    ['drive INCOMPLETE 31-271 4 km', 'DC STOPPED 290-500 1.5 kWh'],
  ],
  [
    'a counter that is back at nothing when the cable is out takes nothing away',
    [
      standing(off),
      starting,
      ...charging((nth) => ({ DCChargingEnergyIn: nth })),
      done,
      pulled({ DCChargingEnergyIn: 0 }),
    ],
    ['AC COMPLETE 60-1000 10 kWh'],
  ],
  [
    'a fast charger that was never said to be gone is no part of the next charge',
    [
      standing(off),
      record(10, {
        FastChargerPresent: true,
        DetailedChargeState: charger('Charging'),
        DCChargingEnergyIn: 0,
      }),
      record(20, { DCChargingPower: 100 }),
      record(40, { DCChargingEnergyIn: 2 }),
      record(50, off),
      starting,
      ...charging((nth) => ({ DCChargingEnergyIn: nth })),
      done,
      pulled(),
    ],
    ['DC STOPPED 10-50 2 kWh', 'AC COMPLETE 60-1000 10 kWh'],
  ],
  [
    'the power of a fast charger that is gone begins no charge at the next one',
    [
      standing(),
      record(10, { FastChargerPresent: true, DCChargingPower: 100, DCChargingEnergyIn: 0 }),
      record(40, { DCChargingEnergyIn: 2 }),
      record(50, { FastChargerPresent: false }),
      record(900, { FastChargerPresent: true }),
      record(910, { DCChargingPower: 0 }),
      record(990, { FastChargerPresent: false }),
    ],
    ['DC STOPPED 10-50 2 kWh', 'discarded charge no_energy'],
  ],
  [
    'what the odometer alone tells of is one drive as long as it goes on',
    [
      record(0, { Odometer: miles(1000) }),
      ...Array.from({ length: 17 }, (_, nth) =>
        record(30 + nth * 15, { Odometer: miles(1000 + nth / 4) }),
      ),
      record(9_000, { Odometer: miles(1010) }),
    ],
    ['drive INCOMPLETE 0-292.5 4 km', 'drive INCOMPLETE 8460-9000 6 km'],
  ],
  [
    'direct current ends with its charger, though the status still says that it flows',
    [
      standing(off),
      record(10, {
        FastChargerPresent: true,
        DetailedChargeState: charger('Charging'),
        DCChargingEnergyIn: 0,
      }),
      record(40, { DCChargingEnergyIn: 2 }),
      record(50, { FastChargerPresent: false }),
      record(600, { DCChargingEnergyIn: 0 }),
      record(700, off),
    ],
    ['DC STOPPED 10-700 2 kWh'],
  ],
])('%s', (_, lines, expected) => {
  const [vehicle] = replay(lines).vehicles;
  expect(vehicle && told(vehicle)).toEqual(expected);
});

it('takes energy from the charger by its counter over silences', () => {
  const lines = [
    standing(off),
    starting,
    record(62, {
      DetailedChargeState: charger('Charging'),
      ACChargingEnergyIn: 0,
      ACChargingPower: 11,
    }),
    record(7_262, { ACChargingEnergyIn: 22, DCChargingEnergyIn: 20 }),
    record(7_300, off),
  ];
  expect(replay(lines).vehicles[0]?.charges).toMatchObject([{ energy_used_kwh: 22 }]);
});

it('refuses a time that no clock shows, and never throws', () => {
  const late = record(0, { Soc: 1 }).replace(
    /"createdAt":"[^"]*"/,
    '"createdAt":"9999-12-31T00:00:00Z"',
  );
  const [vehicle] = replay([standing(), late]).vehicles;
  expect(vehicle?.rejected).toEqual([{ line: 2, reason: 'no_time' }]);
});

it('does not take the end of an old connection for that of the new one', () => {
  const lines = [
    link(0, 'CONNECTED', 'one'),
    standing(),
    link(100, 'CONNECTED', 'two'),
    link(101, 'DISCONNECTED', 'one'),
    link(300, 'DISCONNECTED', 'two'),
  ];
  const states = replay(lines).vehicles[0]?.states.map(({ state, to }) => [state, secondsIn(to)]);
  expect(states).toEqual([
    ['online', 300],
    ['offline', null],
  ]);
});
