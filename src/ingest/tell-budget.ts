import { lockAccount } from '../store/audit.ts';
import type { Prisma } from '../store/generated/prisma/client.ts';
import { writeAccountEvents } from '../store/outbox.ts';
import type { Standing } from './standing.ts';

/**
 * Tells once a month that most of a budget is used, and once that it is used up; whoever hears the second has heard the
 * first. Call it last in a transaction that holds the account's spending.
 */
export async function tellBudget(
  tx: Prisma.TransactionClient,
  makerAccountId: string,
  standing: Standing,
): Promise<void> {
  const { word, told, period, accountId, cost, budget, share, currency, usage } = standing;
  if (word === null || told === word || told === 'EXHAUSTED') return;
  const startsAt = new Date(period.startsAt);
  const exhausted = word === 'EXHAUSTED';
  // Before the row of the maker account, as whoever changes that does.
  await lockAccount(tx, accountId);
  await tx.makerAccount.update({
    where: { id: makerAccountId },
    data: {
      thresholdToldFor: startsAt,
      ...(exhausted ? { exhaustedToldFor: startsAt } : {}),
    },
  });
  const data = {
    makerAccountId,
    cost: String(cost),
    limit: budget.money === null ? null : String(budget.money),
    currency,
    sharePct: share === null ? null : Math.min(100, Math.round(share * 100)),
    signals: usage.SIGNAL,
    data: usage.DATA,
    commands: usage.COMMAND,
    wakes: usage.WAKE,
    resetsAt: new Date(period.endsAt).toISOString(),
  };
  const type = exhausted ? 'maker_account.budget_exhausted' : 'maker_account.budget_threshold';
  await writeAccountEvents(tx, accountId, [{ type, occurredAt: standing.at, data }]);
}
