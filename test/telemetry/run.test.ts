import { expect, it } from 'vitest';
import { initialState } from '../../src/ingest/state.ts';
import { runEntries, runSilence, type StreamRun } from '../../src/ingest/stream-run.ts';
import { settledUntil } from '../../src/ingest/stream-window.ts';
import { emptyFold, type Folded } from '../../src/store/history.ts';
import { gear, MPH_60, place, record, S0 } from '../support/telemetry.ts';
import { context } from '../support/trace.ts';

const second = 1_000;

function entry(seconds: number, fields: Parameters<typeof record>[1]) {
  const at = S0 + seconds * second;
  return { at, receivedAt: at, content: String(seconds), form: 'R', data: record(seconds, fields) };
}

function newRun(over: Partial<StreamRun> = {}): StreamRun & { folded: Folded } {
  return {
    context,
    rightHandDrive: false,
    toldUntil: Number.NEGATIVE_INFINITY,
    folded: emptyFold(),
    state: initialState,
    at: 0,
    lastAt: null,
    checkpointAt: S0,
    checkpoints: [],
    refused: [],
    ...over,
  };
}

it('leaves out an event that breaks the reducer, and takes the others', () => {
  // No record does so on purpose: a place that cannot be asked stands in for what nobody thought of.
  const broken = {
    ...({ id: 'p', kind: 'OTHER', longitude: 9.5, radiusM: 10, polygon: null } as const),
    get latitude(): number {
      throw new Error('No such place.');
    },
  };
  const run = newRun({ context: { ...context, places: [broken] } });
  runEntries(run, [
    entry(0, { Soc: 80 }),
    entry(1, { Location: place(0), Gear: gear('D') }),
    entry(2, { Soc: 79 }),
  ]);
  expect(run.refused).toHaveLength(1);
  expect(run.state.values.usableBatteryLevelPct).toBe(79);
});

it('keeps a checkpoint every half hour of event time, between two instants', () => {
  const run = newRun();
  const minutes = [0, 10, 20, 29, 30, 31, 45, 61, 62];
  runEntries(run, [
    entry(0, { Gear: gear('D'), VehicleSpeed: MPH_60 }),
    ...minutes.slice(1).map((minute) => entry(minute * 60, { Location: place(minute) })),
  ]);
  expect(run.checkpoints.map(({ at }) => (at - S0) / 60 / second)).toEqual([30, 61]);
});

it('tells only of what happened after what was told', () => {
  const run = newRun({ toldUntil: S0 + 60 * second });
  runEntries(run, [
    entry(0, { Gear: gear('D'), VehicleSpeed: MPH_60 }),
    entry(60, { Gear: gear('P'), VehicleSpeed: 0 }),
    entry(61, { Soc: 70 }),
  ]);
  runSilence(run, S0 + 20 * 60 * second);
  expect([
    ...new Set(run.folded.events.map(({ occurredAt }) => occurredAt > run.toldUntil)),
  ]).toEqual([true]);
  expect(run.folded.drives.size).toBe(1);
});

it.each([
  ['a minute before the newest record', { newestAt: 500, receivedAt: 500 }, 510, 440],
  ['the newest, after a minute without one', { newestAt: 500, receivedAt: 500 }, 560, 500],
  ['a minute before now, in a silence', { newestAt: 500, receivedAt: 500 }, 700, 640],
  [
    'a minute before now, when the newest is of the future',
    { newestAt: 900, receivedAt: 500 },
    510,
    450,
  ],
  [
    'a minute before now, in a silence after something old',
    { newestAt: 5, receivedAt: 500 },
    560,
    500,
  ],
])('settles until %s', (_, times, now, until) => {
  const inMs = { newestAt: times.newestAt * second, receivedAt: times.receivedAt * second };
  expect(settledUntil(inMs, now * second)).toBe(until * second);
});
