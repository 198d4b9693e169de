import { describe, expect, it } from 'vitest';
import { replay } from '../../src/ingest/replay.ts';
import { gear, link, MPH_60, miles, place, record, secondsIn, VIN } from '../support/telemetry.ts';

const minutes = (count: number) => count * 60;

/** A record a quarter of a minute of a drive at 60 km/h from `from` to `to` [s], with the odometer in its records. */
function onTheRoad(from: number, to: number, startKm: number, more = {}): string[] {
  const lines: string[] = [];
  for (let at = from; at <= to; at += 15) {
    const km = startKm + (at - from) / 60;
    lines.push(
      record(at, {
        VehicleSpeed: MPH_60,
        Odometer: miles(km),
        Location: place(km - 1000),
        Soc: 80 - (km - 1000) / 5,
        ...more,
      }),
    );
  }
  return lines;
}

function parkedAt(seconds: number, km: number): string[] {
  return [
    record(seconds, { Gear: gear('P'), VehicleSpeed: 0 }),
    record(seconds + 2, { Odometer: miles(km), Location: place(km - 1000) }),
  ];
}

function only(lines: readonly string[]) {
  const [vehicle, ...others] = replay(lines).vehicles;
  expect(others).toEqual([]);
  if (vehicle === undefined) throw new Error('There is no vehicle.');
  return vehicle;
}

const standing = [
  record(0, { Gear: gear('P'), Odometer: miles(1000), Location: place(0), Soc: 80 }),
];

describe('a streamed drive', () => {
  it('begins with D and ends with P', () => {
    const { drives } = only([
      ...standing,
      record(30, { Gear: gear('D') }),
      ...onTheRoad(31, 271, 1000),
      ...parkedAt(280, 1004),
    ]);
    expect(drives).toHaveLength(1);
    expect(drives[0]).toMatchObject({ state: 'ENDED', distance_km: 4, battery_start_pct: 80 });
    expect([drives[0]?.started_at, drives[0]?.ended_at].map(secondsIn)).toEqual([30, 280]);
  });

  it('begins with a speed where the gear still says P, and does not end at a red light', () => {
    const { drives } = only([
      ...standing,
      ...onTheRoad(30, 150, 1000),
      record(160, { VehicleSpeed: 0 }),
      record(220, { VehicleSpeed: MPH_60 }),
      ...onTheRoad(225, 285, 1002.1),
      ...parkedAt(300, 1003.2),
    ]);
    expect(drives).toHaveLength(1);
    expect(drives[0]?.distance_km).toBeCloseTo(3.2, 3);
  });

  it('ends with P though the last speed was not zero', () => {
    const { drives } = only([
      ...standing,
      ...onTheRoad(30, 90, 1000),
      record(100, { Gear: gear('P') }),
      record(400, { Soc: 79 }),
    ]);
    expect(drives).toHaveLength(1);
    expect(secondsIn(drives[0]?.ended_at)).toBe(100);
  });

  it('goes on through reverse, neutral and gears that are not known', () => {
    const { drives } = only([
      ...standing,
      record(30, { Gear: gear('D') }),
      ...onTheRoad(31, 91, 1000),
      record(100, { Gear: gear('R') }),
      record(105, { Gear: gear('Invalid') }),
      record(110, { Gear: { invalid: true } }),
      record(115, { Gear: gear('SNA'), VehicleSpeed: {} }),
      record(120, { Gear: gear('N') }),
      record(125, { Gear: gear('D') }),
      ...onTheRoad(126, 186, 1001),
      ...parkedAt(190, 1002),
    ]);
    expect(drives).toMatchObject([{ state: 'ENDED', distance_km: 2 }]);
  });

  it('goes on after a hole of 14 minutes', () => {
    const { drives } = only([
      ...standing,
      ...onTheRoad(30, 90, 1000),
      link(95, 'DISCONNECTED'),
      link(90 + minutes(14) - 1, 'CONNECTED'),
      ...onTheRoad(90 + minutes(14), 90 + minutes(15), 1015),
      ...parkedAt(90 + minutes(15) + 10, 1016),
    ]);
    expect(drives).toMatchObject([{ state: 'ENDED', distance_km: 16 }]);
  });

  it('is two after a hole of 16 minutes, and loses no kilometre', () => {
    const back = 90 + minutes(16);
    const { drives } = only([
      ...standing,
      ...onTheRoad(30, 90, 1000),
      link(95, 'DISCONNECTED'),
      link(back - 2, 'CONNECTED'),
      record(back - 1, { PackCurrent: -40 }),
      record(back, { Odometer: miles(1017) }),
      ...onTheRoad(back + 1, back + 61, 1017),
      ...parkedAt(back + 70, 1018),
    ]);
    expect(drives.map(({ state }) => state)).toEqual(['INCOMPLETE', 'ENDED']);
    expect(secondsIn(drives[0]?.ended_at)).toBe(90);
    expect(drives[0]?.distance_km).toBeCloseTo(1, 3);
    expect(drives[1]?.distance_km).toBeCloseTo(17, 3);
    // The 16 km nobody saw took 16 minutes at the speed it was heard at again.
    expect(secondsIn(drives[1]?.started_at)).toBeCloseTo(back + 1 - minutes(16), 0);
  });

  it('ends at its last moving sample when the vehicle vanishes in a garage', () => {
    const { drives, states } = only([
      ...standing,
      ...onTheRoad(30, 90, 1000),
      link(95, 'DISCONNECTED'),
    ]);
    expect(drives).toMatchObject([{ state: 'INCOMPLETE' }]);
    expect(secondsIn(drives[0]?.ended_at)).toBe(90);
    expect(states.at(-1)).toMatchObject({ state: 'offline', to: null });
  });

  it('ends without a gear when nothing moved for a quarter of an hour', () => {
    const { drives } = only([
      record(0, { Odometer: miles(1000), Location: place(0) }),
      ...onTheRoad(30, 90, 1000),
      record(100, { VehicleSpeed: 0 }),
      ...[5, 10, 15, 20].map((count) => record(100 + minutes(count), { Soc: 79 })),
    ]);
    expect(drives).toMatchObject([{ state: 'INCOMPLETE' }]);
    expect(secondsIn(drives[0]?.ended_at)).toBe(90);
  });

  it('ends without a gear when the vehicle charges', () => {
    const { drives, charges } = only([
      ...onTheRoad(30, 90, 1000),
      record(100, { VehicleSpeed: 0 }),
      record(200, { DetailedChargeState: 'Charging' }),
    ]);
    expect(drives).toHaveLength(1);
    expect(charges).toMatchObject([{ state: 'ONGOING' }]);
  });

  it('takes the odometer that comes after its end', () => {
    const { drives } = only([
      ...standing,
      ...onTheRoad(30, 90, 1000),
      record(100, { Gear: gear('P') }),
      record(150, { Odometer: miles(1001.12) }),
    ]);
    expect(drives[0]?.odometer_end_km).toBeCloseTo(1001.12, 3);
    expect(drives[0]?.distance_km).toBeCloseTo(1.12, 3);
  });

  it('is no longer discarded when the late odometer proves it', () => {
    const lines = [
      ...standing,
      record(30, { Gear: gear('D') }),
      record(40, { Gear: gear('P') }),
      record(45, { Odometer: miles(1000.05) }),
    ];
    expect(only(lines)).toMatchObject({ drives: [{ distance_km: 0.05 }], discarded: [] });
  });

  it('measures its way by positions where the odometer did not change', () => {
    const { drives } = only([
      ...standing,
      record(30, { Gear: gear('D') }),
      record(40, { Location: place(0.05), VehicleSpeed: 10 }),
      record(50, { Location: place(0.1) }),
      record(60, { Gear: gear('P') }),
    ]);
    expect(drives[0]?.distance_km).toBeCloseTo(0.1, 3);
  });

  it('is discarded when the vehicle only stood in neutral', () => {
    const { drives, discarded } = only([
      ...standing,
      record(30, { Gear: gear('N') }),
      record(60, { Gear: gear('P') }),
    ]);
    expect(drives).toEqual([]);
    expect(discarded).toMatchObject([{ kind: 'drive', reason: 'no_movement' }]);
  });

  it('is proven by the odometer when neither gear nor speed told of it', () => {
    const { drives } = only([...standing, record(3600, { Odometer: miles(1020) })]);
    expect(drives).toMatchObject([{ state: 'INCOMPLETE', distance_km: 20 }]);
    expect(secondsIn(drives[0]?.ended_at)).toBe(3600);
  });

  it('is not made of the last tenth of a mile that was sent late', () => {
    const { drives } = only([
      ...standing,
      ...onTheRoad(30, 90, 1000),
      ...parkedAt(100, 1001.1),
      record(1000, { Odometer: miles(1001.25) }),
    ]);
    expect(drives).toHaveLength(1);
  });

  it('begins where the vehicle is, not where it was last seen', () => {
    const { drives } = only([
      record(0, { Gear: gear('P'), Location: place(0) }),
      record(7200, { VehicleSpeed: MPH_60, Location: place(50) }),
      record(7215, { Location: place(50.25) }),
      record(7230, { Location: place(50.5) }),
      record(7235, { Gear: gear('P') }),
    ]);
    expect(drives[0]?.distance_km).toBeCloseTo(0.5, 3);
  });

  it('takes its energy from voltage and current of the pack', () => {
    const { drives } = only([
      ...standing,
      record(29, { PackVoltage: 400 }),
      ...onTheRoad(30, 330, 1000, { PackCurrent: -30 }),
      ...parkedAt(331, 1005),
    ]);
    // 12 kW for five minutes.
    expect(drives[0]?.energy_used_kwh).toBeCloseTo(1, 1);
  });

  it('has a sample for each position, not for each record', () => {
    const { drives } = only([
      ...standing,
      record(30, { Gear: gear('D') }),
      record(31, { Soc: 79.9 }),
      record(32, { Location: place(0.02) }),
      record(33, { VehicleSpeed: 10 }),
      record(34, { Location: place(0.04) }),
      record(40, { Gear: gear('P') }),
    ]);
    expect(drives[0]?.sample_count).toBe(4);
  });
});

describe('a stream of two vehicles', () => {
  it('keeps them apart', () => {
    const other = 'TEST0000000000002';
    const mine = [...standing, ...onTheRoad(30, 90, 1000), ...parkedAt(100, 1001.2)];
    const mixed = mine.flatMap((line) => [line, line.replaceAll(VIN, other)]);
    const { vehicles } = replay([...mixed, record(95, { Gear: gear('D') }, other)]);
    expect(vehicles.map(({ vin }) => vin)).toEqual([VIN, other]);
    expect(vehicles[0]?.drives).toEqual(replay(mine).vehicles[0]?.drives);
    expect(vehicles[1]?.drives).toEqual(vehicles[0]?.drives);
  });
});
