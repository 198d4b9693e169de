import { observationOfListItem, observationOfVehicleData } from '../maker/parse-vehicle-data.ts';
import type { IngestEvent } from './state.ts';

/** One answer of the maker as a trace holds it: when it came, to which path, and what it said. `at` is epoch ms. */
export type TraceLine = { at: number; status: number; path: string; body: unknown };

/** The event a trace line is, or null for an answer that tells nothing of a vehicle. */
export function eventOfLine(line: TraceLine, source: 'POLL' | 'IMPORT'): IngestEvent | null {
  if (line.status !== 200) return null;
  const read = line.path.includes('/vehicle_data')
    ? observationOfVehicleData
    : observationOfListItem;
  const parsed = read(line.body, { receivedAt: line.at, source });
  return parsed.ok ? { kind: 'observation', observation: parsed.value } : null;
}
