import { describe, expect, it } from 'vitest';
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
