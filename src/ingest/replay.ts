import { derivedUuid } from '../base/ids.ts';
import type {
  ChargeRow,
  ChargeSegmentRow,
  DriveRow,
  Effect,
  InstallationRow,
  StateSpanRow,
} from '../contract/effects.ts';
import { steps } from './machine.ts';
import { type ReplayReport, reportOf, type VehicleHistory } from './replay-report.ts';
import { traceCollector } from './replay-trace.ts';
import { type IngestEvent, initialState, type MachineContext } from './state.ts';
import type { TraceFormat } from './trace-line.ts';

/** Replays the lines of a trace in memory; what is printed is what the store would hold. */
export function replay(
  lines: Iterable<string>,
  { format = 'auto' }: { format?: TraceFormat } = {},
): ReplayReport {
  const collector = traceCollector(format);
  let line = 0;
  for (const text of lines) {
    line += 1;
    collector.add(text, line);
  }
  const trace = collector.finish();
  const histories = [...trace.events].map(([vin, events]) => historyOf(vin, events));
  return reportOf(histories, trace);
}

function historyOf(vin: string, events: readonly IngestEvent[]): VehicleHistory {
  const drives = new Map<string, DriveRow>();
  const charges = new Map<string, ChargeRow & { segments: ChargeSegmentRow[] }>();
  const installations = new Map<string, InstallationRow>();
  const spans = new Map<string, StateSpanRow>();
  const keep = (effect: Effect) => {
    if (effect.kind === 'drive') drives.set(effect.row.id, effect.row);
    else if (effect.kind === 'charge')
      charges.set(effect.row.id, { ...effect.row, segments: effect.segments });
    else if (effect.kind === 'installation') installations.set(effect.row.id, effect.row);
    else if (effect.kind === 'stateSpan') spans.set(effect.row.id, effect.row);
  };
  steps(initialState, events, contextOf(vin), (effects) => effects.forEach(keep));
  return {
    vin,
    drives: [...drives.values()],
    charges: [...charges.values()],
    installations: [...installations.values()],
    spans: [...spans.values()],
  };
}

function contextOf(vin: string): MachineContext {
  return { vehicleId: replayId(vin), efficiencyWhPerKm: null, places: [] };
}

/** The id of a replayed vehicle: the same at each replay, so that the ids of its drives are, too. */
export function replayId(vin: string): string {
  return derivedUuid(0, 'replayed vehicle', vin);
}
