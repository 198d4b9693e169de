import { expect, it, onTestFinished } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/base/units.ts';
import { cadenceOf, makerProfile, type Situation } from '../../src/ingest/cadence.ts';
import { steps } from '../../src/ingest/machine.ts';
import { lookAt } from '../../src/ingest/poll.ts';
import { initialState } from '../../src/ingest/state.ts';
import { makerApi } from '../../src/maker/api.ts';
import { advance } from '../../src/simulator/car.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import type { Car } from '../../src/simulator/state.ts';
import { open } from '../maker/stand-in.ts';
import { context } from '../support/trace.ts';

const START = Date.parse('2026-03-03T03:00:00Z');
const DAYS = 2;

/** A car that nobody asked anything so far; it commutes and charges at home. */
function aCar(): Car {
  const [, car] = openGarage({ seed: 'days', untilMs: START, days: 0 });
  if (car === undefined) throw new Error('The garage is empty.');
  advance(car, START);
  return car;
}

/** Minutes that a car is awake and that it drives while it is left to itself. */
function alone(): { awake: number; driven: number } {
  const car = aCar();
  const minutes = { awake: 0, driven: 0 };
  for (let at = START; at < START + DAYS * DAY_MS; at += MINUTE_MS) {
    advance(car, at);
    minutes.awake += Number(car.state.awake);
    minutes.driven += Number(car.state.gear === 'D');
  }
  return minutes;
}

it('lets the car sleep, wakes it never, and asks for data some dozen times a day beside its drives', async () => {
  const car = aCar();
  let now = START;
  const clock = () => now;
  const simulator = await startSimulator({ cars: [car], clock, seed: 'days' });
  onTestFinished(simulator.close);
  const { baseUrl } = simulator;
  // A new one for each call: how tokens end is no matter here.
  const token = async () => simulator.seedTokens({ subject: 'person' }).accessToken;
  const api = makerApi({ baseUrl, clock, gate: open, token });
  const parts = { api, vin: car.spec.vin, clock, profile: makerProfile };
  let before: Situation = {
    state: initialState,
    lastDataAt: null,
    onlineSince: null,
    streamedAt: null,
    sleepAware: true,
    pressure: 1,
  };
  const data = { driving: 0, charging: 0, idle: 0 };
  const refused: string[] = [];
  let awake = 0;
  while (now < START + DAYS * DAY_MS) {
    const calls = simulator.calls.data;
    const look = await lookAt(before, parts);
    if (look.failure !== null) refused.push(look.failure.kind);
    const { state } = steps(before.state, look.events, context, () => {});
    const { lastDataAt, onlineSince } = look;
    before = { ...before, state, lastDataAt, onlineSince };
    const doing = state.drive !== null ? 'driving' : state.charge?.flowing ? 'charging' : 'idle';
    data[doing] += simulator.calls.data - calls;
    const { nextInMs } = cadenceOf(before, now, makerProfile);
    awake += car.state.awake ? nextInMs / MINUTE_MS : 0;
    now += nextInMs;
  }
  const own = alone();
  const keptAwake = (awake - own.awake) / DAYS;
  expect(simulator.calls.wake).toBe(0);
  expect(refused, 'the list went before every call for data').toEqual([]);
  // 198 calls for data a day, 142 of them in 39 minutes of driving, 48 of charging, 8 idle; 1,546 looks at the list.
  expect(own.driven).toBeGreaterThan(60);
  expect(data.driving, 'every 15 s to 20 s of a drive').toBeGreaterThan(own.driven * 3);
  expect(simulator.calls.data / DAYS).toBeLessThan(250);
  expect(data.idle / DAYS).toBeLessThan(15);
  // 116 minutes a day awake by itself, and 19 more for having been asked.
  expect(keptAwake).toBeLessThan(30);
});
