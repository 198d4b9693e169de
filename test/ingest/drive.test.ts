import { describe, expect, it } from 'vitest';
import { driving, parked, passed, rows, run, secondsOf, seen, T0, told } from '../support/trace.ts';

const commute = [
  parked(0, 1000),
  driving(60, 1000),
  driving(120, 1001),
  driving(180, 1002),
  driving(240, 1003),
  parked(300, 1004, { latitude: 47.0664 + 4 / 111.195, batteryLevelPct: 79, rangeRatedKm: 396 }),
];

describe('a drive', () => {
  it('goes from the first movement to the first P after it', () => {
    const [drive, ...others] = rows(run(commute), 'drive');
    expect(others).toEqual([]);
    expect(secondsOf(drive?.startedAt ?? null)).toBe(60);
    expect(secondsOf(drive?.endedAt ?? null)).toBe(300);
    expect(drive).toMatchObject({
      state: 'ENDED',
      durationS: 240,
      distanceKm: 4,
      odometerDistanceKm: 4,
      startOdometerKm: 1000,
      endOdometerKm: 1004,
      startBatteryLevelPct: 80,
      endBatteryLevelPct: 79,
      speedMaxKmh: 60,
      speedAvgKmh: 60,
      powerMaxKw: 12,
      sampleCount: 5,
    });
  });

  it('costs the rated range it used up, where the pack does not tell its energy', () => {
    const [drive] = rows(run(commute), 'drive');
    expect(drive?.energyUsedKwh).toBeCloseTo(4 * 0.15, 6);
    expect(drive?.efficiencyWhPerKm).toBeCloseTo(150, 6);
  });

  it('costs what left the pack, where the pack tells its energy', () => {
    const events = [
      parked(0, 1000, { energyRemainingKwh: 60 }),
      driving(60, 1000.5, { energyRemainingKwh: 59.9 }),
      parked(120, 1002, { energyRemainingKwh: 59.2 }),
    ];
    expect(rows(run(events), 'drive')[0]?.energyUsedKwh).toBeCloseTo(0.8, 6);
  });

  it('tells of its start and its end once each', () => {
    const drives = told(run(commute)).filter((type) => type.startsWith('drive'));
    expect(drives).toEqual(['drive.started', 'drive.ended']);
  });

  it('goes on through a standstill in gear', () => {
    const events = [
      ...commute.slice(0, 4),
      driving(240, 1002, { speedKmh: 0 }),
      ...commute.slice(5),
    ];
    expect(rows(run(events), 'drive')).toHaveLength(1);
  });

  it('goes on through reverse and neutral', () => {
    const events = [
      parked(0, 1000),
      driving(60, 1000.4),
      driving(70, 1000.4, { gear: 'R', speedKmh: 4 }),
      driving(80, 1000.4, { gear: 'N', speedKmh: 0 }),
      driving(120, 1001),
      parked(180, 1002),
    ];
    expect(rows(run(events), 'drive')).toMatchObject([{ state: 'ENDED', distanceKm: 2 }]);
  });

  it('goes on after a hole shorter than 15 minutes', () => {
    const events = [
      ...commute.slice(0, 3),
      passed(120 + 14 * 60),
      driving(120 + 14 * 60 + 30, 1012),
      parked(120 + 15 * 60, 1012.5),
    ];
    expect(rows(run(events), 'drive')).toMatchObject([{ state: 'ENDED', distanceKm: 12.5 }]);
  });

  it('ends at its last moving sample when nothing is heard for 15 minutes', () => {
    const outcome = run([...commute.slice(0, 4), passed(180 + 15 * 60)]);
    const [drive] = rows(outcome, 'drive');
    expect(drive?.state).toBe('INCOMPLETE');
    expect(secondsOf(drive?.endedAt ?? null)).toBe(180);
    expect(outcome.state.drive).toBeNull();
  });

  it('becomes two when the vehicle is heard again after a longer hole, and loses no kilometre', () => {
    const events = [
      ...commute.slice(0, 4),
      driving(180 + 40 * 60, 1030),
      parked(180 + 45 * 60, 1034),
    ];
    const drives = rows(run(events), 'drive');
    expect(drives.map((drive) => drive.state)).toEqual(['INCOMPLETE', 'ENDED']);
    expect(drives.reduce((km, drive) => km + drive.distanceKm, 0)).toBeCloseTo(34, 6);
  });

  it('ends when the vehicle is said to be asleep', () => {
    const asleep = seen(400, {}, { connectivity: 'asleep' });
    const outcome = run([...commute.slice(0, 4), asleep]);
    expect(rows(outcome, 'drive')[0]?.endedAt).not.toBeNull();
  });

  it('is proven by the odometer when nobody saw it', () => {
    const [drive] = rows(run([parked(0, 1000), parked(3600, 1020)]), 'drive');
    expect(drive).toMatchObject({ state: 'INCOMPLETE', distanceKm: 20 });
    expect(drive?.startedAt).toBeGreaterThanOrEqual(T0);
    expect(secondsOf(drive?.endedAt ?? null)).toBe(3600);
  });

  it('begins with the kilometres that the odometer gained before its first sample', () => {
    const [drive] = rows(run([parked(0, 1000), driving(600, 1004), parked(660, 1005)]), 'drive');
    expect(drive).toMatchObject({ startOdometerKm: 1000, distanceKm: 5 });
    expect(secondsOf(drive?.startedAt ?? null)).toBe(600 - 4 * 60);
  });

  it('is discarded, not lost, when it is shorter than 10 m', () => {
    const events = [parked(0, 1000), driving(10, 1000.002, { speedKmh: 1 }), parked(15, 1000.005)];
    expect(rows(run(events), 'drive')).toMatchObject([
      { state: 'DISCARDED', discardReason: 'under_10_m' },
    ]);
  });

  it('is discarded when the vehicle only stood in neutral', () => {
    const stands = { gear: 'N', speedKmh: 0 } as const;
    const events = [
      parked(0, 1000),
      driving(10, 1000, stands),
      driving(40, 1000, stands),
      parked(60, 1000),
    ];
    expect(rows(run(events), 'drive')).toMatchObject([{ discardReason: 'no_movement' }]);
  });

  it('measures its way by positions where there is no odometer', () => {
    const silent = { odometerKm: null };
    const events = [
      parked(0, 1000, silent),
      driving(60, 1001, silent),
      driving(120, 1002, silent),
      parked(180, 1003, { ...silent, latitude: 47.0664 + 3 / 111.195 }),
    ];
    const [drive] = rows(run(events), 'drive');
    expect(drive?.odometerDistanceKm).toBeNull();
    expect(drive?.distanceKm).toBeCloseTo(3, 2);
  });

  it('does not end in a stream that stops saying the gear', () => {
    const stream = { source: 'STREAM', connectivity: null } as const;
    const outcome = run([
      seen(0, { gear: 'D', speedKmh: 30, odometerKm: 1000 }, stream),
      seen(10, { gear: null }, stream),
      seen(20, { speedKmh: 30, odometerKm: 1000.2 }, stream),
    ]);
    expect(outcome.state.drive).not.toBeNull();
  });

  it('knows the places at its ends', () => {
    const home = {
      id: 'home',
      kind: 'HOME',
      latitude: 47.0664,
      longitude: 9.5032,
      radiusM: 80,
      polygon: null,
    } as const;
    const [drive] = rows(run(commute, { places: [home] }), 'drive');
    expect(drive).toMatchObject({ startPlaceId: 'home', endPlaceId: null });
  });

  it('ignores a snapshot that is no newer than the last', () => {
    const before = run(commute);
    const stale = driving(240, 1003.5);
    expect(run([stale], {}, before.state)).toEqual({ state: before.state, effects: [] });
  });

  it('leaves a sample for every time it was seen', () => {
    const samples = run(commute).effects.flatMap((effect) =>
      effect.kind === 'sample' ? [secondsOf(effect.sample.at)] : [],
    );
    expect(samples).toEqual([60, 120, 180, 240, 300]);
  });
});
