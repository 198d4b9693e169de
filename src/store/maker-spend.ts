import type { CallCategory, SpendCategory, Usage } from '../contract/spend.ts';
import type { Prisma } from './generated/prisma/client.ts';

/** What a maker account may spend by its row, and what it used in one month. */
export type SpendRecord = {
  accountId: string;
  simulated: boolean;
  usage: Usage;
  /** The account's own limit in major units; null where it has none of its own. */
  money: number | null;
  calls: Record<CallCategory, number | null>;
  /** Since when there was something to use (epoch ms). */
  linkedAt: number;
  /** Starts of the months for which it was told (epoch ms). */
  thresholdToldFor: number | null;
  exhaustedToldFor: number | null;
};

/** Holds back everybody else who counts what an account spends, over processes, until the transaction ends. */
export async function lockSpend(
  tx: Prisma.TransactionClient,
  makerAccountId: string,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${makerAccountId}, 1))`;
}

/** A row of an account and one of its categories; without any use the category is null. */
type SpendRow = {
  id: string;
  account_id: string;
  simulated: boolean;
  budget_limit: number | null;
  data_limit: number | null;
  command_limit: number | null;
  wake_limit: number | null;
  created_at: Date;
  threshold_told_for: Date | null;
  exhausted_told_for: Date | null;
  category: SpendCategory | null;
  used: number | null;
};

/** The records of a month that starts at `period` (epoch ms), by account; those that are gone are left out. */
export async function readSpend(
  tx: Prisma.TransactionClient,
  makerAccountIds: readonly string[],
  period: number,
): Promise<ReadonlyMap<string, SpendRecord>> {
  const rows = await tx.$queryRaw<SpendRow[]>`
    SELECT m.id, m.account_id, m.simulated, m.budget_limit::float8 AS budget_limit, m.data_limit, m.command_limit,
      m.wake_limit, m.created_at, m.threshold_told_for, m.exhausted_told_for, s.category::text AS category, s.used
    FROM maker_account m
    LEFT JOIN maker_spend s ON s.account_id = m.account_id AND s.maker = m.maker
      AND s.maker_subject = m.maker_subject AND s.period = ${new Date(period)}::timestamptz
    WHERE m.id = ANY(${[...makerAccountIds]}::uuid[])`;
  const byId = new Map<string, SpendRow[]>();
  for (const row of rows) byId.set(row.id, [...(byId.get(row.id) ?? []), row]);
  const records = [...byId].flatMap(([id, [first, ...others]]) =>
    first === undefined ? [] : [[id, recordOf(first, [first, ...others])] as const],
  );
  return new Map(records);
}

function recordOf(account: SpendRow, rows: readonly SpendRow[]): SpendRecord {
  const used = (category: SpendCategory) =>
    rows.find((row) => row.category === category)?.used ?? 0;
  return {
    accountId: account.account_id,
    simulated: account.simulated,
    usage: {
      SIGNAL: used('SIGNAL'),
      DATA: used('DATA'),
      COMMAND: used('COMMAND'),
      WAKE: used('WAKE'),
    },
    money: account.budget_limit,
    calls: {
      DATA: account.data_limit,
      COMMAND: account.command_limit,
      WAKE: account.wake_limit,
    },
    linkedAt: account.created_at.getTime(),
    thresholdToldFor: account.threshold_told_for?.getTime() ?? null,
    exhaustedToldFor: account.exhausted_told_for?.getTime() ?? null,
  };
}

/** Units of a category in the month that starts at `period` (epoch ms); fewer than none are given back. */
export type SpentUnits = { category: SpendCategory; units: number; period: number };

/** Counts units; nothing where the account is gone. */
export async function countSpend(
  tx: Prisma.TransactionClient,
  makerAccountId: string,
  { category, units, period }: SpentUnits,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO maker_spend (account_id, maker, maker_subject, period, category, used)
    SELECT account_id, maker, maker_subject, ${new Date(period)}::timestamptz, ${category}::spend_category,
      greatest(0, ${units}::int)
    FROM maker_account WHERE id = ${makerAccountId}::uuid
    ON CONFLICT (account_id, maker, maker_subject, period, category)
    DO UPDATE SET used = greatest(0, maker_spend.used + ${units}::int)`;
}

/**
 * Counts signals that streamed in, by vehicle, for the accounts that the vehicles came from. In one order, so that two
 * requests never wait for each other.
 */
export async function countSignals(
  tx: Prisma.TransactionClient,
  signals: ReadonlyMap<string, number>,
  period: number,
): Promise<void> {
  if (signals.size === 0) return;
  await tx.$executeRaw`
    INSERT INTO maker_spend (account_id, maker, maker_subject, period, category, used)
    SELECT m.account_id, m.maker, m.maker_subject, ${new Date(period)}::timestamptz, 'SIGNAL', sum(streamed.units)::int
    FROM unnest(${[...signals.keys()]}::uuid[], ${[...signals.values()]}::int[]) AS streamed(vehicle_id, units)
    JOIN vehicle v ON v.id = streamed.vehicle_id
    JOIN maker_account m ON m.id = v.maker_account_id
    GROUP BY m.account_id, m.maker, m.maker_subject
    ORDER BY m.account_id, m.maker, m.maker_subject
    ON CONFLICT (account_id, maker, maker_subject, period, category)
    DO UPDATE SET used = maker_spend.used + EXCLUDED.used`;
}

/** Columns of a command's cost, by category. */
const costColumns = { DATA: 'costData', COMMAND: 'costCommands', WAKE: 'costWakes' } as const;

/** Adds calls to what a command cost; nothing where it is gone. */
export async function addCost(
  tx: Prisma.TransactionClient,
  commandId: string,
  { category, units }: { category: CallCategory; units: number },
): Promise<void> {
  const data = { [costColumns[category]]: { increment: units } };
  await tx.command.updateMany({ where: { id: commandId }, data });
}
