import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/base/units.ts';
import { traceCollector } from '../../src/ingest/replay-trace.ts';
import type { IngestEvent } from '../../src/ingest/state.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { recordCar } from '../../src/simulator/history.ts';
import { randomOf } from '../../src/simulator/random.ts';
import type { Car } from '../../src/simulator/state.ts';
import { streamCar } from '../../src/simulator/telemetry.ts';
import { beside } from '../telemetry/killed-day.ts';
import { fedWithKills } from '../telemetry/killing.ts';
import { rounds } from './rounds.ts';

/** A Monday, local midnight. */
const FROM = Date.UTC(2026, 10, 8, 23);
const UNTIL = FROM + 26 * HOUR_MS;
const KILLS = 25;

function twoCars(seed: string): [Car, Car] {
  const cars = openGarage({ seed, fromMs: FROM, untilMs: UNTIL, days: 2, showings: [] });
  const [streamed, lookedAt] = cars;
  if (streamed === undefined || lookedAt === undefined) throw new Error('The garage is empty.');
  return [streamed, lookedAt];
}

/** What the looks of a recorder told, without the time between them. */
function looksAt(car: Car): IngestEvent[] {
  const trace = traceCollector('poll');
  let line = 0;
  for (const { at, ...answer } of recordCar(car, UNTIL)) {
    line += 1;
    trace.add(JSON.stringify({ at: new Date(at).toISOString(), ...answer }), line);
  }
  const events = trace.finish().events.get(car.spec.vin) ?? [];
  return events.filter(({ kind }) => kind === 'observation');
}

/** A day of two cars of the garage, in requests of some records, with deaths at random moments. */
it('kills', () =>
  rounds('kills', async (seed) => {
    const [streamed, lookedAt] = twoCars(seed);
    const records = [...streamCar(streamed, UNTIL)].map(({ record }) => JSON.stringify(record));
    const events = beside(records, looksAt(lookedAt), { records: 25, looks: 10 });
    const random = randomOf(seed, 'kills');
    const places = Array.from({ length: KILLS }, () => Math.floor(random() * events.length));
    const vins = { streamed: streamed.spec.vin, lookedAt: lookedAt.spec.vin };
    const vehicles = await fedWithKills(
      events,
      places.sort((a, b) => a - b),
      vins,
    );
    expect(vehicles.flatMap(({ drives }) => drives).length).toBeGreaterThan(1);
  }));
