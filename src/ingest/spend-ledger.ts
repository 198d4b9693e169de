import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/units.ts';
import { callsLeftInAll, periodAt } from '../contract/budget.ts';
import type { CallCategory } from '../contract/spend.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import {
  addCost,
  countSpend,
  lockSpend,
  readSpend,
  type SpendRecord,
  type SpentFor,
} from '../store/maker-spend.ts';
import { prepayments } from './prepayments.ts';
import { type SpendRates, type Standing, standingOf } from './standing.ts';
import { tellBudget } from './tell-budget.ts';

/** How old a standing may be that only paces the looks at a vehicle [ms]. */
const FRESH_MS = 30 * SECOND_MS;

/** A billed call to be counted; `commandId` is that of the command it is made for. */
export type Charge = SpentFor & {
  category: CallCategory;
  commandId: string | null;
  /** Whether it is made although the budget is used up. */
  override: boolean;
};

/** Counts every billed call before it is made, in the database, so that no crash loses one (issue 3, cost and courtesy). */
export type SpendLedger = {
  rates: SpendRates;
  /**
   * Counts a call; false, and nothing is counted, where the budget of the vehicle or of its maker account is used up. Throws
   * while the database is away.
   */
  charge: (charge: Charge) => Promise<boolean>;
  /** Takes a call back that was counted and is not billed. */
  refund: (charge: Charge) => Promise<void>;
  /** How a maker account or a vehicle stands now, by its id; null where it is gone. `db` is the transaction of a caller that is inside one. */
  standing: (id: string, db?: Prisma.TransactionClient) => Promise<Standing | null>;
  /** The same of several at once, in their order. */
  standings: (
    ids: readonly string[],
    db?: Prisma.TransactionClient,
  ) => Promise<(Standing | null)[]>;
  /**
   * How a vehicle and its maker account stood within the last half minute, or when last known while the database is away;
   * what is not known at all is left out.
   */
  lately: (spender: SpentFor) => Promise<Standing[]>;
  /** Forgets how a maker account or a vehicle stood, because its budget was changed. */
  forget: (id: string) => void;
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
  const recordsOf = async (db: Prisma.TransactionClient, ids: readonly string[], at: number) => {
    const records = await readSpend(db, ids, periodAt(at).startsAt);
    return ids.map((id) => records.get(id) ?? null);
  };
  const readAll = async (db: Prisma.TransactionClient, ids: readonly string[]) => {
    const at = clock();
    const records = await recordsOf(db, ids, at);
    return ids.map((id, index) => {
      const record = records[index] ?? null;
      return record && standingOf(record, rates, { at, ahead: ahead.unused(id, at) });
    });
  };
  const remember = (id: string, standing: Standing | null) => {
    known.set(id, { at: clock(), standing });
    return standing;
  };

  /** Counts a call, or with `aheadToo` several at once; how many were counted, and how both stand after one. */
  const count = async (
    tx: Prisma.TransactionClient,
    one: Charge,
    { at, aheadToo }: { at: number; aheadToo: boolean },
  ): Promise<Counted> => {
    const { makerAccountId, vehicleId, category, commandId, override } = one;
    const [account = null, vehicle = null] = await recordsOf(tx, [makerAccountId, vehicleId], at);
    if (account === null) return { units: 0, account, vehicle: null };
    // What was paid for ahead is not left: it will be used without asking again.
    const paid = { at, ahead: 0 };
    const before = [account, ...(vehicle === null ? [] : [vehicle])].map((record) =>
      standingOf(record, rates, paid),
    );
    const left = callsLeftInAll(category, before);
    const refused = left === 0 && !override;
    const units = refused ? 0 : aheadToo ? ahead.sizeOf(left) : 1;
    if (!refused) await countSpend(tx, one, { category, units, period: periodAt(at).startsAt });
    if (!refused && commandId !== null) await addCost(tx, commandId, { category, units });
    const after = async (id: string, record: SpendRecord | null) => {
      if (record === null) return null;
      const unused = refused ? 0 : ahead.unused(id, at);
      const usage = { ...record.usage, [category]: record.usage[category] + (refused ? 0 : 1) };
      const standing = standingOf({ ...record, usage }, rates, { at, ahead: unused });
      await tellBudget(tx, makerAccountId, standing);
      return standing;
    };
    return {
      units,
      account: await after(makerAccountId, account),
      vehicle: await after(vehicleId, vehicle),
    };
  };

  const charge: SpendLedger['charge'] = async (one) => {
    const { makerAccountId, vehicleId, category, commandId } = one;
    const at = clock();
    const aheadToo = category === 'DATA' && commandId === null;
    if (aheadToo && ahead.take(one, at)) return true;
    const { units, account, vehicle } = await inLedger(makerAccountId, (tx) =>
      count(tx, one, { at, aheadToo }),
    );
    // Only now: what was not committed was not counted.
    remember(makerAccountId, account);
    remember(vehicleId, vehicle);
    if (units > 1) ahead.put(one, at, units - 1);
    return units > 0;
  };

  /** Tells what became true without a call of ours, such as by signals that streamed in. */
  const tell = (makerAccountId: string, id: string) =>
    inLedger(makerAccountId, async (tx) => {
      const [now = null] = await readAll(tx, [id]);
      if (now !== null) await tellBudget(tx, makerAccountId, now);
    });

  return {
    rates,
    charge,
    refund: async (one) => {
      const { makerAccountId, category, commandId } = one;
      const at = clock();
      if (category === 'DATA' && commandId === null) {
        ahead.put(one, at, 1);
        return;
      }
      await inLedger(makerAccountId, async (tx) => {
        await countSpend(tx, one, { category, units: -1, period: periodAt(at).startsAt });
        if (commandId !== null) await addCost(tx, commandId, { category, units: -1 });
      });
    },
    standing: async (id, db = prisma) => (await readAll(db, [id]))[0] ?? null,
    standings: (ids, db = prisma) => readAll(db, ids),
    lately: async (spender) => {
      const ids = [spender.makerAccountId, spender.vehicleId];
      const fresh = (id: string) =>
        clock() - (known.get(id)?.at ?? Number.NEGATIVE_INFINITY) < FRESH_MS;
      try {
        if (!ids.every(fresh)) {
          const standings = await readAll(prisma, ids);
          for (const [index, id] of ids.entries()) {
            const standing = remember(id, standings[index] ?? null);
            if (standing !== null && standing.word !== standing.told)
              await tell(spender.makerAccountId, id);
          }
        }
      } catch {
        // It paces looks and allows nothing: what is not known is asked for by the next call.
      }
      return ids.flatMap((id) => known.get(id)?.standing ?? []);
    },
    forget: (id) => {
      known.delete(id);
    },
    close: async () => {
      for (const { period, units, ...spender } of ahead.rest()) {
        await inLedger(spender.makerAccountId, (tx) =>
          countSpend(tx, spender, { category: 'DATA', units: -units, period }),
        );
      }
    },
  };
}

/** How many calls were counted, and how the account and the vehicle stand after the first; null for what is gone. */
type Counted = { units: number; account: Standing | null; vehicle: Standing | null };
