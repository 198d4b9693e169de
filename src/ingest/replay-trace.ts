import { reorderWindow } from './reorder.ts';
import { ticksOf } from './silence.ts';
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
      else linesOf(rejected, read.vin).push(entry);
    },
    finish: () => ({ events: eventsByVehicle(order.flush()), rejected, unnamed }),
  };
}

function linesOf(rejected: Map<string, RejectedLine[]>, vin: string): RejectedLine[] {
  const lines = rejected.get(vin) ?? [];
  rejected.set(vin, lines);
  return lines;
}

function eventsByVehicle(
  ordered: readonly { vin: string; at: number; event: IngestEvent }[],
): Map<string, IngestEvent[]> {
  const byVehicle = new Map<string, { lastAt: number; events: IngestEvent[] }>();
  for (const { vin, at, event } of ordered) {
    const vehicle = byVehicle.get(vin) ?? { lastAt: at, events: [] };
    byVehicle.set(vin, vehicle);
    vehicle.events.push(...ticksOf(vehicle.lastAt, vehicle.lastAt, at), event);
    vehicle.lastAt = at;
  }
  return new Map(
    [...byVehicle].map(([vin, { lastAt, events }]) => [
      vin,
      [...events, ...ticksOf(lastAt, lastAt, Number.POSITIVE_INFINITY)],
    ]),
  );
}
