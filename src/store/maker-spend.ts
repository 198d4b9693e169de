import type { CallCategory, SpendCategory, Usage } from '../contract/spend.ts';
import type { Prisma } from './generated/prisma/client.ts';

/** What a maker account or one of its vehicles may spend by its row, and what it used in one month. */
export type SpendRecord = {
  id: string;
  accountId: string;
  /** Slug of the vehicle; null for a maker account. */
  vehiclePublicId: string | null;
  simulated: boolean;
  usage: Usage;
  /** Its own limit in major units; null where it has none of its own. */
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

/** A row of an account or vehicle and one of its categories; without any use the category is null. */
type SpendRow = {
  id: string;
  account_id: string;
  public_id: string | null;
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

/** The records of a month that starts at `period` (epoch ms), by the id of the maker account or vehicle; what is gone is left out. */
export async function readSpend(
  tx: Prisma.TransactionClient,
  ids: readonly string[],
  period: number,
): Promise<ReadonlyMap<string, SpendRecord>> {
  const month = new Date(period);
  const rows = await tx.$queryRaw<SpendRow[]>`
    SELECT m.id, m.account_id, NULL AS public_id, m.simulated, m.budget_limit::float8 AS budget_limit, m.data_limit, m.command_limit,
      m.wake_limit, m.created_at, m.threshold_told_for, m.exhausted_told_for, s.category::text AS category, s.used
    FROM maker_account m
    LEFT JOIN maker_spend s ON s.account_id = m.account_id AND s.maker = m.maker
      AND s.maker_subject = m.maker_subject AND s.period = ${month}::timestamptz
    WHERE m.id = ANY(${[...ids]}::uuid[])
    UNION ALL
    SELECT v.id, v.account_id, v.public_id, v.simulated, v.budget::float8, NULL, NULL, NULL, v.created_at,
      v.threshold_told_for, v.exhausted_told_for, s.category::text, s.used
    FROM vehicle v
    LEFT JOIN vehicle_spend s ON s.vehicle_id = v.id AND s.period = ${month}::timestamptz
    WHERE v.id = ANY(${[...ids]}::uuid[])`;
  const byId = new Map<string, SpendRow[]>();
  for (const row of rows) byId.set(row.id, [...(byId.get(row.id) ?? []), row]);
  const records = [...byId].flatMap(([id, [first, ...others]]) =>
    first === undefined ? [] : [[id, recordOf(first, [first, ...others])] as const],
  );
  return new Map(records);
}

function recordOf(spender: SpendRow, rows: readonly SpendRow[]): SpendRecord {
  const used = (category: SpendCategory) =>
    rows.find((row) => row.category === category)?.used ?? 0;
  return {
    id: spender.id,
    accountId: spender.account_id,
    vehiclePublicId: spender.public_id,
    simulated: spender.simulated,
    usage: {
      SIGNAL: used('SIGNAL'),
      DATA: used('DATA'),
      COMMAND: used('COMMAND'),
      WAKE: used('WAKE'),
    },
    money: spender.budget_limit,
    calls: {
      DATA: spender.data_limit,
      COMMAND: spender.command_limit,
      WAKE: spender.wake_limit,
    },
    linkedAt: spender.created_at.getTime(),
    thresholdToldFor: spender.threshold_told_for?.getTime() ?? null,
    exhaustedToldFor: spender.exhausted_told_for?.getTime() ?? null,
  };
}

/** Units of a category in the month that starts at `period` (epoch ms); fewer than none are given back. */
export type SpentUnits = { category: SpendCategory; units: number; period: number };

/** For whom the maker is called: a vehicle, through the account that pays. */
export type SpentFor = { makerAccountId: string; vehicleId: string };

/** Counts units for a vehicle and its maker account; nothing for which of them is gone. */
export async function countSpend(
  tx: Prisma.TransactionClient,
  { makerAccountId, vehicleId }: SpentFor,
  { category, units, period }: SpentUnits,
): Promise<void> {
  const month = new Date(period);
  await tx.$executeRaw`
    WITH of_vehicle AS (
      INSERT INTO vehicle_spend (vehicle_id, period, category, used)
      SELECT id, ${month}::timestamptz, ${category}::spend_category, greatest(0, ${units}::int)
      FROM vehicle WHERE id = ${vehicleId}::uuid
      ON CONFLICT (vehicle_id, period, category)
      DO UPDATE SET used = greatest(0, vehicle_spend.used + ${units}::int)
    )
    INSERT INTO maker_spend (account_id, maker, maker_subject, period, category, used)
    SELECT account_id, maker, maker_subject, ${month}::timestamptz, ${category}::spend_category,
      greatest(0, ${units}::int)
    FROM maker_account WHERE id = ${makerAccountId}::uuid
    ON CONFLICT (account_id, maker, maker_subject, period, category)
    DO UPDATE SET used = greatest(0, maker_spend.used + ${units}::int)`;
}

/**
 * Counts signals that streamed in, by vehicle, for the vehicles and the accounts that they came from. In one order, so that
 * two requests never wait for each other; call it with the vehicles' streams locked.
 */
export async function countSignals(
  tx: Prisma.TransactionClient,
  signals: ReadonlyMap<string, number>,
  period: number,
): Promise<void> {
  if (signals.size === 0) return;
  const month = new Date(period);
  await tx.$executeRaw`
    WITH streamed AS (
      SELECT * FROM unnest(${[...signals.keys()]}::uuid[], ${[...signals.values()]}::int[]) AS given(vehicle_id, units)
    ), of_vehicles AS (
      INSERT INTO vehicle_spend (vehicle_id, period, category, used)
      SELECT v.id, ${month}::timestamptz, 'SIGNAL', streamed.units
      FROM streamed JOIN vehicle v ON v.id = streamed.vehicle_id ORDER BY v.id
      ON CONFLICT (vehicle_id, period, category)
      DO UPDATE SET used = vehicle_spend.used + EXCLUDED.used
    )
    INSERT INTO maker_spend (account_id, maker, maker_subject, period, category, used)
    SELECT m.account_id, m.maker, m.maker_subject, ${month}::timestamptz, 'SIGNAL', sum(streamed.units)::int
    FROM streamed
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
