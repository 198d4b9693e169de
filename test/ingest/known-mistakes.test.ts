import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { MINUTE_MS } from '../../src/base/units.ts';
import type { SignalValues } from '../../src/contract/signals.ts';
import {
  cadenceOf,
  garageProfile,
  makerProfile,
  type PollProfile,
} from '../../src/ingest/cadence.ts';
import { callWindows } from '../../src/ingest/call-windows.ts';
import { heedLimits } from '../../src/ingest/maker-gate.ts';
import { replay } from '../../src/ingest/replay.ts';
import { parsedState } from '../../src/ingest/stored-state.ts';
import { failureOf } from '../../src/maker/classify.ts';
import { charger, gear, link, miles, place, record } from '../support/telemetry.ts';
import {
  driving,
  parked,
  passed,
  rows,
  run,
  secondsOf,
  seen,
  situation,
  T0,
  told,
} from '../support/trace.ts';

const away = { latitude: 47.0664 + 5 / 111.195, longitude: 9.5032 };
const unknownOdometer = { odometerKm: null };

function charging(seconds: number, counterKwh: number, more: SignalValues = {}) {
  return parked(seconds, 1000, {
    ...{ chargeStatus: 'CHARGING', chargerPowerKw: 11, chargeEnergyAddedKwh: counterKwh },
    ...more,
  });
}

const listed = (seconds: number, connectivity: 'online' | 'asleep' | 'offline', more = {}) =>
  seen(seconds, {}, { connectivity, ...more });

/** What existing loggers get wrong (maker.md §3.2), row by row. */
describe('what loggers are known to get wrong', () => {
  describe('R1: a drive that nobody saw', () => {
    it('is made of the odometer, with the bounds that are known', () => {
      const [drive, ...others] = rows(run([parked(0, 1000), parked(3600, 1020, away)]), 'drive');
      expect(others).toEqual([]);
      expect(drive).toMatchObject({ state: 'INCOMPLETE', distanceKm: 20 });
      expect(secondsOf(drive?.endedAt ?? null)).toBe(3600);
      expect(secondsOf(drive?.startedAt ?? null)).toBe(1800);
    });

    it('is made of the position where there is no odometer', () => {
      const outcome = run([
        parked(0, 1000, unknownOdometer),
        parked(3600, 1000, { ...away, ...unknownOdometer }),
      ]);
      const [drive, ...others] = rows(outcome, 'drive');
      expect(others).toEqual([]);
      expect(drive).toMatchObject({ state: 'INCOMPLETE', odometerDistanceKm: null });
      expect(drive?.distanceKm).toBeCloseTo(5, 2);
      expect(rows(outcome, 'parkedSpan')).toHaveLength(2);
    });

    it('is made also where the list just said that the vehicle is there', () => {
      const outcome = run([
        parked(0, 1000),
        listed(3600, 'online'),
        parked(3600, 1020, away),
        listed(3660, 'asleep'),
        listed(7200, 'online'),
        driving(7200, 1021),
        driving(7260, 1022),
      ]);
      const drives = rows(outcome, 'drive');
      expect(drives).toMatchObject([
        { state: 'INCOMPLETE', distanceKm: 20 },
        { state: 'ONGOING', distanceKm: 2 },
      ]);
      // A kilometre at 60 km/h lies before its first sample.
      expect(drives.map(({ startedAt }) => secondsOf(startedAt))).toEqual([1800, 7140]);
    });

    it('is none where the position wanders below 100 m, or the odometer stood still', () => {
      const near = { latitude: 47.0664 + 0.08 / 111.195, longitude: 9.5032 };
      const moved = [
        run([
          parked(0, 1000, unknownOdometer),
          parked(3600, 1000, { ...near, ...unknownOdometer }),
        ]),
        run([parked(0, 1000), parked(3600, 1000, away)]),
      ];
      expect(moved.map((outcome) => rows(outcome, 'drive'))).toEqual([[], []]);
    });
  });

  it('R2: goes on from what is stored, whatever it was in the middle of', () => {
    const events = [parked(0, 1000), driving(60, 1000.5), driving(120, 1001.5), parked(180, 1002)];
    const whole = rows(run(events), 'drive');
    for (const cut of [1, 2, 3]) {
      const first = run(events.slice(0, cut));
      const again = run(
        events.slice(cut),
        {},
        parsedState(JSON.parse(JSON.stringify(first.state))),
      );
      const effects = [...first.effects, ...again.effects];
      expect(rows({ ...again, effects }, 'drive')).toEqual(whole);
    }
  });

  it('R3: keeps a drive without an odometer, and measures it by its positions', () => {
    const dark = { odometerKm: null, rangeRatedKm: null };
    const events = [0, 1, 2, 3].map((minute) => driving(minute * 60, 1000 + minute, dark));
    const [drive] = rows(
      run([
        ...events.map((event) => event),
        parked(240, 1003, { ...dark, latitude: 47.0664 + 3 / 111.195 }),
      ]),
      'drive',
    );
    expect(drive).toMatchObject({ state: 'ENDED', odometerDistanceKm: null });
    expect(drive?.distanceKm).toBeCloseTo(3, 2);
  });

  it('R3: keeps a drive of one sample as discarded, with the reason', () => {
    const outcome = run([parked(0, 1000), driving(60, 1000), parked(70, 1000)]);
    expect(rows(outcome, 'drive')).toMatchObject([
      { state: 'DISCARDED', discardReason: 'under_10_m' },
    ]);
  });

  describe('R4: a vehicle that vanishes in an underground garage', () => {
    const drive = [parked(0, 1000), driving(60, 1000.5), driving(300, 1004)];

    it('has driven until its last moving sample', () => {
      const silent = Array.from({ length: 20 }, (_, minute) => passed(300 + minute * 60));
      const [row] = rows(run([...drive, ...silent]), 'drive');
      expect(row).toMatchObject({ state: 'INCOMPLETE', distanceKm: 4 });
      expect(secondsOf(row?.endedAt ?? null)).toBe(300);
    });

    it('and comes back parked where it was has not driven meanwhile', () => {
      const [row, ...others] = rows(
        run([...drive, parked(1000, 1004, { latitude: 47.0664 + 4 / 111.195 })]),
        'drive',
      );
      expect(others).toEqual([]);
      expect(row).toMatchObject({ state: 'ENDED', distanceKm: 4 });
      expect(secondsOf(row?.endedAt ?? null)).toBe(300);
    });

    it('and comes back farther on within a quarter of an hour is on the same drive', () => {
      const outcome = run([...drive, driving(1000, 1010), parked(1060, 1011)]);
      expect(rows(outcome, 'drive')).toMatchObject([{ state: 'ENDED', distanceKm: 11 }]);
    });

    it('and comes back farther on after an hour has lost no kilometre', () => {
      const hour = [passed(300 + 16 * 60), driving(3900, 1030), parked(4000, 1031)];
      const drives = rows(run([...drive, ...hour]), 'drive');
      expect(drives).toHaveLength(2);
      expect(drives.reduce((km, row) => km + row.distanceKm, 0)).toBeCloseTo(31, 3);
    });

    const below = { latitude: 47.0664 + 4.5 / 111.195, longitude: 9.5032 };

    it('and is found parked a little farther on hours later has gone on to there', () => {
      const silent = Array.from({ length: 300 }, (_, minute) => passed(300 + minute * 60));
      const outcome = run([
        ...drive,
        ...silent,
        listed(18_300, 'offline'),
        listed(18_400, 'online'),
        parked(18_400, 1004.5, { ...below, batteryLevelPct: 50 }),
        parked(18_700, 1004.5, below),
      ]);
      const [row, ...others] = rows(outcome, 'drive');
      expect(others).toEqual([]);
      expect(row).toMatchObject({
        ...{ state: 'INCOMPLETE', distanceKm: 4.5, odometerDistanceKm: 4.5, endOdometerKm: 1004.5 },
        endLatitude: below.latitude,
      });
      // Half a kilometre at the 60 km/h of its last sample.
      expect(secondsOf(row?.endedAt ?? null)).toBe(330);
      expect(row?.endBatteryLevelPct, 'of when it was on the way').toBe(
        rows(run(drive), 'drive')[0]?.endBatteryLevelPct,
      );
      const spans = rows(outcome, 'parkedSpan');
      expect(spans.at(-1)).toMatchObject({ latitude: below.latitude, endedAt: null });
      expect(outcome.state.lost).toBeNull();
    });

    it('and drives on hours later, or was too far for one drive, has made another', () => {
      const hole = passed(300 + 16 * 60);
      const again = rows(run([...drive, hole, driving(7200, 1004.5)]), 'drive');
      expect(again.map(({ distanceKm }) => distanceKm)).toEqual([4, 0.5]);
      const far = rows(run([...drive, hole, parked(7200, 1064)]), 'drive');
      expect(far.map(({ distanceKm }) => distanceKm)).toEqual([4, 60]);
    });

    it('takes its trip along, also one that has ended since', () => {
      const long = [driving(0, 1000), driving(600, 1015), driving(1200, 1030)];
      for (const seconds of [1_200 + 3_600, 1_200 + 4 * 3_600]) {
        const silent = [passed(1_200 + 16 * 60), passed(seconds)];
        const outcome = run([...long, ...silent, parked(seconds, 1030.5, below)]);
        expect(rows(outcome, 'drive')).toMatchObject([{ distanceKm: 30.5 }]);
        expect(rows(outcome, 'trip')).toMatchObject([
          {
            distanceKm: 30.5,
            drivingS: rows(outcome, 'drive')[0]?.durationS,
            state: seconds > 10_000 ? 'ENDED' : 'ONGOING',
          },
        ]);
      }
    });

    it('and is said to sleep, then found farther on, has gone on to there', () => {
      const outcome = run([
        ...drive,
        listed(900, 'asleep'),
        listed(7200, 'online'),
        parked(7200, 1004.5, below),
      ]);
      expect(rows(outcome, 'drive')).toMatchObject([{ state: 'INCOMPLETE', distanceKm: 4.5 }]);
    });

    it('and is said to sleep has driven until its last moving sample', () => {
      const [row] = rows(run([...drive, listed(900, 'asleep')]), 'drive');
      expect(row).toMatchObject({ state: 'INCOMPLETE', sampleCount: 2 });
      expect(secondsOf(row?.endedAt ?? null)).toBe(300);
    });
  });

  it('R5: is asked for nothing but the free list while it sleeps', () => {
    for (const connectivity of ['asleep', 'offline'] as const) {
      const { state } = run([parked(0, 1000), listed(60, connectivity)]);
      expect(cadenceOf(situation(state), 1e15, makerProfile).dataNow).toBe(false);
    }
  });

  describe('R6: a vehicle that is said to be offline', () => {
    const offline = (seconds: number) => listed(seconds, 'offline');

    it('sleeps where it was left alone to fall asleep', () => {
      const { state } = run([parked(0, 1000), passed(16 * 60), offline(20 * 60), offline(40 * 60)]);
      expect([state.status, state.connectivity]).toEqual(['ASLEEP', 'offline']);
    });

    it('is out of reach where it was awake just before', () => {
      const { state } = run([parked(0, 1000), offline(60), passed(40 * 60), offline(41 * 60)]);
      expect(state.status).toBe('OFFLINE');
    });
  });

  describe('R8: a plug-in session', () => {
    it('stays one over pauses and resets of the counter, with a segment for each flow', () => {
      const events = [
        parked(0, 1000, { chargeEnergyAddedKwh: 9 }),
        charging(60, 0),
        charging(1860, 5),
        parked(1900, 1000, { chargeStatus: 'STOPPED', chargerPowerKw: 0, chargeEnergyAddedKwh: 5 }),
        charging(3600, 0),
        charging(5400, 4),
        parked(5460, 1000, { chargeEnergyAddedKwh: 4 }),
      ];
      const outcome = run(events);
      expect(rows(outcome, 'charge')).toMatchObject([{ state: 'STOPPED', energyAddedKwh: 9 }]);
      const last = outcome.effects.findLast((effect) => effect.kind === 'charge');
      expect(last?.kind === 'charge' ? last.segments : []).toMatchObject([
        { energyAddedKwh: 5 },
        { energyAddedKwh: 4 },
      ]);
    });

    it('holds no flow while the vehicle only heats itself from the wall', () => {
      const heating = { chargeStatus: 'COMPLETE', chargerPowerKw: 3, climateOn: true } as const;
      const outcome = run([
        parked(0, 1000),
        parked(60, 1000, heating),
        parked(660, 1000, heating),
        parked(700, 1000),
      ]);
      expect(rows(outcome, 'charge')).toMatchObject([
        { state: 'DISCARDED', discardReason: 'no_energy' },
      ]);
    });
  });

  describe('R13: a charge while nobody listened', () => {
    const low = { batteryLevelPct: 40, rangeRatedKm: 200, chargeEnergyAddedKwh: 12 };

    it('is told with what is known of it', () => {
      const outcome = run([
        parked(0, 1000, low),
        parked(7200, 1000, { batteryLevelPct: 70, rangeRatedKm: 350, chargeEnergyAddedKwh: 22.5 }),
      ]);
      const [charge, ...others] = rows(outcome, 'charge');
      expect(others).toEqual([]);
      expect(charge).toMatchObject({
        ...{ state: 'INCOMPLETE', energyAddedKwh: 22.5, energyPartial: true, kind: null },
        ...{ startBatteryLevelPct: 40, endBatteryLevelPct: 70, latitude: 47.0664, durationS: 0 },
      });
      expect([charge?.startedAt, charge?.endedAt].map((at) => secondsOf(at ?? null))).toEqual([
        0, 7200,
      ]);
      expect(told(outcome)).toContain('charge.ended');
      expect(rows(outcome, 'parkedSpan')).toMatchObject([{ energyAddedKwh: 22.5 }]);
    });

    it('is told by the range where no counter tells of it', () => {
      const none = { chargeEnergyAddedKwh: null };
      const outcome = run([
        parked(0, 1000, { ...low, ...none }),
        parked(7200, 1000, { batteryLevelPct: 70, rangeRatedKm: 350, ...none }),
      ]);
      expect(rows(outcome, 'charge')).toMatchObject([
        { state: 'INCOMPLETE', energyAddedKwh: 22.5 },
      ]);
    });

    it('lies between two drives where it was on the way', () => {
      const outcome = run([
        parked(0, 1000, { batteryLevelPct: 60 }),
        driving(60, 1000.5, { batteryLevelPct: 60 }),
        driving(600, 1010, { batteryLevelPct: 50 }),
        driving(2400, 1012, { batteryLevelPct: 80 }),
        parked(2500, 1013, { batteryLevelPct: 79 }),
      ]);
      expect(rows(outcome, 'drive').map(({ state, distanceKm }) => [state, distanceKm])).toEqual([
        ['INCOMPLETE', 10],
        ['ENDED', 3],
      ]);
      expect(rows(outcome, 'charge')).toMatchObject([
        { state: 'INCOMPLETE', startBatteryLevelPct: 50, endBatteryLevelPct: 80, latitude: null },
      ]);
    });

    it('is none where the level rose by what warmth or a mountain explain', () => {
      const warm = run([
        parked(0, 1000, { batteryLevelPct: 40 }),
        parked(7200, 1000, { batteryLevelPct: 42 }),
      ]);
      const down = run([
        driving(60, 1000.5, { batteryLevelPct: 50 }),
        driving(900, 1020, { batteryLevelPct: 55 }),
      ]);
      expect([...rows(warm, 'charge'), ...rows(down, 'charge')]).toEqual([]);
    });

    it('is told of a stream as well, and not of one that goes on', () => {
      const outcome = replay([
        record(0, { Gear: gear('P'), Odometer: miles(1000), Location: place(0), BatteryLevel: 40 }),
        record(1, { DetailedChargeState: charger('Disconnected') }),
        link(60, 'DISCONNECTED'),
        link(7200, 'CONNECTED'),
        record(7201, { Soc: 70, BatteryLevel: 70 }),
        record(7400, { BatteryLevel: 69 }),
      ]);
      expect(outcome.vehicles[0]?.charges).toMatchObject([
        { state: 'INCOMPLETE', battery_start_pct: 40, battery_end_pct: 70 },
      ]);
    });
  });

  it('R15: tells drives apart at each P, however short, and joins them in a trip', () => {
    const far = 1000 + 25;
    const outcome = run([
      parked(0, 1000),
      ...[0, 1, 2, 3].map((part) => driving(60 + part * 500, 1000.5 + part * 7)),
      parked(1800, far),
      driving(1830, far),
      parked(1900, far + 0.5),
      passed(1900 + 7260),
    ]);
    expect(rows(outcome, 'drive')).toHaveLength(2);
    expect(rows(outcome, 'trip')).toMatchObject([{ state: 'ENDED', distanceKm: 25.5 }]);
  });

  it('R16: takes nothing from a snapshot that is older than what is known', () => {
    const stale = driving(100, 1000);
    const { state } = run([parked(0, 1000), parked(600, 1000), stale]);
    expect([state.drive, state.values.gear]).toEqual([null, 'P']);
  });

  it('keeps a vehicle in service as such, and its kilometres', () => {
    const outcome = run([
      parked(0, 1000),
      listed(600, 'online', { inService: true }),
      listed(7200, 'online', { inService: false }),
      parked(7260, 1012),
    ]);
    expect(rows(outcome, 'stateSpan').map(({ status }) => status)).toContain('IN_SERVICE');
    expect(rows(outcome, 'drive')).toMatchObject([{ state: 'INCOMPLETE', distanceKm: 12 }]);
  });

  describe('R10: a maker that says to come back later', () => {
    const target = { makerAccountId: 'account', vehicleId: 'vehicle' };
    const plenty = { DATA: 1_000, COMMAND: 1_000, WAKE: 1_000 };
    const windows = (clock: () => number) =>
      callWindows(clock, { vehicle: plenty, account: plenty });

    it('is not asked again before it said, by nobody in this process', () => {
      let now = T0;
      const held = windows(() => now);
      held.holdVehicle(target, 'DATA', 90_000);
      expect(held.take(target, 'DATA')).toBe(90_000);
      now += 89_000;
      expect(held.take(target, 'DATA')).toBe(1_000);
      now += 1_000;
      expect(held.take(target, 'DATA')).toBe(0);
    });

    it('is left alone for a quarter of an hour where it does not say how long', () => {
      const held = windows(() => T0);
      const json = { response: null, error: 'account disabled: EXCEEDED_LIMIT' };
      const said = { json, body: JSON.stringify(json), headers: new Headers() };
      const answer = failureOf({ ...said, status: 403, baseUrl: '', token: '', now: T0 });
      heedLimits('account', answer, held);
      expect(held.accountHeldMs('account')).toBe(15 * MINUTE_MS);
    });
  });

  it('R11: remembers no more of a drive of a thousand samples than of one of ten', () => {
    const sizeAfter = (samples: number) => {
      const drive = Array.from({ length: samples }, (_, index) =>
        driving(60 + index * 15, 1000 + index / 4),
      );
      return JSON.stringify(run([parked(0, 1000), ...drive]).state).length;
    };
    expect(sizeAfter(1_000)).toBeLessThan(sizeAfter(10) + 200);
  });

  it('R14: counts a charge whose beginning was seen from nothing, and another one from its first sight', () => {
    const end = (kwh: number) => parked(4_000, 1000, { chargeEnergyAddedKwh: kwh });
    const seenToBegin = [parked(0, 1000, { chargeEnergyAddedKwh: 20 }), charging(60, 0.41)];
    const underWay = [charging(60, 5)];
    const chargesOf = (...events: Parameters<typeof run>[0]) => rows(run(events), 'charge');
    expect(chargesOf(...seenToBegin, charging(3_600, 8), end(8))).toMatchObject([
      { energyAddedKwh: 8, energyPartial: false },
    ]);
    expect(chargesOf(...underWay, charging(3_600, 8), end(8))).toMatchObject([
      { energyAddedKwh: 3, energyPartial: true },
    ]);
  });

  describe('R17: how often a vehicle is asked', () => {
    const drives = run([parked(0, 1000), driving(60, 1000.5)]).state;
    const dueIn = (profile: PollProfile, pressure = 1) =>
      cadenceOf(situation(drives, { lastDataAt: T0, pressure }), T0, profile).nextInMs;

    it('follows from what it does, and shorter intervals hold as longer ones do', () => {
      expect([dueIn(makerProfile), dueIn(garageProfile)]).toEqual([15_000, 3_000]);
      expect(dueIn({ ...makerProfile, driving: 2_500 })).toBe(2_500);
    });

    it('is less where the money goes faster than the month', () => {
      expect(dueIn(makerProfile, 2)).toBe(30_000);
    });
  });

  it.each([
    ['R7', 'telemetry/rerun.test.ts', 'holds up nobody else when it cannot be done'],
    ['R7', 'places/geocoder.test.ts', 'are asked for at most once a second'],
    ['R7', 'places/geocoder.test.ts', 'that were being asked for when the process died'],
    ['R9', 'telemetry/journal.test.ts', 'feeds every account that holds the vehicle'],
    ['R9', 'simulator/scenarios.test.ts', 'is sold: it is followed no more, and what it did stays'],
    ['R12', 'link/kill.test.ts', 'leaves a working link at: %s'],
    ['R12', 'simulator/scenarios.test.ts', 'is lost with its account’s tokens'],
    ['R13', 'telemetry/journal.test.ts', 'keeps what comes later than the records are kept'],
  ])('%s is held in %s: %s', (_row, file, title) => {
    const source = readFileSync(join(packageRoot, 'test', file), 'utf8');
    // As the beginning of a test's title, and not in passing.
    const titles = [...source.matchAll(/\bit(?:\.each\([^)]*\))?\(\s*'([^']*)'/g)].map(
      ([, found]) => found,
    );
    expect(titles.filter((found) => found?.startsWith(title))).toHaveLength(1);
  });
});
