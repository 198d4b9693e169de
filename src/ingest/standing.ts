import {
  type BudgetWord,
  budgetWord,
  costOf,
  type Period,
  periodAt,
  shareUsed,
} from '../contract/budget.ts';
import type { Budget, Prices, Usage } from '../contract/spend.ts';
import type { SpendRecord } from '../store/maker-spend.ts';

/** What the maker takes, and what the instance lets its maker accounts spend in a month. */
export type SpendRates = {
  prices: Prices;
  /** ISO 4217. */
  currency: string;
  /** Limit of an account that has none of its own, in major units; null for none. */
  limit: number | null;
};

/** How a maker account or one of its vehicles stands in the month around a moment; money in major units. */
export type Standing = {
  id: string;
  accountId: string;
  /** Slug of the vehicle; null for a maker account. */
  vehiclePublicId: string | null;
  /** When it was so (epoch ms). */
  at: number;
  period: Period;
  /** Since when this month's usage is counted (epoch ms): its start, or the link's. */
  since: number;
  usage: Usage;
  budget: Budget;
  prices: Prices;
  currency: string;
  cost: number;
  /** Part of the budget that is used; null without a limit. */
  share: number | null;
  word: BudgetWord;
  /** What was told of the month already. */
  told: BudgetWord;
};

/** What follows from a record at `at` (epoch ms), of which `ahead` calls for data are counted and not made. */
export function standingOf(
  record: SpendRecord,
  rates: SpendRates,
  { at, ahead }: { at: number; ahead: number },
): Standing {
  const { prices, currency } = rates;
  const period = periodAt(at);
  const usage = { ...record.usage, DATA: Math.max(0, record.usage.DATA - ahead) };
  // Calls to the garage cost nothing, and a vehicle has the limit of its account; one that somebody sets holds all the same.
  const limited = !record.simulated && record.vehiclePublicId === null;
  const money = record.money ?? (limited ? rates.limit : null);
  const budget = { money, calls: record.calls };
  const { startsAt } = period;
  const told = toldOf(record, startsAt);
  return {
    id: record.id,
    accountId: record.accountId,
    vehiclePublicId: record.vehiclePublicId,
    at,
    period,
    since: Math.min(at, Math.max(startsAt, record.linkedAt)),
    usage,
    budget,
    prices,
    currency,
    cost: costOf(usage, prices),
    share: shareUsed(usage, { budget, prices }),
    word: budgetWord(usage, { budget, prices }),
    told,
  };
}

function toldOf({ exhaustedToldFor, thresholdToldFor }: SpendRecord, startsAt: number): BudgetWord {
  if (exhaustedToldFor === startsAt) return 'EXHAUSTED';
  return thresholdToldFor === startsAt ? 'THRESHOLD' : null;
}
