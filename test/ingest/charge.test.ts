import { describe, expect, it } from 'vitest';
import type { SignalValues } from '../../src/contract/signals.ts';
import { driving, parked, rows, run, secondsOf, told } from '../support/trace.ts';

function charging(seconds: number, counterKwh: number, levelPct: number, more: SignalValues = {}) {
  return parked(seconds, 1000, {
    chargeStatus: 'CHARGING',
    chargerPowerKw: 11,
    chargerVoltageV: 230,
    chargeActualCurrentA: 16,
    chargerPhases: 3,
    chargeEnergyAddedKwh: counterKwh,
    batteryLevelPct: levelPct,
    chargeLimitPct: 80,
    ...more,
  });
}

function plugged(
  seconds: number,
  status: NonNullable<SignalValues['chargeStatus']>,
  more: SignalValues = {},
) {
  return parked(seconds, 1000, { chargeStatus: status, chargerPowerKw: 0, ...more });
}

const night = [
  parked(0, 1000, { batteryLevelPct: 60, chargeEnergyAddedKwh: 12.4 }),
  plugged(60, 'STOPPED', { batteryLevelPct: 60, chargeEnergyAddedKwh: 12.4 }),
  charging(3600, 0.02, 60),
  charging(7200, 10.02, 74),
  charging(9000, 15.02, 80),
  plugged(9060, 'COMPLETE', {
    batteryLevelPct: 80,
    chargeEnergyAddedKwh: 15.02,
    chargeLimitPct: 80,
  }),
  parked(30_000, 1000, { batteryLevelPct: 80, chargeEnergyAddedKwh: 15.02 }),
];

describe('a charge', () => {
  it('is the time from plugging in to unplugging, with the energy of its counter', () => {
    const [charge, ...others] = rows(run(night), 'charge');
    expect(others).toEqual([]);
    expect(secondsOf(charge?.startedAt ?? null)).toBe(60);
    expect(secondsOf(charge?.endedAt ?? null)).toBe(30_000);
    expect(charge).toMatchObject({
      state: 'COMPLETE',
      kind: 'AC',
      energyAddedKwh: 15.02,
      energyPartial: false,
      startBatteryLevelPct: 60,
      endBatteryLevelPct: 80,
      powerMaxKw: 11,
      durationS: 9060 - 3600,
    });
    expect(charge?.idleMinutes).toBeCloseTo((30_000 - 60 - (9060 - 3600)) / 60, 1);
  });

  it('takes from the charger what phases, current and voltage say', () => {
    const events = [
      parked(0, 1000, { chargeEnergyAddedKwh: 0 }),
      ...[0, 1, 2, 3, 4].map((i) => charging(60 + i * 60, i * 0.17, 60 + i / 5)),
    ];
    const [charge] = rows(run(events), 'charge');
    expect(charge?.energyUsedKwh).toBeCloseTo((3 * 16 * 230 * 4) / 60 / 1000, 2);
  });

  it('counts three phases where the vehicle reports two', () => {
    const two = { chargerPhases: 2 };
    const events = [parked(0, 1000), charging(60, 0, 60, two), charging(120, 0.17, 60, two)];
    expect(rows(run(events), 'charge')[0]?.energyUsedKwh).toBeCloseTo(
      (3 * 16 * 230) / 60 / 1000,
      2,
    );
  });

  it('believes the power where the current is the battery’s', () => {
    const battery = { chargeActualCurrentA: 155 };
    const events = [
      parked(0, 1000),
      charging(60, 0, 60, battery),
      charging(120, 0.17, 60, battery),
    ];
    expect(rows(run(events), 'charge')[0]?.energyUsedKwh).toBeCloseTo(11 / 60, 2);
  });

  it('has a segment for each time the energy flows', () => {
    const events = [
      parked(0, 1000, { chargeEnergyAddedKwh: 0 }),
      charging(60, 0, 60),
      charging(1860, 5, 66),
      plugged(1920, 'STOPPED', { chargeEnergyAddedKwh: 5, batteryLevelPct: 66 }),
      charging(3600, 5, 66),
      charging(5400, 10, 72),
      plugged(5460, 'STOPPED', { chargeEnergyAddedKwh: 10, batteryLevelPct: 72 }),
      parked(6000, 1000, { batteryLevelPct: 72 }),
    ];
    const outcome = run(events);
    expect(rows(outcome, 'charge')).toMatchObject([{ state: 'STOPPED', energyAddedKwh: 10 }]);
    const last = outcome.effects.findLast((effect) => effect.kind === 'charge');
    expect(last?.kind === 'charge' ? last.segments : []).toMatchObject([
      { ordinal: 0, energyAddedKwh: 5, startBatteryLevelPct: 60, endBatteryLevelPct: 66 },
      { ordinal: 1, energyAddedKwh: 5, startBatteryLevelPct: 66, endBatteryLevelPct: 72 },
    ]);
  });

  it('adds up the runs of a counter that was reset', () => {
    const events = [
      parked(0, 1000, { chargeEnergyAddedKwh: 0 }),
      charging(60, 0, 60),
      charging(1860, 5, 66),
      charging(3600, 0.5, 67),
      charging(5400, 4, 71),
      parked(6000, 1000),
    ];
    expect(rows(run(events), 'charge')[0]?.energyAddedKwh).toBeCloseTo(9, 3);
  });

  it('loses nothing when the counter falls to zero at the end', () => {
    const zero = plugged(5460, 'COMPLETE', { chargeEnergyAddedKwh: 0, batteryLevelPct: 70 });
    const events = [
      parked(0, 1000, { chargeEnergyAddedKwh: 0 }),
      charging(60, 0, 60),
      charging(1860, 5, 66),
      zero,
      parked(6000, 1000),
    ];
    expect(rows(run(events), 'charge')[0]?.energyAddedKwh).toBe(5);
  });

  it('says that its energy is partial when it was under way at first sight', () => {
    const [charge] = rows(
      run([charging(0, 3, 65), charging(600, 4, 66), parked(900, 1000)]),
      'charge',
    );
    expect(charge).toMatchObject({ energyPartial: true, energyAddedKwh: 1 });
  });

  it('is a fast charge where a direct-current charger is in the port', () => {
    const fast = { fastChargerPresent: true, fastChargerBrand: 'Ionity', chargerPowerKw: 150 };
    const [charge] = rows(
      run([parked(0, 1000), charging(60, 0, 20, fast), charging(120, 2.5, 23, fast)]),
      'charge',
    );
    expect(charge).toMatchObject({ kind: 'DC', network: 'THIRD_PARTY', powerMaxKw: 150 });
  });

  it('is discarded when no energy flowed', () => {
    expect(
      rows(run([parked(0, 1000), plugged(60, 'NO_POWER'), parked(120, 1000)]), 'charge'),
    ).toMatchObject([{ state: 'DISCARDED', discardReason: 'no_energy' }]);
  });

  it('is incomplete when the vehicle drives and nobody saw the cable go', () => {
    const events = [
      parked(0, 1000),
      charging(60, 0, 60),
      charging(600, 1, 62),
      driving(900, 1000.5, { chargeStatus: 'DISCONNECTED' }),
    ];
    const [charge] = rows(run(events), 'charge');
    expect(charge?.state).toBe('INCOMPLETE');
    expect(secondsOf(charge?.endedAt ?? null)).toBe(600);
  });

  it('tells of its start and its end once each', () => {
    expect(told(run(night)).filter((type) => type.startsWith('charge'))).toEqual([
      'charge.started',
      'charge.ended',
    ]);
  });
});
