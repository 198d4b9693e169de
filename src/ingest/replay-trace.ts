import { HOUR_MS, MINUTE_MS } from '../base/units.ts';
import { HOLE_MS } from './drive.ts';
import { reorderWindow } from './reorder.ts';
import type { IngestEvent } from './state.ts';
import { readTraceLine, type TraceFormat } from './trace-line.ts';

/** A line that could not be used; `file` is there when the trace came in several. */
export type RejectedLine = { line: number; reason: string; file?: string };

/** A trace as the reducer takes it: the events of each vehicle in order, with the time that passes between them. */
export type CollectedTrace = {
  events: ReadonlyMap<string, IngestEvent[]>;
  rejected: ReadonlyMap<string, RejectedLine[]>;
  /** Lines that name no vehicle. */
  unnamed: readonly RejectedLine[];
};

/** Takes the lines of a trace one by one, from any number of files. */
export type TraceCollector = {
  add: (text: string, line: number, file?: string) => void;
  finish: () => CollectedTrace;
};

/** Collects a trace; a trace is at hand as a whole, so no record of it is too late for its place. */
export function traceCollector(format: TraceFormat): TraceCollector {
  const order = reorderWindow<{ vin: string; at: number; event: IngestEvent }>(
    Number.POSITIVE_INFINITY,
  );
  const rejected = new Map<string, RejectedLine[]>();
  const unnamed: RejectedLine[] = [];
  let count = 0;
  return {
    add: (text, line, file) => {
      if (text.trim() === '') return;
      count += 1;
      const read = readTraceLine(text, count, format);
      if (read.ok) {
        for (const { vin, at, key, item } of read.arrivals)
          order.push({ vin, at, key, item: { vin, at, event: item } });
        return;
      }
      const entry = { line, reason: read.reason, ...(file === undefined ? {} : { file }) };
      if (read.vin === null) unnamed.push(entry);
      else rejected.set(read.vin, [...(rejected.get(read.vin) ?? []), entry]);
    },
    finish: () => ({ events: eventsByVehicle(order.flush()), rejected, unnamed }),
  };
}

function eventsByVehicle(
  ordered: readonly { vin: string; at: number; event: IngestEvent }[],
): Map<string, IngestEvent[]> {
  const byVehicle = new Map<string, { lastAt: number; events: IngestEvent[] }>();
  for (const { vin, at, event } of ordered) {
    const vehicle = byVehicle.get(vin) ?? { lastAt: at, events: [] };
    byVehicle.set(vin, vehicle);
    vehicle.events.push(...passing(vehicle.lastAt, at), event);
    vehicle.lastAt = at;
  }
  return new Map(
    [...byVehicle].map(([vin, { lastAt, events }]) => [
      vin,
      [...events, ...passing(lastAt, Number.POSITIVE_INFINITY)],
    ]),
  );
}

/** When the last thing that waits for time to pass happens: the end of a trip (contract §5). */
const LAST_TICK_MS = 2 * HOUR_MS + MINUTE_MS;

/** The ticks of a silence: each minute while a hole or a rest may come to its end, and one when a trip would. */
function passing(from: number, to: number): IngestEvent[] {
  const ticks: IngestEvent[] = [];
  for (let after = MINUTE_MS; after <= HOLE_MS + MINUTE_MS; after += MINUTE_MS) {
    if (from + after >= to) return ticks;
    ticks.push({ kind: 'tick', at: from + after });
  }
  if (from + LAST_TICK_MS < to) ticks.push({ kind: 'tick', at: from + LAST_TICK_MS });
  return ticks;
}
