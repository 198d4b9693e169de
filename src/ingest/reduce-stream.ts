import { adoptEdits } from '../store/adopt-edits.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { emptyFold } from '../store/history.ts';
import { type JournalPlace, nextEntryAt, readJournal, type StoredEntry } from '../store/journal.ts';
import {
  type Checkpoint,
  checkpointBefore,
  dropCheckpoints,
  lockStreams,
  newestCheckpointAt,
  readStream,
  type StreamRow,
  writeCheckpoints,
  writeProgress,
} from '../store/streams.ts';
import { removeSuperseded } from '../store/superseded.ts';
import { dropSamples } from '../store/track.ts';
import { inCommit, type LoadedMachine, loadMachine, storeMachine } from './apply.ts';
import { withPlaces } from './keep-places.ts';
import { seedFold } from './seed.ts';
import { parsedState } from './stored-state.ts';
import { newsOfRewriting, withoutRepeats } from './stream-news.ts';
import { runEntries, runSilence, type StreamRun } from './stream-run.ts';
import { nextLookAt, settledUntil } from './stream-window.ts';

/** Entries that are read at a time; the event loop has its turn between. */
const PAGE = 1_000;
/** Entries that go into one commit, unless a vehicle is reduced anew. */
const ENTRIES_PER_COMMIT = 5_000;

/** What a look at a journal came to. */
export type Reduction = {
  entries: number;
  /** Whether the vehicle was reduced anew from a checkpoint. */
  again: boolean;
  /** Whether more is due already. */
  more: boolean;
  /** Why events were left out that could not be applied. */
  refused: readonly unknown[];
};

/**
 * Takes what is due of a vehicle's journal at `now` (epoch ms) through the reducer, and stores the state with what follows
 * from it in one transaction. Where something came in late, it starts over from the last checkpoint before it: the rows
 * become those that would be there had it been on time.
 */
export async function reduceStream(
  prisma: PrismaClient,
  vehicleId: string,
  now: number,
): Promise<Reduction> {
  return inCommit(prisma, vehicleId, async (tx) => {
    await lockStreams(tx, [vehicleId]);
    const stream = await readStream(tx, vehicleId);
    if (stream === null) return { entries: 0, again: false, more: false, refused: [] };
    const machine = await loadMachine(tx, vehicleId);
    const base =
      stream.lateFrom === null ? null : await checkpointBefore(tx, vehicleId, stream.lateFrom);
    const run = await begun(tx, stream, machine, base);
    const until = Math.max(stream.reducedUntil, settledUntil(stream, now));
    const { entries, more } = await runJournal(tx, vehicleId, run, {
      until,
      limit: base === null ? ENTRIES_PER_COMMIT : Number.POSITIVE_INFINITY,
    });
    if (!more) runSilence(run, until);
    if (base !== null) await storeAnew(tx, machine, run, { base, stream, now });
    else if (run.state !== machine.state) {
      run.folded.events = withoutRepeats(run.folded.events);
      await storeMachine(tx, machine.target, run.state, run.folded);
    }
    await writeCheckpoints(tx, vehicleId, run.checkpoints, now);
    const reducedUntil = Math.max(run.at, base?.at ?? stream.reducedUntil);
    const waitingAt = await nextEntryAt(tx, vehicleId, reducedUntil);
    const { receivedAt } = stream;
    const lookAt = nextLookAt({ receivedAt, reducedUntil, lastAt: run.lastAt }, waitingAt);
    const dueAt = more ? now : lookAt;
    await writeProgress(tx, vehicleId, { reducedUntil, lastAt: run.lastAt, dueAt });
    return { entries, again: base !== null, more, refused: run.refused };
  });
}

async function begun(
  tx: Prisma.TransactionClient,
  stream: StreamRow,
  { target, state, context, rightHandDrive }: LoadedMachine,
  base: Checkpoint | null,
): Promise<StreamRun> {
  const folded = emptyFold();
  const shared = { context, rightHandDrive, folded, checkpoints: [], refused: [] };
  if (base === null) {
    const checkpointAt = (await newestCheckpointAt(tx, target.id)) ?? stream.keptFrom;
    const { reducedUntil: at, lastAt } = stream;
    // Everything of the stretch is news.
    return { ...shared, toldUntil: Number.NEGATIVE_INFINITY, state, at, lastAt, checkpointAt };
  }
  const { at, lastAt } = base;
  const then = withPlaces(parsedState(base.state), context.places);
  seedFold(folded, then);
  return { ...shared, toldUntil: stream.reducedUntil, state: then, at, lastAt, checkpointAt: at };
}

async function runJournal(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  run: StreamRun,
  { until, limit }: { until: number; limit: number },
): Promise<{ entries: number; more: boolean }> {
  let entries = 0;
  let after: JournalPlace = { at: run.at, content: null };
  for (;;) {
    const page = await readJournal(tx, vehicleId, { after, until, limit: PAGE });
    const last = page.at(-1);
    const ended = page.length < PAGE || last === undefined;
    // What is of one instant stays together: the journal is read on from a time, not from an entry.
    const whole = ended || entries + PAGE < limit ? page : withoutLastInstant(page);
    runEntries(run, whole);
    entries += whole.length;
    if (ended) return { entries, more: false };
    if (whole.length < page.length) return { entries, more: true };
    after = { at: last.at, content: last.content };
  }
}

function withoutLastInstant(page: readonly StoredEntry[]): readonly StoredEntry[] {
  const lastAt = page.at(-1)?.at;
  const earlier = page.filter(({ at }) => at !== lastAt);
  return earlier.length === 0 ? page : earlier;
}

/** Puts what the stretch since a checkpoint came to in the place of what it had come to before. */
async function storeAnew(
  tx: Prisma.TransactionClient,
  { target }: LoadedMachine,
  { state, folded }: StreamRun,
  { base, stream, now }: { base: Checkpoint; stream: StreamRow; now: number },
): Promise<void> {
  const from = stream.lateFrom ?? base.at;
  await dropCheckpoints(tx, target.id, base.at);
  const superseded = await removeSuperseded(tx, target.id, { since: base.at, now }, folded);
  await dropSamples(tx, target.id, base.at);
  folded.events = withoutRepeats([...newsOfRewriting(folded, from), ...folded.events]);
  await storeMachine(tx, target, state, folded);
  await adoptEdits(tx, superseded, folded);
}
