import { DAY_MS, rounded } from '../base/units.ts';
import { type Budget, type CallCategory, type Prices, type SpendCategory, spendCategories, THRESHOLD, type Usage } from './spend.ts';

/** Digits of money that are kept: a signal costs some millionths. */
const MONEY_DIGITS = 6;

/** Digits of a part of a budget: four fifths are to be four fifths. */
const SHARE_DIGITS = 9;

/** The month of the maker's bill, in UTC; epoch ms. */
export type Period = { startsAt: number; endsAt: number };

/** The calendar month around `at` (epoch ms). */
export function periodAt(at: number): Period {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { startsAt: Date.UTC(year, month, 1), endsAt: Date.UTC(year, month + 1, 1) };
}

/** What units of one category cost, in major units. */
export function priceOf(category: SpendCategory, units: number, prices: Prices): number {
  return rounded(units / prices[category], MONEY_DIGITS);
}

/** What was used, in major units. */
export function costOf(usage: Usage, prices: Prices): number {
  const sum = spendCategories.reduce((total, one) => total + usage[one] / prices[one], 0);
  return rounded(sum, MONEY_DIGITS);
}

/** Calls of a category that the budget still allows, were nothing else used; null for as many as one likes. */
export function callsLeft(category: CallCategory, usage: Usage, { budget, prices }: { budget: Budget; prices: Prices }): number | null {
  const byCalls = budget.calls[category];
  const money = budget.money === null ? null : budget.money - costOf(usage, prices);
  const left = [
    byCalls === null ? null : byCalls - usage[category],
    // What was rounded must not take the last call away.
    money === null ? null : Math.floor(money * prices[category] + 1e-6),
  ].filter((one) => one !== null);
  return left.length === 0 ? null : Math.max(0, Math.min(...left));
}

/** What somebody used of a budget. */
type Used = { usage: Usage; budget: Budget; prices: Prices };

/** Calls of a category that all of several budgets still allow, as of a vehicle and of its account; null for as many as one likes. */
export function callsLeftInAll(category: CallCategory, all: readonly Used[]): number | null {
  const left = all.map((one) => callsLeft(category, one.usage, one)).filter((one) => one !== null);
  return left.length === 0 ? null : Math.min(...left);
}

/** Money that all of several budgets still allow, in major units; null for as much as one likes. */
export function moneyLeftInAll(all: readonly Used[]): number | null {
  const left = all.flatMap(({ usage, budget, prices }) => (budget.money === null ? [] : Math.max(0, budget.money - costOf(usage, prices))));
  return left.length === 0 ? null : Math.min(...left);
}

/** Part of the budget that is used, by the limit that is nearest; null without any limit, above 1 where it was overridden. */
export function shareUsed(usage: Usage, { budget, prices }: { budget: Budget; prices: Prices }): number | null {
  const part = (used: number, limit: number | null) => (limit === null ? null : limit > 0 ? rounded(used / limit, SHARE_DIGITS) : 1);
  const { calls, money } = budget;
  const parts = [part(costOf(usage, prices), money), part(usage.DATA, calls.DATA), part(usage.COMMAND, calls.COMMAND), part(usage.WAKE, calls.WAKE)].filter((one) => one !== null);
  return parts.length === 0 ? null : Math.max(...parts);
}

/** What a person is told of a budget: nothing, that most of it is used, or that calls are refused from now on. */
export type BudgetWord = 'EXHAUSTED' | 'THRESHOLD' | null;

/** Which of the two holds. It is used up when a limit is reached, or the money left buys no call for data. */
export function budgetWord(usage: Usage, terms: { budget: Budget; prices: Prices }): BudgetWord {
  const share = shareUsed(usage, terms);
  if (share === null) return null;
  if (share >= 1 || callsLeft('DATA', usage, terms) === 0) return 'EXHAUSTED';
  return share >= THRESHOLD ? 'THRESHOLD' : null;
}

/**
 * Units at the end of the month if it goes on as it did since `since` (epoch ms), the start of the month or later. Less
 * than a day is taken for one, so that the first call of a month forecasts no fortune.
 */
export function forecastOf(used: number, { since, endsAt }: { since: number; endsAt: number }, at: number): number {
  const perMs = used / Math.max(DAY_MS, at - since);
  return Math.ceil(used + perMs * Math.max(0, endsAt - at));
}

/**
 * How much faster the budget goes than the month does: 1 where it lasts, 2 where half the budget is left for a quarter of
 * what it should be, infinite where nothing is left; 1 without a limit.
 */
export function pressureOf(share: number | null, { startsAt, endsAt }: Period, at: number): number {
  if (share === null) return 1;
  const timeLeft = Math.max(0, endsAt - at) / (endsAt - startsAt);
  const left = Math.max(0, 1 - share);
  return left === 0 ? Number.POSITIVE_INFINITY : Math.max(1, timeLeft / left);
}
