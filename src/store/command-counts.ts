import { MINUTE_MS } from '../base/units.ts';
import type { Prisma } from './generated/prisma/client.ts';

/** Whose commands are counted; the vehicle is null while it is not known. */
export type Sender = { accountId: string; requestedById: string; vehicleId: string | null };

/** So many of a vehicle or a token. */
export type CommandQuota = { token: number; vehicle: number };

/** How many commands were taken in the last minute, at most as many as may be, and when the first of those was (epoch ms). */
export type CommandCount = { name: keyof CommandQuota; taken: number; firstAt: number | null };

/**
 * What the ledger holds of the minute before `at` (epoch ms), by token and by vehicle. Both are of the account, so under its
 * row nobody else adds to them. What lies further in the future than clocks differ is of a clock that was wrong.
 */
export async function commandCounts(
  db: Prisma.TransactionClient,
  { accountId, requestedById, vehicleId }: Sender,
  { at, quota }: { at: number; quota: CommandQuota },
): Promise<CommandCount[]> {
  const from = new Date(at - MINUTE_MS);
  const to = new Date(at + MINUTE_MS);
  const rows = await db.$queryRaw<{ name: string; taken: number; firstAt: Date | null }[]>`
    SELECT 'token' AS name, count(*)::int AS taken, min(created_at) AS "firstAt" FROM (
      SELECT created_at FROM command
      WHERE account_id = ${accountId}::uuid AND created_at > ${from} AND created_at <= ${to}
        AND requested_by_id = ${requestedById}
      ORDER BY created_at DESC LIMIT ${quota.token}) t
    UNION ALL SELECT 'vehicle', count(*)::int, min(created_at) FROM (
      SELECT created_at FROM command
      WHERE vehicle_id = ${vehicleId}::uuid AND created_at > ${from} AND created_at <= ${to}
      ORDER BY created_at DESC LIMIT ${quota.vehicle}) v`;
  return rows.map(({ name, taken, firstAt }) => ({
    name: name === 'token' ? 'token' : 'vehicle',
    taken,
    firstAt: firstAt?.getTime() ?? null,
  }));
}
