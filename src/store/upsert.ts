import { snakeCase } from '../base/spelling.ts';
import type { Prisma } from './generated/prisma/client.ts';

/** Tables that take whole rows again and again, with what makes a row the same and what an import of it must not touch. */
const tables = {
  drive: { key: ['id'], times: ['startedAt', 'endedAt'], updatedAt: true },
  charge: { key: ['id'], times: ['startedAt', 'endedAt'], updatedAt: true },
  charge_segment: {
    key: ['chargeId', 'ordinal'],
    times: ['startedAt', 'endedAt'],
    updatedAt: false,
  },
  trip: { key: ['id'], times: ['startedAt', 'endedAt'], updatedAt: true },
  track_batch: {
    key: ['vehicleId', 'startedAt'],
    times: ['startedAt', 'endedAt'],
    updatedAt: false,
  },
  state_span: { key: ['id'], times: ['startedAt', 'endedAt'], updatedAt: false },
  parked_span: { key: ['id'], times: ['startedAt', 'endedAt'], updatedAt: false },
  software_installation: {
    key: ['id'],
    times: ['seenAt', 'startedAt', 'endedAt'],
    updatedAt: false,
  },
} as const satisfies Record<
  string,
  { key: readonly string[]; times: readonly string[]; updatedAt: boolean }
>;

/**
 * Inserts rows, or replaces the given columns of those that exist, in one statement however many they are. Property names
 * are the columns' in camelCase; every row has the same ones. What a person edits is never among them.
 */
export async function upsertRows(
  tx: Prisma.TransactionClient,
  table: keyof typeof tables,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  const first = rows[0];
  if (first === undefined) return;
  const { key, times, updatedAt } = tables[table];
  const names = Object.keys(first);
  const columns = names.map(snakeCase);
  const replaced = names.filter((name) => !isOneOf(key, name)).map(snakeCase);
  const stamp = updatedAt
    ? { insert: ', updated_at', select: ', now()', update: ', updated_at = now()' }
    : { insert: '', select: '', update: '' };
  const sql = `INSERT INTO "${table}" (${columns.join(', ')}${stamp.insert})
    SELECT ${columns.join(', ')}${stamp.select} FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)
    ON CONFLICT (${key.map(snakeCase).join(', ')}) DO UPDATE
    SET ${replaced.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}${stamp.update}`;
  await tx.$executeRawUnsafe(sql, JSON.stringify(rows.map((row) => recordOf(row, times))));
}

function recordOf(row: Record<string, unknown>, times: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      snakeCase(name),
      typeof value === 'number' && isOneOf(times, name) ? new Date(value).toISOString() : value,
    ]),
  );
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
