import type { DriveEnergy } from '../store/drive-costs.ts';
import { minorDigits } from './price-charge.ts';

/** What energy cost, in minor units. */
export type Derived = { amountMinor: number; currency: string };

/**
 * What the energy of a drive cost: its kWh times the mean price of the energy in the pack, which is that of the charges
 * before it, the newest first, until they come to what the pack held. Null where the newest one has no known cost, or
 * none went before; one in another currency, or of unknown cost, ends the looking back. Rounded half up to minor units.
 */
export function driveCostOf({ usedKwh, heldKwh, charges }: DriveEnergy): Derived | null {
  const [newest] = charges;
  if (usedKwh === null || newest?.currency == null || newest.amount === null) return null;
  const { currency } = newest;
  let kwh = 0;
  let amount = 0;
  for (const charge of charges) {
    if (charge.amount === null || charge.currency !== currency) break;
    kwh += charge.kwh;
    amount += charge.amount;
    if (kwh >= (heldKwh ?? 0)) break;
  }
  // Energy that flowed back on the whole cost nothing.
  const major = (Math.max(0, usedKwh) * amount) / kwh;
  return { amountMinor: Math.round(major * 10 ** minorDigits(currency)), currency };
}

/** What several drives cost together; null where the cost of one is not known, or the currencies differ. */
export function sumOfCosts(costs: readonly (Derived | null)[]): Derived | null {
  const [first] = costs;
  if (first == null) return null;
  const { currency } = first;
  if (costs.some((cost) => cost?.currency !== currency)) return null;
  return { currency, amountMinor: costs.reduce((sum, cost) => sum + (cost?.amountMinor ?? 0), 0) };
}
