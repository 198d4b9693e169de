import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { steps } from '../../src/ingest/machine.ts';
import { reorderWindow } from '../../src/ingest/reorder.ts';
import { replay } from '../../src/ingest/replay.ts';
import { traceCollector } from '../../src/ingest/replay-trace.ts';
import { initialState } from '../../src/ingest/state.ts';
import { parsedState } from '../../src/ingest/stored-state.ts';
import { readTraceLine } from '../../src/ingest/trace-line.ts';
import { streamedDay as day } from '../support/streamed-day.ts';
import { VIN } from '../support/telemetry.ts';
import { context, type Outcome, rows } from '../support/trace.ts';

const whole = replay(day);

describe('a stream', () => {
  it('is what it was scripted to be', () => {
    const [vehicle] = whole.vehicles;
    expect(vehicle?.drives.map(({ state, distance_km }) => [state, distance_km])).toEqual([
      ['ENDED', 4.1],
      ['INCOMPLETE', 25.9],
    ]);
    expect(vehicle?.charges).toMatchObject([{ state: 'COMPLETE', energy_added_kwh: 9 }]);
    expect(vehicle?.software).toMatchObject([
      { version: '2026.8.1', state: 'INSTALLED', ended_at: null },
      { version: '2026.12.3', state: 'INSTALLED', ended_at: '2026-03-02T11:03:21.000Z' },
    ]);
    expect(vehicle?.states.map(({ state }) => state)).toContain('updating');
  });

  it('comes to the same when its records are shuffled, sent again and doubled', () => {
    const jittered = fc.array(fc.integer({ min: 0, max: 30_000 }), {
      minLength: day.length,
      maxLength: day.length,
    });
    fc.assert(
      fc.property(jittered, fc.subarray(day), (delays, again) => {
        const sent = day.map((line, index) => {
          const at: unknown = JSON.parse(line).createdAt;
          return { line, at: Date.parse(String(at)) + (delays[index] ?? 0) };
        });
        const arrived = sent.toSorted((a, b) => a.at - b.at).map(({ line }) => line);
        const resent = again.map((line) => JSON.stringify({ ...JSON.parse(line), isResend: true }));
        expect(replay([...arrived, ...again, ...resent])).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('comes to the same when records are a day late', () => {
    const late = new Set([5, 12, 20]);
    const lines = [
      ...day.filter((_, index) => !late.has(index)),
      ...day.filter((_, index) => late.has(index)),
    ];
    expect(replay(lines)).toEqual(whole);
  });

  it('comes to the same rows wherever the process died and read its state again', () => {
    const collector = traceCollector('auto');
    day.forEach((line, index) => {
      collector.add(line, index);
    });
    const events = collector.finish().events.get(VIN) ?? [];
    const result = (cuts: readonly number[]) => {
      const outcome = events.reduce<Outcome>(
        (before, event, index) => {
          const from = cuts.includes(index)
            ? parsedState(JSON.parse(JSON.stringify(before.state)))
            : before.state;
          const next = steps(from, [event], context, () => {});
          return { state: next.state, effects: [...before.effects, ...next.effects] };
        },
        { state: initialState, effects: [] },
      );
      const kinds = ['drive', 'charge', 'stateSpan', 'parkedSpan', 'installation'] as const;
      return kinds.map((kind) => rows(outcome, kind));
    };
    const uncut = result([]);
    fc.assert(
      fc.property(fc.subarray(events.map((_, index) => index)), (cuts) => {
        expect(result(cuts)).toEqual(uncut);
      }),
      { numRuns: 20 },
    );
  });
});

describe('the reorder window', () => {
  const at = (seconds: number, key = '') => ({
    vin: VIN,
    at: seconds * 1000,
    key,
    item: `${seconds}${key}`,
  });

  it('holds a record for a minute of event time and gives them in order', () => {
    const order = reorderWindow<string>();
    expect(order.push(at(0)).due).toEqual([]);
    expect(order.push(at(30)).due).toEqual([]);
    expect(order.push(at(20)).due).toEqual([]);
    expect(order.push(at(81)).due).toEqual(['0', '20']);
    expect(order.flush()).toEqual(['30', '81']);
  });

  it('gives what waits when the vehicle falls silent', () => {
    const order = reorderWindow<string>();
    order.push(at(10));
    expect(order.elapse(69_999)).toEqual([]);
    expect(order.elapse(70_000)).toEqual(['10']);
  });

  it('tells duplicates from records of the same time, and late ones from both', () => {
    const order = reorderWindow<string>();
    expect(order.push(at(0, 'a')).fate).toBe('held');
    expect(order.push(at(0, 'a')).fate).toBe('duplicate');
    expect(order.push(at(0, 'b')).fate).toBe('held');
    order.push(at(100));
    expect(order.push(at(0, 'a')).fate).toBe('duplicate');
    order.push(at(200));
    expect(order.push(at(50, 'c')).fate).toBe('late');
  });

  it('keeps vehicles apart', () => {
    const order = reorderWindow<string>();
    order.push(at(0));
    expect(order.push({ ...at(500), vin: 'TEST0000000000002' }).due).toEqual([]);
  });
});

describe('a line of a trace', () => {
  const answer = (more: object) =>
    JSON.stringify({
      at: '2026-03-02T08:00:00Z',
      status: 200,
      path: `/api/1/vehicles/${VIN}/vehicle_data`,
      body: { response: { vin: VIN, state: 'online', drive_state: { shift_state: 'D' } } },
      ...more,
    });

  it.each([
    ['what is no JSON', '{', 'not_json'],
    ['a record without its vehicle', '{"data":[]}', 'no_vin'],
    ['an answer without its time', answer({ at: 'then' }), 'no_time'],
    ['an answer of another path', answer({ path: '/api/1/users/me' }), 'unknown_path'],
    ['an answer with neither status nor error', answer({ status: null }), 'no_status'],
    ['an answer without a body', answer({ body: null }), 'not_an_object'],
  ])('is refused for %s', (_, text, reason) => {
    expect(readTraceLine(text, 1, 'auto')).toMatchObject({ ok: false, reason });
  });

  it.each([
    ['408', { status: 408, body: { error: 'vehicle unavailable' } }],
    ['a time-out', { status: undefined, error: 'timeout' }],
    ['a closed connection', { status: undefined, error: 'closed' }],
  ])('of %s lets time pass', (_, more) => {
    expect(readTraceLine(answer(more), 1, 'auto')).toMatchObject({
      ok: true,
      arrivals: [{ vin: VIN, item: { kind: 'tick' } }],
    });
  });

  it('of a list tells of every vehicle in it', () => {
    const items = [
      { vin: VIN, state: 'asleep' },
      { vin: 'TEST0000000000002' },
      { energy_site_id: 1 },
    ];
    const line = answer({ path: '/api/1/products', body: { response: items } });
    const read = readTraceLine(line, 1, 'auto');
    expect(read.ok && read.arrivals.map(({ vin }) => vin)).toEqual([VIN, 'TEST0000000000002']);
  });

  it('that is rejected is reported with its number, under its vehicle where it names one', () => {
    const { vehicles } = replay(['', ...day.slice(0, 2), '{', `{"vin":"${VIN}"}`]);
    expect(vehicles[0]?.rejected).toEqual([
      { line: 4, reason: 'not_json' },
      { line: 5, reason: 'no_time' },
    ]);
    expect(replay(['{'])).toEqual({ vehicles: [], rejected: [{ line: 1, reason: 'not_json' }] });
  });
});

describe('a trace of answers', () => {
  const body = (second: number, drive: object, odometer: number) => {
    const timestamp = Date.parse('2026-03-02T08:00:00Z') + second * 1000;
    return {
      at: new Date(timestamp).toISOString(),
      status: 200,
      path: `/api/1/vehicles/${VIN}/vehicle_data`,
      body: {
        response: {
          vin: VIN,
          state: 'online',
          drive_state: { ...drive, timestamp },
          vehicle_state: { odometer, timestamp },
          charge_state: { battery_level: 70, charging_state: 'Disconnected', timestamp },
        },
      },
    };
  };
  const lines = [
    body(0, { shift_state: null, speed: null }, 600),
    body(60, { shift_state: 'D', speed: 30 }, 600),
    body(120, { shift_state: 'D', speed: 40 }, 601),
    { at: '2026-03-02T08:02:30Z', error: 'timeout', path: `/api/1/vehicles/${VIN}/vehicle_data` },
    body(180, { shift_state: null, speed: null }, 602),
  ].map((line) => JSON.stringify(line));

  it('gives the drives of its vehicle', () => {
    const { vehicles } = replay(lines, { format: 'poll' });
    expect(vehicles[0]?.drives).toMatchObject([
      {
        started_at: '2026-03-02T08:01:00.000Z',
        ended_at: '2026-03-02T08:03:00.000Z',
        distance_km: 3.219,
      },
    ]);
    expect(vehicles[0]?.rejected).toEqual([]);
  });

  it('is no trace of records', () => {
    expect(replay(lines, { format: 'telemetry' }).rejected).toHaveLength(lines.length);
  });
});
