import type { Effect } from '../contract/effects.ts';
import { isDatabaseUnavailable, isDiskFull } from '../store/database-errors.ts';
import { endOpenRows } from '../store/end-open.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { emptyFold, foldEffect } from '../store/history.ts';
import { closeStream } from '../store/streams.ts';
import { loadMachine, storeMachine } from './apply.ts';
import { letGo } from './let-go.ts';
import { reduceStream } from './reduce-stream.ts';
import { REORDER_MS } from './reorder.ts';
import { isState } from './stored-state.ts';

/** Failures after which what waits in a journal is taken for unreadable: the first may have been a mishap. */
const MOST_FAILURES = 2;

/**
 * Reduces all that waits in the journal of a vehicle, without waiting for earlier records any more. Call it before
 * `switchRecording`, which leaves what still waits unread. False where something cannot be read: that keeps nobody from
 * switching off. Throws where the database is out of reach, with which nothing is wrong in the journal.
 */
export async function settleJournal(
  prisma: PrismaClient,
  vehicleId: string,
  now: number,
): Promise<boolean> {
  for (let failures = 0; failures < MOST_FAILURES; ) {
    try {
      if (!(await reduceStream(prisma, vehicleId, now + 2 * REORDER_MS)).more) return true;
    } catch (error) {
      if (isDatabaseUnavailable(error) || isDiskFull(error)) throw error;
      failures += 1;
    }
  }
  return false;
}

/**
 * Draws the line at `at` (epoch ms) over which nothing is recorded, or from which on it is: what is under way ends, what is
 * remembered is forgotten and the journal is closed, so that late records do not cross it. What a state that cannot be read
 * says of them is forgotten too. Call it under the vehicle's lock.
 */
export async function switchRecording(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  at: number,
): Promise<void> {
  await closeStream(tx, vehicleId);
  const stored = await tx.vehicleMachine.findUnique({ where: { vehicleId } });
  if (stored !== null && !isState(stored.state)) {
    await endOpenRows(tx, vehicleId, Math.min(at, stored.appliedAt.getTime()));
  }
  const { target, state, context } = await loadMachine(tx, vehicleId);
  const effects: Effect[] = [];
  const next = letGo(state, { at: Math.max(at, state.seenAt ?? at), context, effects });
  const folded = emptyFold();
  for (const effect of effects) foldEffect(folded, effect);
  await storeMachine(tx, target, next, folded);
}
