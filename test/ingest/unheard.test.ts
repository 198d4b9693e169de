import { describe, expect, it } from 'vitest';
import { replay } from '../../src/ingest/replay.ts';
import {
  charger,
  gear,
  link,
  MPH_60,
  miles,
  place,
  record,
  secondsIn,
} from '../support/telemetry.ts';
import { driving, parked, rows, run, secondsOf, seen } from '../support/trace.ts';

describe('a vehicle of which only the maker is heard', () => {
  it('does not keep driving by being said to be offline', () => {
    const offline = Array.from({ length: 80 }, (_, index) =>
      seen(150 + index * 30, { vehicleName: 'Zephyr' }, { connectivity: 'offline' }),
    );
    const [drive] = rows(
      run([parked(0, 1000), driving(60, 1000), driving(120, 1001), ...offline]),
      'drive',
    );
    expect(drive?.state).toBe('INCOMPLETE');
    expect(secondsOf(drive?.endedAt ?? null)).toBe(120);
    expect(drive?.sampleCount).toBe(2);
  });
});

describe('a drive', () => {
  it('knows no energy where neither range, pack nor power told of it', () => {
    const dark = { powerKw: null, rangeRatedKm: null };
    const events = [0, 1, 2, 3].map((i) => driving(i * 20, 1000 + i / 3, dark));
    const [drive] = rows(run([...events, parked(80, 1001.2, dark)]), 'drive');
    expect(drive).toMatchObject({ energyUsedKwh: null, energyRegenKwh: null });
  });
});

describe('a charge', () => {
  const charging = (seconds: number, odometerKm: number, counterKwh: number) =>
    parked(seconds, odometerKm, {
      chargeStatus: 'CHARGING',
      chargerPowerKw: 11,
      chargeEnergyAddedKwh: counterKwh,
    });

  it('ends before a drive that only the odometer proves, and another one begins', () => {
    const events = [
      parked(0, 1000),
      charging(60, 1000, 0),
      charging(660, 1000, 2),
      charging(9000, 1040, 1),
    ];
    const charges = rows(run(events), 'charge');
    expect(charges.map(({ state }) => state)).toEqual(['INCOMPLETE', 'ONGOING']);
    expect(secondsOf(charges[0]?.endedAt ?? null)).toBe(660);
  });

  it('is discarded when nothing came, though the charger tried', () => {
    const tried = parked(60, 1000, {
      chargeStatus: 'CHARGING',
      chargerPowerKw: 0,
      chargeEnergyAddedKwh: 0,
    });
    const events = [parked(0, 1000, { chargeEnergyAddedKwh: 0 }), tried, parked(120, 1000)];
    expect(rows(run(events), 'charge')).toMatchObject([
      { state: 'DISCARDED', discardReason: 'no_energy' },
    ]);
  });
});

describe('a charge that began unseen and still has its cable in', () => {
  const before = parked(0, 1000, { batteryLevelPct: 40, chargeEnergyAddedKwh: 12 });
  const later = (
    seconds: number,
    chargeStatus: 'CHARGING' | 'COMPLETE' | 'DISCONNECTED',
    [batteryLevelPct, chargeEnergyAddedKwh]: [number, number],
    odometerKm = 1000,
  ) => parked(seconds, odometerKm, { chargeStatus, batteryLevelPct, chargeEnergyAddedKwh });

  it('is one session from the time of silence on, with the energy of its counter', () => {
    const events = [
      before,
      later(1500, 'CHARGING', [46, 4.5]),
      later(2100, 'CHARGING', [49, 6]),
      later(2160, 'DISCONNECTED', [49, 6]),
    ];
    const charges = rows(run(events), 'charge');
    expect(charges).toMatchObject([
      { state: 'STOPPED', startBatteryLevelPct: 40, endBatteryLevelPct: 49, energyAddedKwh: 6 },
    ]);
    expect(secondsOf(charges[0]?.startedAt ?? null)).toBe(0);
    expect(charges[0]).toMatchObject({ durationS: 2160, energyPartial: false, kind: 'AC' });
  });

  it('is one session where it is found complete, with a counter above that of the charge before', () => {
    const events = [
      before,
      later(20_000, 'COMPLETE', [70, 22]),
      later(30_000, 'DISCONNECTED', [70, 22]),
    ];
    const charges = rows(run(events), 'charge');
    expect(charges).toMatchObject([
      { state: 'COMPLETE', startBatteryLevelPct: 40, endBatteryLevelPct: 70, energyAddedKwh: 22 },
    ]);
    expect(secondsOf(charges[0]?.startedAt ?? null)).toBe(0);
  });

  it('begins no earlier than it is seen after a drive that nobody saw either', () => {
    const charges = rows(run([before, later(7200, 'CHARGING', [55, 9], 1030)]), 'charge');
    expect(charges).toMatchObject([{ state: 'ONGOING', energyAddedKwh: 9 }]);
    expect(secondsOf(charges[0]?.startedAt ?? null)).toBe(7200);
  });
});

describe('a charge that a stream did not tell of', () => {
  const before = [
    record(0, { Gear: gear('P'), Odometer: miles(1000), Location: place(0), BatteryLevel: 40 }),
    record(1, { DetailedChargeState: charger('Disconnected'), DCChargingEnergyIn: 3 }),
    record(2, { EnergyRemaining: 30 }),
  ];
  const chargesOf = (lines: readonly string[]) => replay(lines).vehicles[0]?.charges ?? [];

  it('is counted once where the level arrives before the state of the charger', () => {
    const charges = chargesOf([
      ...before,
      link(60, 'DISCONNECTED'),
      link(3600, 'CONNECTED'),
      record(3601, { BatteryLevel: 55, EnergyRemaining: 41 }),
      record(3602, { DCChargingEnergyIn: 11 }),
      record(3603, { DetailedChargeState: charger('Charging'), ACChargingPower: 11 }),
      record(5400, { DCChargingEnergyIn: 16, BatteryLevel: 62, EnergyRemaining: 46 }),
      record(5500, { DetailedChargeState: charger('Complete'), ACChargingPower: 0 }),
      record(6000, { DetailedChargeState: charger('Disconnected') }),
    ]);
    expect(charges.reduce((kwh, { energy_added_kwh }) => kwh + (energy_added_kwh ?? 0), 0)).toBe(
      16,
    );
    expect(charges).toMatchObject([{ battery_start_pct: 40, battery_end_pct: 62 }]);
  });

  it('is told of a minute later where no state of the charger follows', () => {
    const [charge, ...others] = chargesOf([
      ...before,
      link(60, 'DISCONNECTED'),
      link(3600, 'CONNECTED'),
      record(3601, { BatteryLevel: 55, EnergyRemaining: 41 }),
    ]);
    expect(others).toEqual([]);
    expect(charge).toMatchObject({ state: 'INCOMPLETE', energy_added_kwh: 11 });
    expect(secondsIn(charge?.ended_at)).toBe(3601);
  });

  it('is told apart from what a mountain gave back by all that was driven since the level was told', () => {
    const charges = chargesOf([
      ...before,
      record(60, { Gear: gear('D'), VehicleSpeed: MPH_60 }),
      // The level does not change on the way down, and is told late.
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((minute) =>
        record(60 + minute * 60, { Odometer: miles(1000 + minute), Location: place(minute) }),
      ),
      record(620, { BatteryLevel: 45 }),
      record(660, { Gear: gear('P'), VehicleSpeed: 0 }),
    ]);
    expect(charges).toEqual([]);
  });
});
