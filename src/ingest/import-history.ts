import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS } from '../base/units.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { emptyFold, type Folded, foldEffect } from '../store/history.ts';
import { applyEvents, commitReduced, type LoadedMachine, loadMachine } from './apply.ts';
import { steps } from './machine.ts';
import type { IngestEvent } from './state.ts';
import { eventOfLine, type TraceLine } from './trace.ts';

/** Days of a trace that go into one transaction. */
const DAYS_PER_COMMIT = 10;
/** Events that go into the journal at a time, where records of the vehicle stream in. */
const EVENTS_PER_APPEND = 1_000;
/** Lines between two turns of the event loop: the database works on a commit while the next one is computed. */
const LINES_PER_TURN = 200;

/**
 * Feeds a vehicle's trace, in time order, through the same reducer as live answers. It commits every few days, so a crash
 * loses at most the unfinished stretch, and starting over changes nothing that is there already. Imported history makes no
 * events: nobody waited for it. Throws when somebody else writes to the vehicle meanwhile. Where records of the vehicle stream
 * in, the lines take their place among them in the journal. Of a vehicle that is not recorded nothing is imported.
 */
export async function importHistory(
  prisma: PrismaClient,
  vehicleId: string,
  lines: Iterable<TraceLine>,
): Promise<{ lines: number }> {
  let machine = await prisma.$transaction((tx) => loadMachine(tx, vehicleId));
  if (!machine.logging) return { lines: 0 };
  if (machine.streams) return importIntoJournal(prisma, vehicleId, lines);
  let committing = Promise.resolve();
  let count = 0;
  for (const stretch of stretchesOf(lines)) {
    const reduced = await reducedOver(machine, stretch);
    count += reduced.lines;
    await committing;
    committing = commitReduced(prisma, machine, reduced.machine.state, reduced.folded);
    // It is awaited a stretch later; until then its failure must not count as unhandled.
    committing.catch(() => {});
    machine = reduced.machine;
  }
  await committing;
  return { lines: count };
}

async function importIntoJournal(
  prisma: PrismaClient,
  vehicleId: string,
  lines: Iterable<TraceLine>,
): Promise<{ lines: number }> {
  let count = 0;
  let events: IngestEvent[] = [];
  for (const line of lines) {
    count += 1;
    const event = eventOfLine(line, 'POLL');
    if (event !== null) events.push(event);
    if (events.length < EVENTS_PER_APPEND) continue;
    await applyEvents(prisma, vehicleId, events);
    events = [];
  }
  await applyEvents(prisma, vehicleId, events);
  return { lines: count };
}

type Reduced = { machine: LoadedMachine; folded: Folded; lines: number };

async function reducedOver(machine: LoadedMachine, stretch: Iterable<TraceLine>): Promise<Reduced> {
  const folded = emptyFold();
  let state = machine.state;
  let lines = 0;
  let events: IngestEvent[] = [];
  const reduce = () => {
    const next = steps(state, events, machine.context, (effects) => {
      for (const effect of effects) if (effect.kind !== 'event') foldEffect(folded, effect);
    });
    state = next.state;
    events = [];
  };
  for (const line of stretch) {
    lines += 1;
    const event = eventOfLine(line, 'POLL');
    if (event !== null) events.push(event);
    if (lines % LINES_PER_TURN !== 0) continue;
    reduce();
    await nextTurn();
  }
  reduce();
  return { machine: { ...machine, state }, folded, lines };
}

/** Cuts lines into stretches of some days; each has to be read to its end before the next one. */
function* stretchesOf(lines: Iterable<TraceLine>): Generator<Iterable<TraceLine>> {
  const iterator = lines[Symbol.iterator]();
  let next = iterator.next();
  function* stretch(untilMs: number): Generator<TraceLine> {
    while (next.done !== true && next.value.at < untilMs) {
      yield next.value;
      next = iterator.next();
    }
  }
  while (next.done !== true) yield stretch(next.value.at + DAYS_PER_COMMIT * DAY_MS);
}
