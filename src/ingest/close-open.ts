import type { Prisma } from '../store/generated/prisma/client.ts';
import { emptyFold, foldEffect } from '../store/history.ts';
import { recallRerun } from '../store/rerun.ts';
import { loadMachine, storeMachine } from './apply.ts';
import { steps } from './machine.ts';
import type { Close } from './state.ts';

/**
 * Ends what is under way just after it was last heard, inside the caller's transaction and under the vehicle's lock. Tells
 * when that was (epoch ms) and what it ended; null where nothing of the kind is under way.
 */
export async function closeOpen(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  what: Close['what'],
): Promise<{ at: number; id: string } | null> {
  const { target, state, context } = await loadMachine(tx, vehicleId);
  const { drive, trip } = state;
  const open = what === 'drive' ? drive : drive === null ? trip : null;
  if (open === null) return null;
  const at = ('lastAt' in open ? open.lastAt : open.lastEndAt) + 1;
  const closes = [...(context.closes ?? []), { what, at }];
  const folded = emptyFold();
  const next = steps(state, [{ kind: 'tick', at }], { ...context, closes }, (effects) => {
    for (const effect of effects) foldEffect(folded, effect);
  });
  await storeMachine(tx, target, next.state, folded);
  await recallRerun(tx, vehicleId, at);
  return { at, id: open.row.id };
}
