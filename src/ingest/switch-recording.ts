import type { Effect } from '../contract/effects.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { emptyFold, foldEffect } from '../store/history.ts';
import { closeStream } from '../store/streams.ts';
import { loadMachine, storeMachine } from './apply.ts';
import { letGo } from './let-go.ts';
import { reduceStream } from './reduce-stream.ts';
import { REORDER_MS } from './reorder.ts';

/**
 * Reduces all that waits in the journal of a vehicle, without waiting for earlier records any more. Call it before
 * `switchRecording`, which leaves what still waits unread.
 */
export async function settleJournal(
  prisma: PrismaClient,
  vehicleId: string,
  now: number,
): Promise<void> {
  let more = true;
  while (more) more = (await reduceStream(prisma, vehicleId, now + 2 * REORDER_MS)).more;
}

/**
 * Draws the line at `at` (epoch ms) over which nothing is recorded, or from which on it is: what is under way ends, what is
 * remembered is forgotten and the journal is closed, so that late records do not cross it. Call it under the vehicle's lock.
 */
export async function switchRecording(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  at: number,
): Promise<void> {
  await closeStream(tx, vehicleId);
  const { target, state, context } = await loadMachine(tx, vehicleId);
  const effects: Effect[] = [];
  const next = letGo(state, { at: Math.max(at, state.seenAt ?? at), context, effects });
  const folded = emptyFold();
  for (const effect of effects) foldEffect(folded, effect);
  await storeMachine(tx, target, next, folded);
}
