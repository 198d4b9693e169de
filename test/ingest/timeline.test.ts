import { describe, expect, it } from 'vitest';
import { driving, parked, passed, rows, run, secondsOf, seen, told } from '../support/trace.ts';

const home = {
  id: 'home',
  kind: 'HOME',
  latitude: 47.0664,
  longitude: 9.5032,
  radiusM: 80,
  polygon: null,
} as const;
const far = { latitude: 47.5, longitude: 9.5032 };

describe('states', () => {
  it('follow each other without a gap and leave one open', () => {
    const events = [
      parked(0, 1000),
      driving(60, 1000.2),
      parked(300, 1004),
      seen(900, {}, { connectivity: 'asleep' }),
    ];
    const spans = rows(run(events), 'stateSpan');
    expect(
      spans.map((span) => [span.status, secondsOf(span.startedAt), secondsOf(span.endedAt)]),
    ).toEqual([
      ['ONLINE', 0, 60],
      ['DRIVING', 60, 300],
      ['ONLINE', 300, 900],
      ['ASLEEP', 900, null],
    ]);
  });

  it('wait for sleep after a quarter of an hour of rest', () => {
    expect(run([parked(0, 1000), passed(15 * 60)]).state.status).toBe('WAITING_FOR_SLEEP');
  });

  it('stay online while something keeps the vehicle awake', () => {
    const guarded = { sentry: 'ARMED' } as const;
    expect(
      run([parked(0, 1000, guarded), parked(14 * 60, 1000, guarded), passed(20 * 60)]).state.status,
    ).toBe('ONLINE');
  });

  it('are charging only while energy flows', () => {
    const charging = parked(60, 1000, { chargeStatus: 'CHARGING', chargerPowerKw: 11 });
    const complete = parked(120, 1000, { chargeStatus: 'COMPLETE', chargerPowerKw: 0 });
    expect(
      rows(run([parked(0, 1000), charging, complete]), 'stateSpan').map((span) => span.status),
    ).toEqual(['ONLINE', 'CHARGING', 'ONLINE']);
  });
});

describe('a parked span', () => {
  it('lies between two drives, with the level at both ends', () => {
    const events = [
      parked(0, 1000),
      driving(60, 1000.2),
      parked(300, 1004, { batteryLevelPct: 70 }),
      parked(4000, 1004, { batteryLevelPct: 69 }),
      driving(4060, 1004.2, { batteryLevelPct: 68 }),
    ];
    const spans = rows(run(events), 'parkedSpan');
    expect(spans.at(-1)).toMatchObject({ startBatteryLevelPct: 70, endBatteryLevelPct: 69 });
    expect([
      secondsOf(spans.at(-1)?.startedAt ?? null),
      secondsOf(spans.at(-1)?.endedAt ?? null),
    ]).toEqual([300, 4048]);
  });
});

describe('software', () => {
  const current = { softwareVersion: '2026.8.1', softwareCommit: 'abc' };
  const offer = { updateVersion: '2026.12.3' };

  it('goes from offered over installing to installed', () => {
    const outcome = run([
      parked(0, 1000, { ...current, updateStatus: 'NONE' }),
      parked(60, 1000, { ...offer, updateStatus: 'AVAILABLE' }),
      parked(120, 1000, { ...offer, updateStatus: 'DOWNLOADING' }),
      parked(180, 1000, { ...offer, updateStatus: 'INSTALLING' }),
      parked(1800, 1000, {
        softwareVersion: '2026.12.3',
        updateStatus: 'NONE',
        updateVersion: null,
      }),
    ]);
    const installation = rows(outcome, 'installation').at(-1);
    expect(installation).toMatchObject({ version: '2026.12.3', state: 'INSTALLED' });
    expect(
      [installation?.seenAt, installation?.startedAt, installation?.endedAt].map((at) =>
        secondsOf(at ?? null),
      ),
    ).toEqual([60, 180, 1800]);
    expect(told(outcome).filter((type) => type.startsWith('software'))).toEqual([
      'software.available',
      'software.installing',
      'software.installed',
    ]);
  });

  it('is cancelled when the offer goes away', () => {
    const outcome = run([
      parked(0, 1000, { ...current, ...offer, updateStatus: 'AVAILABLE' }),
      parked(60, 1000, { updateStatus: 'NONE', updateVersion: null }),
    ]);
    expect(rows(outcome, 'installation').at(-1)).toMatchObject({
      version: '2026.12.3',
      state: 'CANCELLED',
    });
  });

  it('that was installed while the vehicle was away is recorded when it is found', () => {
    const outcome = run([
      parked(0, 1000, current),
      parked(90_000, 1000, { softwareVersion: '2026.12.3' }),
    ]);
    expect(
      rows(outcome, 'installation').map((row) => [
        row.version,
        row.startedAt,
        secondsOf(row.endedAt),
      ]),
    ).toEqual([
      ['2026.8.1', null, null],
      ['2026.12.3', null, 90_000],
    ]);
  });
});

describe('a trip', () => {
  const outAndBack = [
    parked(0, 1000),
    driving(60, 1000.5),
    parked(1800, 1030, far),
    driving(3600, 1030.5, far),
    parked(5400, 1060),
  ];

  it('holds the drives between two stays at home', () => {
    const outcome = run(outAndBack, { places: [home] });
    const [trip, ...others] = rows(outcome, 'trip');
    expect(others).toEqual([]);
    expect(trip).toMatchObject({
      state: 'ENDED',
      distanceKm: 60,
      startPlaceId: 'home',
      endPlaceId: 'home',
    });
    const last = outcome.effects.findLast((effect) => effect.kind === 'trip');
    expect(last?.kind === 'trip' ? last.driveIds : []).toEqual(
      rows(outcome, 'drive').map((drive) => drive.id),
    );
  });

  it('ends with a stop of two hours', () => {
    const outcome = run([...outAndBack.slice(0, 3), passed(1800 + 7200)]);
    expect(rows(outcome, 'trip')).toMatchObject([{ state: 'ENDED', distanceKm: 30 }]);
    expect(outcome.state.trip).toBeNull();
  });

  it('is none below 20 km', () => {
    const outcome = run([
      parked(0, 1000),
      driving(60, 1000.5),
      parked(900, 1019),
      passed(900 + 7200),
    ]);
    expect(rows(outcome, 'trip')).toEqual([]);
  });
});
