import { describe, expect, it } from 'vitest';
import { createIngestToken } from '../../src/actions/manage-ingest.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/base/units.ts';
import { replay } from '../../src/ingest/replay.ts';
import { storedHistory } from '../../src/ingest/replay-in-store.ts';
import { reportOf } from '../../src/ingest/replay-report.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { recordCar } from '../../src/simulator/history.ts';
import { type Ledger, newLedger } from '../../src/simulator/ledger.ts';
import type { Car } from '../../src/simulator/state.ts';
import { streamCar } from '../../src/simulator/telemetry.ts';
import { overRadio, sendTelemetry } from '../../src/simulator/telemetry-radio.ts';
import { boot } from '../support/boot.ts';
import { newStreamed } from '../support/streamed.ts';
import { byRecorder, byStream, expectUsed, expectWhole } from './held.ts';

/** A Monday, local midnight; the cars have a whole week before them. */
const FROM = Date.UTC(2026, 10, 9, 23);
const UNTIL = FROM + 7 * DAY_MS;

function carsOf(seed: string): Car[] {
  return openGarage({ seed, fromMs: FROM, untilMs: UNTIL, days: 7, showings: [] });
}

describe('a simulated week', () => {
  /** What a car streams until then, over a radio that is late, repeats itself and is silent for hours. */
  function badRadio(car: Car, untilMs: number, did: Ledger) {
    const noon = FROM + 7 * HOUR_MS;
    return overRadio([...streamCar(car, untilMs, did.watch)], {
      ...{ seed: 'radio', delayMs: 40 * SECOND_MS, resent: 0.1 },
      silences: [{ fromMs: noon, untilMs: noon + 12 * HOUR_MS }],
    });
  }

  it('over a bad radio comes to exactly the drives and charges that the cars made', () => {
    for (const car of carsOf('week')) {
      const did = newLedger();
      const lines = badRadio(car, UNTIL, did).map(({ record }) => JSON.stringify(record));
      expect(did.drives.length).toBeGreaterThan(10);
      expectWhole(replay(lines).vehicles[0], did, byStream);
    }
  });

  it('comes to them over HTTP and through the journal as well, for a day of one car', async () => {
    const untilMs = FROM + DAY_MS;
    const clock = Object.assign(() => clock.at, { at: untilMs });
    await using service = await boot({ clock });
    const { prisma } = service;
    const [car] = carsOf('week');
    if (car === undefined) throw new Error('There is no car.');
    const did = newLedger();
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
    expectWhole(report.vehicles[0], did, byStream);
  });

  it('comes to the same drives and charges by poll and by telemetry', () => {
    const [polled, streamed] = [carsOf('both'), carsOf('both')];
    for (const [index, car] of polled.entries()) {
      const did = newLedger();
      const lines = [...recordCar(car, FROM + 3 * DAY_MS, undefined, did.watch)].map(
        ({ at, ...line }) => JSON.stringify({ at: new Date(at).toISOString(), ...line }),
      );
      const other = streamed[index];
      if (other === undefined) throw new Error('There is no such car.');
      const records = [...streamCar(other, FROM + 3 * DAY_MS)].map(({ record }) =>
        JSON.stringify(record),
      );
      const [byLooks, byTelemetry] = [lines, records].map((trace) => replay(trace).vehicles[0]);
      expectWhole(byLooks, did, byRecorder);
      expectWhole(byTelemetry, did, byStream);
      // Between the last look at rest and the drive the cabin is warmed.
      expectUsed(byLooks, did, 0.7);
      expectUsed(byTelemetry, did, 0.1);
    }
  });

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
