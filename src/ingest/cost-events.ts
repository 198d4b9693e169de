import type { Prisma } from '../store/generated/prisma/client.ts';
import type { EffectTarget } from '../store/history.ts';
import { type OutboxEvent, writeEvents } from '../store/outbox.ts';
import type { CostChange, CostColumns } from './price-charges.ts';

/** Tells that charges cost something else now, at `at` (epoch ms). Call it last in a transaction. */
export async function tellCosts(
  tx: Prisma.TransactionClient,
  target: Pick<EffectTarget, 'id' | 'accountId' | 'publicId'>,
  changes: readonly CostChange[],
  at: number,
): Promise<void> {
  const events = changes.map(
    ({ chargeId, before, after }): OutboxEvent => ({
      type: 'charge.cost_changed',
      occurredAt: at,
      data: { chargeId, ...told(after), previous: told(before) },
    }),
  );
  await writeEvents(tx, target, events);
}

function told({ costAmount, costCurrency, costMethod }: CostColumns) {
  return { amount: costAmount, currency: costCurrency, method: costMethod };
}
