import { adoptEdits } from '../store/adopt-edits.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { emptyFold } from '../store/history.ts';
import { type JournalPlace, nextEntryAt, readJournal, type StoredEntry } from '../store/journal.ts';
import { dropRerun, type Rerun, writeRerun } from '../store/rerun.ts';
import {
  lockStreams,
  newestCheckpointAt,
  readStream,
  type StreamRow,
  writeCheckpoints,
  writeProgress,
} from '../store/streams.ts';
import { removeSuperseded } from '../store/superseded.ts';
import { appendSamples, dropSamples } from '../store/track.ts';
import { inCommit, type LoadedMachine, loadMachine, storeMachine } from './apply.ts';
import { costChanges, costsOf } from './cost-changes.ts';
import { tellCosts } from './cost-events.ts';
import { placeFolded, withPlaces } from './keep-places.ts';
import { priceCharges } from './price-charges.ts';
import { reapplyEdits } from './reapply-edits.ts';
import { rerunOf, unseenSince } from './rerun.ts';
import { parsedState } from './stored-state.ts';
import { newsOfRewriting, withoutRepeats } from './stream-news.ts';
import { runEntries, runSilence, type StreamRun } from './stream-run.ts';
import { nextLookAt, reducedAgainUntil, settledUntil } from './stream-window.ts';

/** Entries that are read at a time; the event loop has its turn between. */
const PAGE = 1_000;

/** How much goes into one commit at most: entries, and the time that their reduction takes [ms]. */
export type CommitSize = { entries: number; ms: number };

const usualSize: CommitSize = { entries: 5_000, ms: 5_000 };

/** What a look at a journal came to. */
export type Reduction = {
  entries: number;
  /** Whether the vehicle was reduced anew from a checkpoint, to the end. */
  again: boolean;
  /** Whether more is due already. */
  more: boolean;
  /** Why events were left out that could not be applied. */
  refused: readonly unknown[];
};

/**
 * Takes what is due of a vehicle's journal at `now` (epoch ms) through the reducer, and stores the state with what follows
 * from it in one transaction. Where something came in late, it starts over from the last checkpoint before it: the rows
 * become those that would be there had it been on time. A long way from there takes several calls, of which each stores
 * how far it came; the rows change with the last one.
 */
export async function reduceStream(
  prisma: PrismaClient,
  vehicleId: string,
  now: number,
  size: CommitSize = usualSize,
): Promise<Reduction> {
  return inCommit(prisma, vehicleId, async (tx) => {
    await lockStreams(tx, [vehicleId]);
    const stream = await readStream(tx, vehicleId);
    if (stream === null) return { entries: 0, again: false, more: false, refused: [] };
    const machine = await loadMachine(tx, vehicleId);
    const rerun = await rerunOf(tx, vehicleId, stream);
    const run = await begun(tx, stream, machine, rerun);
    const from = run.at;
    const reached =
      rerun === null ? stream.reducedUntil : reducedAgainUntil(stream.reducedUntil, now);
    const until = Math.max(reached, settledUntil(stream, now));
    const { entries, more } = await runJournal(tx, vehicleId, run, { until, size });
    if (!more) runSilence(run, until);
    const done = { entries, again: rerun !== null && !more, more, refused: run.refused };
    await writeCheckpoints(tx, vehicleId, run.checkpoints, now);
    if (rerun !== null && more) {
      await storePart(tx, machine, run, { rerun, from });
      const { reducedUntil, lastAt } = stream;
      await writeProgress(tx, vehicleId, { reducedUntil, lastAt, dueAt: now });
      return done;
    }
    if (rerun !== null) placeFolded(run.folded, machine.context.places);
    if (rerun !== null) await storeAnew(tx, machine, run, { rerun, from, now });
    else if (run.state !== machine.state) {
      run.folded.events = withoutRepeats(run.folded.events);
      await storeMachine(tx, machine.target, run.state, run.folded);
    }
    const reducedUntil = Math.max(run.at, rerun?.baseAt ?? stream.reducedUntil);
    const waitingAt = await nextEntryAt(tx, vehicleId, reducedUntil);
    const { receivedAt } = stream;
    const lookAt = nextLookAt({ receivedAt, reducedUntil, lastAt: run.lastAt }, waitingAt);
    const dueAt = more ? now : lookAt;
    await writeProgress(tx, vehicleId, { reducedUntil, lastAt: run.lastAt, dueAt });
    return done;
  });
}

async function begun(
  tx: Prisma.TransactionClient,
  stream: StreamRow,
  { target, state, context, rightHandDrive }: LoadedMachine,
  rerun: Rerun | null,
): Promise<StreamRun> {
  const shared = { context, rightHandDrive, checkpoints: [], refused: [] };
  if (rerun === null) {
    const checkpointAt = (await newestCheckpointAt(tx, target.id)) ?? stream.keptFrom;
    const { reducedUntil: at, lastAt } = stream;
    // Everything of the stretch is news.
    const toldUntil = Number.NEGATIVE_INFINITY;
    return { ...shared, folded: emptyFold(), toldUntil, state, at, lastAt, checkpointAt };
  }
  const { at, lastAt, checkpointAt, folded } = rerun;
  // What was told of the state was told, whatever it becomes.
  const then = { ...withPlaces(parsedState(rerun.state), context.places), news: state.news };
  const toldUntil = stream.reducedUntil;
  return { ...shared, folded, toldUntil, state: then, at, lastAt, checkpointAt };
}

async function runJournal(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  run: StreamRun,
  { until, size }: { until: number; size: CommitSize },
): Promise<{ entries: number; more: boolean }> {
  const page = Math.min(PAGE, size.entries);
  const endBy = performance.now() + size.ms;
  let entries = 0;
  let after: JournalPlace = { at: run.at, content: null };
  for (;;) {
    const read = await readJournal(tx, vehicleId, { after, until, limit: page });
    const last = read.at(-1);
    const ended = read.length < page || last === undefined;
    const enough = entries + page >= size.entries || performance.now() > endBy;
    // What is of one instant stays together: the journal is read on from a time, not from an entry.
    const whole = ended || !enough ? read : withoutLastInstant(read);
    runEntries(run, whole);
    entries += whole.length;
    if (ended) return { entries, more: false };
    if (whole.length < read.length) return { entries, more: true };
    after = { at: last.at, content: last.content };
  }
}

function withoutLastInstant(page: readonly StoredEntry[]): readonly StoredEntry[] {
  const lastAt = page.at(-1)?.at;
  const earlier = page.filter(({ at }) => at !== lastAt);
  return earlier.length === 0 ? page : earlier;
}

/** Keeps how far the stretch since a checkpoint is reduced anew; of its rows only the samples change already. */
async function storePart(
  tx: Prisma.TransactionClient,
  { target }: LoadedMachine,
  run: StreamRun,
  { rerun: { baseAt, lateFrom }, from }: { rerun: Rerun; from: number },
): Promise<void> {
  const { state, at, lastAt, checkpointAt, folded } = run;
  await dropSamples(tx, target.id, from, at);
  await appendSamples(tx, target.id, folded.samples);
  await writeRerun(tx, target.id, { baseAt, lateFrom, at, lastAt, checkpointAt, state, folded });
}

/** Puts what the stretch since a checkpoint came to in the place of what it had come to before. */
async function storeAnew(
  tx: Prisma.TransactionClient,
  { target }: LoadedMachine,
  { state, folded }: StreamRun,
  { rerun, from, now }: { rerun: Rerun; from: number; now: number },
): Promise<void> {
  const since = rerun.baseAt;
  const rewriting = { since, now, chargeIds: await unseenSince(tx, target.id, since) };
  const superseded = await removeSuperseded(tx, target.id, rewriting, folded);
  await dropSamples(tx, target.id, from);
  folded.events = withoutRepeats([...newsOfRewriting(folded, rerun.lateFrom), ...folded.events]);
  await storeMachine(tx, target, state, folded);
  const chargeIds = [...folded.charges.keys()];
  const costs = await costsOf(tx, chargeIds);
  await adoptEdits(tx, target.id, superseded, folded);
  await reapplyEdits(tx, folded, [...superseded.drives, ...superseded.charges]);
  await priceCharges(tx, target, chargeIds);
  // What a charge took over was told of the one that it was.
  await tellCosts(tx, target, costChanges(costs, await costsOf(tx, chargeIds)), now);
  await dropRerun(tx, target.id);
}
