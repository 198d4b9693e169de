import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/units.ts';
import { callsLeft, periodAt } from '../contract/budget.ts';
import type { CallCategory } from '../contract/spend.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { addCost, countSpend, lockSpend, readSpend } from '../store/maker-spend.ts';
import { prepayments } from './prepayments.ts';
import { type SpendRates, type Standing, standingOf } from './standing.ts';
import { tellBudget } from './tell-budget.ts';

/** How old a standing may be that only paces the looks at a vehicle [ms]. */
const FRESH_MS = 30 * SECOND_MS;

/** A billed call to be counted; `commandId` is that of the command it is made for. */
export type Charge = {
  makerAccountId: string;
  category: CallCategory;
  commandId: string | null;
  /** Whether it is made although the budget is used up. */
  override: boolean;
};

/** Counts every billed call before it is made, in the database, so that no crash loses one (issue 3, cost and courtesy). */
export type SpendLedger = {
  rates: SpendRates;
  /** Counts a call; false, and nothing is counted, where the budget is used up. Throws while the database is away. */
  charge: (charge: Charge) => Promise<boolean>;
  /** Takes a call back that was counted and is not billed. */
  refund: (charge: Charge) => Promise<void>;
  /** How an account stands now; null where it is gone. `db` is the transaction of a caller that is inside one. */
  standing: (makerAccountId: string, db?: Prisma.TransactionClient) => Promise<Standing | null>;
  /** The same of several accounts at once, in their order. */
  standings: (makerAccountIds: readonly string[]) => Promise<(Standing | null)[]>;
  /** How an account stood within the last half minute, or when last known while the database is away; null for never. */
  lately: (makerAccountId: string) => Promise<Standing | null>;
  /** Forgets how an account stood, because its budget was changed. */
  forget: (makerAccountId: string) => void;
  /** Gives back what was counted ahead and not used. */
  close: () => Promise<void>;
};

export type LedgerParts = { prisma: PrismaClient; clock: Clock; rates: SpendRates };

const LEDGER_TIMEOUT_MS = 30 * SECOND_MS;

/** A ledger over the store; one for each process. */
export function spendLedger({ prisma, clock, rates }: LedgerParts): SpendLedger {
  const ahead = prepayments();
  const known = new Map<string, { at: number; standing: Standing | null }>();
  const inLedger = <T>(id: string, work: (tx: Prisma.TransactionClient) => Promise<T>) =>
    prisma.$transaction(
      async (tx) => {
        await lockSpend(tx, id);
        return work(tx);
      },
      { timeout: LEDGER_TIMEOUT_MS, maxWait: LEDGER_TIMEOUT_MS },
    );
  const readAll = async (db: Prisma.TransactionClient, ids: readonly string[]) => {
    const at = clock();
    const records = await readSpend(db, ids, periodAt(at).startsAt);
    return ids.map((id) => {
      const record = records.get(id);
      const times = { at, ahead: ahead.unused(id, at) };
      return record === undefined ? null : standingOf(record, rates, times);
    });
  };
  const read = async (db: Prisma.TransactionClient, id: string) =>
    (await readAll(db, [id]))[0] ?? null;
  const remember = (id: string, standing: Standing | null) => {
    known.set(id, { at: clock(), standing });
    return standing;
  };

  /** Counts a call, or with `aheadToo` several at once; how many were counted, and how the account stands after one. */
  const count = async (
    tx: Prisma.TransactionClient,
    { makerAccountId: id, category, commandId, override }: Charge,
    { at, aheadToo }: { at: number; aheadToo: boolean },
  ): Promise<{ units: number; standing: Standing | null }> => {
    const period = periodAt(at).startsAt;
    const record = (await readSpend(tx, [id], period)).get(id);
    if (record === undefined) return { units: 0, standing: null };
    const times = { at, ahead: ahead.unused(id, at) };
    const before = standingOf(record, rates, times);
    const left = callsLeft(category, before.usage, before);
    if (left === 0 && !override) {
      await tellBudget(tx, id, before);
      return { units: 0, standing: before };
    }
    const units = aheadToo ? ahead.sizeOf(left) : 1;
    await countSpend(tx, id, { category, units, period });
    if (commandId !== null) await addCost(tx, commandId, { category, units });
    const usage = { ...record.usage, [category]: record.usage[category] + 1 };
    const standing = standingOf({ ...record, usage }, rates, times);
    await tellBudget(tx, id, standing);
    return { units, standing };
  };

  const charge: SpendLedger['charge'] = async (one) => {
    const { makerAccountId: id, category, commandId } = one;
    const at = clock();
    const aheadToo = category === 'DATA' && commandId === null;
    if (aheadToo && ahead.take(id, at)) return true;
    const { units, standing } = await inLedger(id, (tx) => count(tx, one, { at, aheadToo }));
    // Only now: what was not committed was not counted.
    remember(id, standing);
    if (units > 1) ahead.put(id, at, units - 1);
    return units > 0;
  };

  return {
    rates,
    charge,
    refund: async ({ makerAccountId: id, category, commandId }) => {
      const at = clock();
      if (category === 'DATA' && commandId === null) {
        ahead.put(id, at, 1);
        return;
      }
      await inLedger(id, async (tx) => {
        await countSpend(tx, id, { category, units: -1, period: periodAt(at).startsAt });
        if (commandId !== null) await addCost(tx, commandId, { category, units: -1 });
      });
    },
    standing: (id, db = prisma) => read(db, id),
    standings: (ids) => readAll(prisma, ids),
    lately: async (id) => {
      const last = known.get(id);
      if (last !== undefined && clock() - last.at < FRESH_MS) return last.standing;
      try {
        const standing = remember(id, await read(prisma, id));
        if (standing?.word !== standing?.told) {
          await inLedger(id, async (tx) => {
            const now = await read(tx, id);
            if (now !== null) await tellBudget(tx, id, now);
          });
        }
        return standing;
      } catch {
        // It paces looks and allows nothing: what is not known is asked for by the next call.
        return last?.standing ?? null;
      }
    },
    forget: (id) => {
      known.delete(id);
    },
    close: async () => {
      for (const { makerAccountId, period, units } of ahead.rest()) {
        await inLedger(makerAccountId, (tx) =>
          countSpend(tx, makerAccountId, { category: 'DATA', units: -units, period }),
        );
      }
    },
  };
}
