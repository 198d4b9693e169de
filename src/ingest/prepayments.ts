import { periodAt } from '../contract/budget.ts';

/** Calls for data that are counted at once, at most: a vehicle is followed on for some minutes while the database is away. */
const LARGEST = 25;
/** Part of what is left of a budget that may be counted at once. */
const SMALLEST_PART = 50;

/** Calls for data that were counted and not made yet; a crash has counted them in vain, and none too few. */
export type Prepayments = {
  /** Takes one, where there is one of the month around `at` (epoch ms). */
  take: (makerAccountId: string, at: number) => boolean;
  put: (makerAccountId: string, at: number, units: number) => void;
  /** How many to count when `left` are left of the budget; null for as many as one likes. */
  sizeOf: (left: number | null) => number;
  /** How many wait in the month around `at`. */
  unused: (makerAccountId: string, at: number) => number;
  /** All that wait, by account and start of the month, and none afterwards. */
  rest: () => { makerAccountId: string; period: number; units: number }[];
};

/** None yet. */
export function prepayments(): Prepayments {
  const byAccount = new Map<string, { period: number; units: number }>();
  const unused: Prepayments['unused'] = (id, at) => {
    const waiting = byAccount.get(id);
    return waiting?.period === periodAt(at).startsAt ? waiting.units : 0;
  };
  const put: Prepayments['put'] = (id, at, units) => {
    byAccount.set(id, { period: periodAt(at).startsAt, units: unused(id, at) + units });
  };
  return {
    take: (id, at) => {
      if (unused(id, at) === 0) return false;
      put(id, at, -1);
      return true;
    },
    put,
    sizeOf: (left) =>
      left === null ? LARGEST : Math.min(LARGEST, Math.max(1, Math.floor(left / SMALLEST_PART))),
    unused,
    rest: () => {
      const all = [...byAccount].map(([makerAccountId, waiting]) => ({
        makerAccountId,
        ...waiting,
      }));
      byAccount.clear();
      return all.filter(({ units }) => units > 0);
    },
  };
}
