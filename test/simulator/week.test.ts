import { describe, expect, it } from 'vitest';
import { createIngestToken } from '../../src/actions/manage-ingest.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/base/units.ts';
import { replay } from '../../src/ingest/replay.ts';
import { storedHistory } from '../../src/ingest/replay-in-store.ts';
import { reportOf } from '../../src/ingest/replay-report.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { recordCar } from '../../src/simulator/history.ts';
import type { Car } from '../../src/simulator/state.ts';
import { streamCar } from '../../src/simulator/telemetry.ts';
import { overRadio, sendTelemetry } from '../../src/simulator/telemetry-radio.ts';
import { boot } from '../support/boot.ts';
import { newStreamed } from '../support/streamed.ts';

/** A Monday, local midnight; the cars have a whole week before them. */
const FROM = Date.UTC(2026, 10, 9, 23);
const UNTIL = FROM + 7 * DAY_MS;

type Driven = { from: number; until: number; km: number };
type Charged = { from: number; kwh: number; kind: 'AC' | 'DC' };

/** What a car really did: watched at each of its steps. */
function witness() {
  const drives: Driven[] = [];
  const charges: Charged[] = [];
  let start: { at: number; km: number } | null = null;
  let charge: Charged | null = null;
  let flows = false;
  return {
    drives,
    charges,
    watch: ({ state }: Car) => {
      const { atMs: at, odometerKm: km } = state;
      if (state.phase === 'driving') start ??= { at, km };
      else if (start !== null) {
        drives.push({ from: start.at, until: at, km: km - start.km });
        start = null;
      }
      if (state.charge.cable === null) charge = null;
      else if (charge === null) {
        flows = false;
        charge = { from: at, kwh: 0, kind: state.charge.cable === 'dc' ? 'DC' : 'AC' };
        charges.push(charge);
      }
      // Until it charges, what is counted there is of the charge before.
      if (charge !== null && state.charge.state === 'Charging') flows = true;
      if (charge !== null && flows) charge.kwh = state.charge.addedKwh;
    },
  };
}

function carsOf(seed: string): Car[] {
  return openGarage({ seed, fromMs: FROM, untilMs: UNTIL, days: 7, showings: [] });
}

type Reported = ReturnType<typeof replay>['vehicles'][number];

/** Holds a report against what the car did; times within a minute, kilometres within the step that a stream tells them by. */
function expectDone(report: Reported | undefined, did: ReturnType<typeof witness>, kmOff = 0.35) {
  const drives = report?.drives ?? [];
  expect(drives.map(({ state }) => state)).toEqual(did.drives.map(() => 'ENDED'));
  expect(drives.map(({ started_at }) => seconds(started_at))).toEqual(
    did.drives.map(({ from }) => within(from / SECOND_MS, 60)),
  );
  expect(drives.map(({ ended_at }) => seconds(ended_at))).toEqual(
    did.drives.map(({ until }) => within(until / SECOND_MS, 60)),
  );
  expect(drives.map(({ distance_km }) => distance_km)).toEqual(
    did.drives.map(({ km }) => within(km, kmOff)),
  );
  const charged = did.charges.filter(({ kwh }) => kwh > 0.01);
  expect(report?.charges.map(({ kind }) => kind)).toEqual(charged.map(({ kind }) => kind));
  expect(report?.charges.map(({ energy_added_kwh }) => energy_added_kwh)).toEqual(
    charged.map(({ kwh }) => within(kwh, 0.1)),
  );
}

function seconds(time: string | null): number {
  return Date.parse(time ?? '') / SECOND_MS;
}

/** A number that is at most so far off. */
function within(value: number, off: number) {
  return {
    asymmetricMatch: (other: unknown) =>
      typeof other === 'number' && Math.abs(other - value) <= off,
    toString: () => `${value} ± ${off}`,
  };
}

describe('a simulated week', () => {
  /** What a car streams until then, over a radio that is late, repeats itself and is silent for hours. */
  function badRadio(car: Car, untilMs: number, did: ReturnType<typeof witness>) {
    const noon = FROM + 7 * HOUR_MS;
    return overRadio([...streamCar(car, untilMs, did.watch)], {
      ...{ seed: 'radio', delayMs: 40 * SECOND_MS, resent: 0.1 },
      silences: [{ fromMs: noon, untilMs: noon + 12 * HOUR_MS }],
    });
  }

  it('over a bad radio comes to exactly the drives and charges that the cars made', () => {
    for (const car of carsOf('week')) {
      const did = witness();
      const lines = badRadio(car, UNTIL, did).map(({ record }) => JSON.stringify(record));
      expect(did.drives.length).toBeGreaterThan(10);
      expectDone(replay(lines).vehicles[0], did);
    }
  }, 60_000);

  it('comes to them over HTTP and through the journal as well, for a day of one car', async () => {
    const untilMs = FROM + DAY_MS;
    const clock = Object.assign(() => clock.at, { at: untilMs });
    await using service = await boot({ clock });
    const { prisma } = service;
    const [car] = carsOf('week');
    if (car === undefined) throw new Error('There is no car.');
    const did = witness();
    const { id, vin, accountId } = await newStreamed(prisma, car.spec.vin);
    const { token } = await createIngestToken(service.service.access, { accountId, name: 'radio' });
    await sendTelemetry(badRadio(car, untilMs, did), { url: service.baseUrl, token });
    clock.at += 4 * HOUR_MS;
    const waiting = () =>
      prisma.vehicleStream.count({ where: { dueAt: { lte: new Date(clock.at) } } });
    await expect.poll(waiting, { timeout: 60_000, interval: 100 }).toBe(0);
    const history = await storedHistory(prisma, id, vin);
    const report = reportOf([history], { events: new Map(), rejected: new Map(), unnamed: [] });
    expect(did.drives.length).toBeGreaterThan(1);
    expectDone(report.vehicles[0], did);
  }, 120_000);

  it('comes to the same drives and charges by poll and by telemetry', () => {
    const [polled, streamed] = [carsOf('both'), carsOf('both')];
    for (const [index, car] of polled.entries()) {
      const did = witness();
      const lines = [...recordCar(car, FROM + 3 * DAY_MS, undefined, did.watch)].map(
        ({ at, ...line }) => JSON.stringify({ at: new Date(at).toISOString(), ...line }),
      );
      const other = streamed[index];
      if (other === undefined) throw new Error('There is no such car.');
      const records = [...streamCar(other, FROM + 3 * DAY_MS)].map(({ record }) =>
        JSON.stringify(record),
      );
      expectDone(replay(lines).vehicles[0], did, 0.05);
      expectDone(replay(records).vehicles[0], did);
    }
  }, 60_000);

  it('is streamed as what changes, with the link, invalid marks and software', () => {
    const [car] = carsOf('stream');
    if (car === undefined) throw new Error('There is no car.');
    const records = [...streamCar(car, FROM + 2 * DAY_MS)].map(({ record }) => record);
    const data = records.flatMap((record) => (Array.isArray(record.data) ? record.data : []));
    const last = new Map<string, string>();
    const links = records.filter(({ status }) => status !== undefined).map(({ status }) => status);
    expect(new Set(links)).toEqual(new Set(['CONNECTED', 'DISCONNECTED']));
    expect(data.some(({ key, value }) => key === 'Gear' && value.invalid === true)).toBe(true);
    for (const record of records) {
      if (record.status !== undefined) last.clear();
      for (const { key, value } of Array.isArray(record.data) ? record.data : []) {
        expect(JSON.stringify(value)).not.toBe(last.get(key));
        last.set(key, JSON.stringify(value));
      }
    }
  });
});
