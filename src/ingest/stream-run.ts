import { MINUTE_MS } from '../base/units.ts';
import type { Effect } from '../contract/effects.ts';
import { type Folded, foldEffect } from '../store/history.ts';
import type { StoredEntry } from '../store/journal.ts';
import type { Checkpoint } from '../store/streams.ts';
import { eventOfEntry } from './journal-events.ts';
import { steps } from './machine.ts';
import { ticksOf } from './silence.ts';
import type { IngestEvent, MachineContext, MachineState } from './state.ts';

/** Event time between two checkpoints: what a late record costs beyond its own lateness. */
const CHECKPOINT_MS = 30 * MINUTE_MS;

/** A stretch of a vehicle's journal on its way through the reducer; times are epoch ms. */
export type StreamRun = {
  context: MachineContext;
  rightHandDrive: boolean;
  /** Events of what happened until then were told before. */
  toldUntil: number;
  folded: Folded;
  state: MachineState;
  /** Up to where the journal is in the state, inclusive. */
  at: number;
  /** Time of the newest entry in it. */
  lastAt: number | null;
  checkpointAt: number;
  checkpoints: Checkpoint[];
  /** Why events were left out. */
  refused: unknown[];
};

/** Takes entries, in order, through the reducer, with the ticks of the silences between them. Writes into the run. */
export function runEntries(run: StreamRun, entries: readonly StoredEntry[]): void {
  let events: IngestEvent[] = [];
  for (const entry of entries) {
    const newsBegins = run.at <= run.toldUntil && entry.at > run.toldUntil;
    if (entry.at > run.at && (newsBegins || isCheckpointDue(run))) {
      if (newsBegins && run.lastAt !== null)
        events.push(...ticksOf(run.lastAt, run.at, run.toldUntil + 1));
      reduce(run, events);
      events = [];
      if (newsBegins) run.at = run.toldUntil;
      if (isCheckpointDue(run)) keepCheckpoint(run);
    }
    if (run.lastAt !== null) events.push(...ticksOf(run.lastAt, run.at, entry.at));
    const event = eventOfEntry(entry, run.rightHandDrive);
    if (event !== null) events.push(event);
    run.lastAt = Math.max(run.lastAt ?? entry.at, entry.at);
    run.at = Math.max(run.at, entry.at);
  }
  reduce(run, events);
}

/** Lets the time after the last entry pass, until `until` inclusive. */
export function runSilence(run: StreamRun, until: number): void {
  if (run.lastAt === null) return;
  for (const tick of ticksOf(run.lastAt, run.at, until + 1)) {
    if (tick.kind === 'tick') run.at = tick.at;
    reduce(run, [tick]);
  }
}

function isCheckpointDue(run: StreamRun): boolean {
  return run.at - run.checkpointAt >= CHECKPOINT_MS;
}

/** A movement or a charge that is not told of yet would give a row that ends before the checkpoint; such a moment makes none. */
function keepCheckpoint(run: StreamRun): void {
  const { movedAt = null, risen = null } = run.state.stream ?? {};
  if (movedAt !== null || risen !== null) return;
  run.checkpoints.push({ at: run.at, lastAt: run.lastAt, state: run.state });
  run.checkpointAt = run.at;
}

function reduce(run: StreamRun, events: readonly IngestEvent[]): void {
  if (events.length === 0) return;
  try {
    apply(run, events);
  } catch {
    for (const event of events) applyAlone(run, event);
  }
}

/** An event that the reducer cannot take even alone is left out, so that it does not hold up the vehicle for ever. */
function applyAlone(run: StreamRun, event: IngestEvent): void {
  try {
    apply(run, [event]);
  } catch (cause) {
    run.refused.push(cause);
  }
}

/** Either all of the events are in the run, or none. */
function apply(run: StreamRun, events: readonly IngestEvent[]): void {
  const tells = run.at > run.toldUntil;
  const effects: Effect[] = [];
  const { state } = steps(run.state, events, run.context, (some) => {
    for (const effect of some) if (tells || effect.kind !== 'event') effects.push(effect);
  });
  run.state = state;
  for (const effect of effects) foldEffect(run.folded, effect);
}
