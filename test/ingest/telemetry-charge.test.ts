import { describe, expect, it } from 'vitest';
import { replay } from '../../src/ingest/replay.ts';
import { charger, gear, MPH_60, miles, record, secondsIn } from '../support/telemetry.ts';

function only(lines: readonly string[]) {
  const [vehicle] = replay(lines).vehicles;
  if (vehicle === undefined) throw new Error('There is no vehicle.');
  return vehicle;
}

const standing = record(0, {
  Gear: gear('P'),
  Odometer: miles(1000),
  Soc: 60,
  DetailedChargeState: charger('Disconnected'),
  DCChargingEnergyIn: 8.2,
});

/** Charging for an hour from `from` [s]: ten kilowatts, a counter that goes from 0 to 10 kWh. */
function anHour(from: number): string[] {
  return [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60].map((minute) =>
    record(from + minute * 60 + 5, {
      ACChargingPower: 11,
      PackCurrent: 25,
      DCChargingEnergyIn: minute / 6,
      Soc: 60 + minute / 5,
    }),
  );
}

describe('a streamed charge with alternating current', () => {
  it('is the time from plugging in to unplugging, with the energy of the counter at the pack', () => {
    const { charges } = only([
      standing,
      record(60, { DetailedChargeState: charger('Starting') }),
      record(63, { DetailedChargeState: charger('Charging'), DCChargingEnergyIn: 0 }),
      ...anHour(63),
      record(3700, { DetailedChargeState: charger('Complete'), ACChargingPower: 0 }),
      record(9000, { DetailedChargeState: charger('Disconnected') }),
    ]);
    expect(charges).toMatchObject([
      {
        state: 'COMPLETE',
        kind: 'AC',
        energy_added_kwh: 10,
        energy_partial: false,
        battery_start_pct: 60,
        battery_end_pct: 72,
        power_max_kw: 11,
      },
    ]);
    expect([charges[0]?.started_at, charges[0]?.ended_at].map(secondsIn)).toEqual([60, 9000]);
    expect(charges[0]?.segments).toMatchObject([{ energy_added_kwh: 10 }]);
    expect(charges[0]?.segments.map(({ ended_at }) => secondsIn(ended_at))).toEqual([3700]);
    expect(charges[0]?.energy_used_kwh).toBeGreaterThan(10 * (11 / 12));
  });

  it('has a segment for each time the current flows', () => {
    const { charges } = only([
      standing,
      record(60, { DetailedChargeState: charger('Charging') }),
      ...anHour(63),
      record(3700, { DetailedChargeState: charger('Stopped') }),
      record(5000, { DetailedChargeState: charger('Starting') }),
      record(5600, { DCChargingEnergyIn: 12 }),
      record(5700, { DetailedChargeState: charger('Complete') }),
    ]);
    expect(charges).toHaveLength(1);
    expect(charges[0]?.segments.map((segment) => segment.energy_added_kwh)).toEqual([10, 2]);
  });

  it('does not begin by heating while plugged in', () => {
    const { charges } = only([
      standing,
      record(60, { DetailedChargeState: charger('Stopped') }),
      record(120, { ChargeState: 'Enable', ACChargingPower: 4.2, PackCurrent: 3 }),
      record(600, { ACChargingPower: 0, PackCurrent: -0.5 }),
      record(900, { DetailedChargeState: charger('Disconnected') }),
    ]);
    expect(charges).toEqual([]);
  });

  it('is none where the current was asked for and never came', () => {
    const { charges, discarded } = only([
      standing,
      record(60, { DetailedChargeState: charger('Starting') }),
      record(90, { DetailedChargeState: charger('Stopped') }),
      record(600, { DetailedChargeState: charger('Disconnected') }),
    ]);
    expect(charges).toEqual([]);
    expect(discarded).toMatchObject([{ kind: 'charge', reason: 'no_energy' }]);
  });

  it('adds up the runs of a counter that was reset', () => {
    const { charges } = only([
      standing,
      record(60, { DetailedChargeState: charger('Charging') }),
      ...anHour(63),
      record(3800, { DCChargingEnergyIn: 0.2 }),
      record(5600, { DCChargingEnergyIn: 3 }),
    ]);
    expect(charges[0]?.energy_added_kwh).toBeCloseTo(13, 3);
  });

  it('counts all of a counter that is first heard late', () => {
    const { charges } = only([
      record(0, { DetailedChargeState: charger('Disconnected') }),
      record(60, { DetailedChargeState: charger('Charging'), ACChargingPower: 11 }),
      record(1860, { DCChargingEnergyIn: 5 }),
      record(3660, { DCChargingEnergyIn: 10 }),
    ]);
    expect(charges).toMatchObject([{ energy_added_kwh: 10, energy_partial: false }]);
  });

  it('takes for a rest of the charge before what no charger can have given', () => {
    const { charges } = only([
      record(0, { DetailedChargeState: charger('Disconnected') }),
      record(60, { DetailedChargeState: charger('Charging'), ACChargingPower: 11 }),
      record(70, { DCChargingEnergyIn: 40 }),
      record(100, { DCChargingEnergyIn: 0.02 }),
      record(3660, { DCChargingEnergyIn: 10 }),
    ]);
    expect(charges[0]?.energy_added_kwh).toBeCloseTo(10, 3);
  });

  it('is partial when it was under way at first sight, and whole again after a reset of its counter', () => {
    const under = [record(0, { DetailedChargeState: charger('Charging'), DCChargingEnergyIn: 5 })];
    const on = record(600, { DCChargingEnergyIn: 6 });
    expect(only([...under, on]).charges).toMatchObject([
      { energy_added_kwh: 1, energy_partial: true },
    ]);
    const reset = [
      record(10, { DCChargingEnergyIn: 0.02 }),
      record(600, { DCChargingEnergyIn: 2 }),
    ];
    expect(only([...under, ...reset]).charges).toMatchObject([
      { energy_added_kwh: 2, energy_partial: false },
    ]);
  });

  it('ends with the drive that follows, though nobody saw the cable go', () => {
    const { charges, drives } = only([
      standing,
      record(60, { DetailedChargeState: charger('Charging') }),
      ...anHour(63),
      record(9000, { Gear: gear('D'), VehicleSpeed: MPH_60 }),
      record(9060, { Odometer: miles(1001) }),
      record(9070, { Gear: gear('P') }),
      record(9100, { ACChargingPower: 0, PackCurrent: -1 }),
    ]);
    expect(drives).toHaveLength(1);
    expect(charges).toMatchObject([{ state: 'INCOMPLETE', energy_added_kwh: 10 }]);
  });

  it('ends with a drive that only the odometer proves', () => {
    const { charges, drives } = only([
      standing,
      record(60, { DetailedChargeState: charger('Charging') }),
      ...anHour(63),
      record(9000, {
        Gear: gear('P'),
        Odometer: miles(1030),
        DetailedChargeState: charger('Starting'),
      }),
    ]);
    expect(drives).toMatchObject([{ state: 'INCOMPLETE', distance_km: 30 }]);
    expect(charges.map(({ state }) => state)).toEqual(['INCOMPLETE', 'ONGOING']);
  });
});

describe('a streamed charge of a vehicle without the detailed state', () => {
  const silent = record(0, { Gear: gear('P'), Soc: 60, DCChargingEnergyIn: 8.2 });

  it('begins where state, power and current say so together', () => {
    const { charges } = only([
      silent,
      record(60, { ChargeState: 'Startup' }),
      record(70, { ACChargingPower: 0.2 }),
      record(80, { ChargeState: 'Enable' }),
      record(90, { DCChargingEnergyIn: 0.01 }),
      record(100, { PackCurrent: 16.8 }),
      record(3600, { ACChargingPower: 10, DCChargingEnergyIn: 9 }),
    ]);
    expect(charges).toMatchObject([{ kind: 'AC', energy_added_kwh: 9, energy_partial: false }]);
    expect(secondsIn(charges[0]?.started_at)).toBe(100);
  });

  it('is none where the vehicle heats or the start fails', () => {
    const { charges, discarded } = only([
      silent,
      record(60, { ChargeState: 'Startup', ACChargingPower: 4.2, PackCurrent: -0.5 }),
      record(120, { PackCurrent: 0.8 }),
      record(180, { ChargeState: 'Idle', ACChargingPower: 0 }),
    ]);
    expect({ charges, discarded }).toEqual({ charges: [], discarded: [] });
  });

  it('is none while the vehicle moves', () => {
    const { charges } = only([
      silent,
      record(60, {
        VehicleSpeed: MPH_60,
        ChargeState: 'Enable',
        ACChargingPower: 2,
        PackCurrent: 20,
      }),
      record(70, { PackCurrent: 21 }),
    ]);
    expect(charges).toEqual([]);
  });

  it('stops with the current, goes on with it, and ends with the door of the port', () => {
    const flowing = { ChargeState: 'Enable', ACChargingPower: 10, PackCurrent: 20 };
    const { charges } = only([
      silent,
      record(60, { ...flowing, DCChargingEnergyIn: 0.02 }),
      record(1000, { DCChargingEnergyIn: 2.5 }),
      record(1010, { ChargeState: 'Idle', ACChargingPower: 0, PackCurrent: -0.5 }),
      record(2000, flowing),
      record(3000, { DCChargingEnergyIn: 5 }),
      record(3010, { ChargeState: 'Idle', ACChargingPower: 0, PackCurrent: -0.5 }),
      record(3100, { ChargePortDoorOpen: false }),
    ]);
    expect(charges).toHaveLength(1);
    expect(secondsIn(charges[0]?.ended_at)).toBe(3100);
    expect(charges[0]?.segments.map((segment) => segment.energy_added_kwh)).toEqual([2.5, 2.5]);
  });
});

describe('a streamed fast charge', () => {
  it('flows from five kilowatts on and ends when the charger is gone', () => {
    const { charges } = only([
      record(0, { Gear: gear('P'), Soc: 10, DCChargingEnergyIn: 0 }),
      record(10, { FastChargerPresent: true, FastChargerType: 'FastChargerSupercharger' }),
      record(15, { DCChargingPower: 3, PackCurrent: 4 }),
      record(20, { DCChargingPower: 120, PackCurrent: 300 }),
      record(620, { DCChargingEnergyIn: 20, Soc: 40 }),
      record(630, { DCChargingPower: 0, PackCurrent: -1 }),
      record(700, { FastChargerPresent: false }),
    ]);
    expect(charges).toMatchObject([
      { kind: 'DC', energy_added_kwh: 20, power_max_kw: 120, battery_end_pct: 40 },
    ]);
    expect([charges[0]?.started_at, charges[0]?.ended_at].map(secondsIn)).toEqual([10, 700]);
    expect(charges[0]?.segments.map(({ started_at }) => secondsIn(started_at))).toEqual([20]);
    expect(charges[0]?.segments.map(({ ended_at }) => secondsIn(ended_at))).toEqual([630]);
  });

  it('ends with movement', () => {
    const { charges } = only([
      record(0, { Gear: gear('P'), Soc: 10, DCChargingEnergyIn: 0 }),
      record(10, { FastChargerPresent: true, DCChargingPower: 120 }),
      record(610, { DCChargingEnergyIn: 20 }),
      record(700, { Gear: gear('D'), VehicleSpeed: MPH_60 }),
      record(800, { PackCurrent: -80 }),
      record(900, { Gear: gear('P') }),
      record(910, { DCChargingPower: 0 }),
    ]);
    expect(charges).toMatchObject([{ state: 'INCOMPLETE', energy_added_kwh: 20 }]);
  });
});
