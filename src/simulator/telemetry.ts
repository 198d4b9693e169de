import { SECOND_MS } from '../base/units.ts';
import { nextMomentMs, stepOn } from './car.ts';
import type { Car } from './state.ts';
import { type TelemetryValue, telemetryFields } from './telemetry-fields.ts';

/** A record as the maker's telemetry server decodes it, and when it is made (epoch ms). */
export type TelemetryRecord = { at: number; record: Readonly<Record<string, unknown>> };

type Sent = { at: number; text: string };

/**
 * Moves the car on to `untilMs` and yields what it streams on the way, in time order. `onStep` sees the car after each of
 * its steps.
 */
export function* streamCar(
  car: Car,
  untilMs: number,
  onStep?: (car: Car) => void,
): Generator<TelemetryRecord> {
  const streamed = streamOf(car);
  while (nextMomentMs(car) <= untilMs) {
    stepOn(car);
    onStep?.(car);
    yield* streamed();
  }
}

/**
 * What a car streams; call the result after each of its steps. Only what changed, each field at its own pace, everything
 * after it wakes; with the records of its link.
 */
export function streamOf(car: Car): () => TelemetryRecord[] {
  const sent = new Map<string, Sent>();
  let awake = false;
  return () => {
    const { state, spec } = car;
    const records: TelemetryRecord[] = [];
    if (state.awake !== awake) {
      awake = state.awake;
      // A new link begins with everything.
      sent.clear();
      records.push(linkRecord(car, awake));
    }
    const data = awake ? changesOf(car, sent) : [];
    if (data.length > 0) {
      const createdAt = new Date(state.atMs).toISOString();
      const record = { data, createdAt, vin: spec.vin, isResend: false };
      records.push({ at: state.atMs, record });
    }
    return records;
  };
}

function changesOf(car: Car, sent: Map<string, Sent>): { key: string; value: TelemetryValue }[] {
  const { atMs: at } = car.state;
  return telemetryFields.flatMap(({ name: key, everyS, read }) => {
    const before = sent.get(key);
    if (before !== undefined && at - before.at < everyS * SECOND_MS) return [];
    const value = read(car);
    const text = JSON.stringify(value);
    if (text === before?.text) return [];
    sent.set(key, { at, text });
    return [{ key, value }];
  });
}

/** What the maker's server tells of a car's link at its present moment. */
export function linkRecord({ spec, state }: Car, connected: boolean): TelemetryRecord {
  const record = {
    vin: spec.vin,
    connectionId: `${spec.key}-${state.atMs}`,
    status: connected ? 'CONNECTED' : 'DISCONNECTED',
    createdAt: new Date(state.atMs).toISOString(),
    networkInterface: 'cellular',
  };
  return { at: state.atMs, record };
}
