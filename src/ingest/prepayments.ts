import { periodAt } from '../contract/budget.ts';
import type { SpentFor } from '../store/maker-spend.ts';

/** Calls for data that are counted at once, at most: a vehicle is followed on for some minutes while the database is away. */
const LARGEST = 25;
/** Part of what is left of a budget that may be counted at once. */
const SMALLEST_PART = 50;

/** Calls for data of one vehicle that were counted and not made yet. */
type Waiting = SpentFor & { period: number; units: number };

/** Calls for data that were counted and not made yet; a crash has counted them in vain, and none too few. */
export type Prepayments = {
  /** Takes one, where the vehicle has one of the month around `at` (epoch ms). */
  take: (spender: SpentFor, at: number) => boolean;
  put: (spender: SpentFor, at: number, units: number) => void;
  /** How many to count when `left` are left of the budget; null for as many as one likes. */
  sizeOf: (left: number | null) => number;
  /** How many wait in the month around `at` for a vehicle, or for all vehicles of a maker account. */
  unused: (id: string, at: number) => number;
  /** All that wait, by vehicle and start of the month, and none afterwards. */
  rest: () => Waiting[];
};

/** None yet. */
export function prepayments(): Prepayments {
  const byVehicle = new Map<string, Waiting>();
  const ofSpender = ({ makerAccountId, vehicleId }: SpentFor, at: number): Waiting => {
    const period = periodAt(at).startsAt;
    const waiting = byVehicle.get(vehicleId);
    const known = waiting?.period === period && waiting.makerAccountId === makerAccountId;
    return known ? waiting : { makerAccountId, vehicleId, period, units: 0 };
  };
  const put: Prepayments['put'] = (spender, at, units) => {
    const waiting = ofSpender(spender, at);
    byVehicle.set(spender.vehicleId, { ...waiting, units: waiting.units + units });
  };
  return {
    take: (spender, at) => {
      if (ofSpender(spender, at).units === 0) return false;
      put(spender, at, -1);
      return true;
    },
    put,
    sizeOf: (left) =>
      left === null ? LARGEST : Math.min(LARGEST, Math.max(1, Math.floor(left / SMALLEST_PART))),
    unused: (id, at) => {
      const period = periodAt(at).startsAt;
      return [...byVehicle.values()]
        .filter((waiting) => waiting.period === period)
        .filter(({ vehicleId, makerAccountId }) => vehicleId === id || makerAccountId === id)
        .reduce((sum, { units }) => sum + units, 0);
    },
    rest: () => {
      const all = [...byVehicle.values()];
      byVehicle.clear();
      return all.filter(({ units }) => units > 0);
    },
  };
}
