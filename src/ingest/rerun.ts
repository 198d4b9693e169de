import type { Prisma } from '../store/generated/prisma/client.ts';
import { emptyFold } from '../store/history.ts';
import { dropRerun, type Rerun, readRerun, rerunBeganAt } from '../store/rerun.ts';
import {
  type Checkpoint,
  checkpointBefore,
  dropCheckpoints,
  type StreamRow,
} from '../store/streams.ts';
import { unseenChargeId } from './charge-unseen.ts';
import { seedFold } from './seed.ts';
import { parsedState } from './stored-state.ts';

/**
 * From where a vehicle has to be reduced anew: from where that stands, or from the checkpoint before what came in late.
 * Null where nothing is late. Throws where the checkpoint is gone, because what is late would be lost unseen.
 */
export async function rerunOf(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  { lateFrom }: Pick<StreamRow, 'lateFrom'>,
): Promise<Rerun | null> {
  const underWay = await readRerun(tx, vehicleId);
  // What is late, and still ahead of it, is read when it gets there.
  if (underWay !== null && (lateFrom === null || lateFrom > underWay.at)) return underWay;
  const before = await rerunBeganAt(tx, vehicleId);
  const from = Math.min(lateFrom ?? Infinity, before?.lateFrom ?? Infinity);
  if (from === Infinity) return null;
  // Checkpoints that it made hold no rows of before them: it begins where it began, or earlier.
  const base = await checkpointBefore(
    tx,
    vehicleId,
    Math.min(from, before === null ? Infinity : before.baseAt + 1),
  );
  if (base === null) throw new Error('There is no checkpoint before what came in late.');
  await dropRerun(tx, vehicleId);
  await dropCheckpoints(tx, vehicleId, base.at);
  return begunAt(base, from);
}

function begunAt({ at, lastAt, state }: Checkpoint, lateFrom: number): Rerun {
  const folded = emptyFold();
  seedFold(folded, parsedState(state));
  return { baseAt: at, lateFrom, at, lastAt, checkpointAt: at, state, folded };
}

/** The charge that nobody saw in a silence around a checkpoint (epoch ms): the road after it may put its end before that. */
export async function unseenSince(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  checkpointAt: number,
): Promise<string[]> {
  const base = await checkpointBefore(tx, vehicleId, checkpointAt + 1);
  const heardAt = base === null ? undefined : parsedState(base.state).sectionAt.charge;
  return heardAt === undefined ? [] : [unseenChargeId(vehicleId, heardAt)];
}
