import type { Prisma } from '../store/generated/prisma/client.ts';
import { type CostChange, type CostColumns, columnsOf } from './price-charges.ts';

/** What charges cost, by their ids. */
export type Costs = ReadonlyMap<string, CostColumns>;

/** What stored charges cost now. */
export async function costsOf(
  tx: Prisma.TransactionClient,
  ids: readonly string[],
): Promise<Costs> {
  const rows = await tx.charge.findMany({ where: { id: { in: [...ids] } } });
  return new Map(rows.map((row) => [row.id, columnsOf(row)]));
}

/** The charges whose cost is another one than before; those that were not there are left out. */
export function costChanges(costs: Costs, now: Costs): CostChange[] {
  return [...now].flatMap(([chargeId, after]) => {
    const before = costs.get(chargeId);
    const same = before === undefined || JSON.stringify(before) === JSON.stringify(after);
    return same ? [] : { chargeId, before, after };
  });
}
