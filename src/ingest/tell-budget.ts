import { lockAccount } from '../store/audit.ts';
import type { Prisma } from '../store/generated/prisma/client.ts';
import { writeAccountEvents, writeEvents } from '../store/outbox.ts';
import type { Standing } from './standing.ts';

/**
 * Tells once a month that most of the budget of a maker account or of one of its vehicles is used, and once that it is used
 * up; whoever hears the second has heard the first. Call it last in a transaction that holds the account's spending.
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
  // Before the row of the maker account or the vehicle, as whoever changes that does.
  await lockAccount(tx, accountId);
  await mark(tx, standing, {
    thresholdToldFor: startsAt,
    ...(exhausted ? { exhaustedToldFor: startsAt } : {}),
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
  const events = [{ type, occurredAt: standing.at, data }] as const;
  const { id, vehiclePublicId: publicId } = standing;
  if (publicId === null) await writeAccountEvents(tx, accountId, events);
  else await writeEvents(tx, { id, accountId, publicId }, events);
}

/** Tells of a budget that was changed; a word that holds no more may be told again of the new one. */
export async function retellBudget(
  tx: Prisma.TransactionClient,
  makerAccountId: string,
  standingNow: () => Promise<Standing | null>,
): Promise<void> {
  const changed = await standingNow();
  if (changed === null) return;
  const { word } = changed;
  if (word !== 'EXHAUSTED') {
    const threshold = word === null ? { thresholdToldFor: null } : {};
    await mark(tx, changed, { exhaustedToldFor: null, ...threshold });
  }
  await tellBudget(tx, makerAccountId, (await standingNow()) ?? changed);
}

type Marks = { thresholdToldFor?: Date | null; exhaustedToldFor?: Date | null };

async function mark(
  tx: Prisma.TransactionClient,
  { id, vehiclePublicId }: Standing,
  data: Marks,
): Promise<void> {
  if (vehiclePublicId === null) await tx.makerAccount.update({ where: { id }, data });
  else await tx.vehicle.update({ where: { id }, data });
}
