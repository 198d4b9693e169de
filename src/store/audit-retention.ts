import { DAY_MS } from '../base/units.ts';
import { namedActors } from '../contract/security-events.ts';
import { auditIn, chainBeginning, LET_GO, lockAccount, verifyAudit } from './audit.ts';
import type { Prisma, PrismaClient } from './generated/prisma/client.ts';

/** Entries that one statement lets go of. */
const SWEEP_PAGE = 1_000;

/** What letting go came to: how many entries, and the accounts whose old entries do not verify and stay. */
export type AuditSweep = { swept: number; faulty: string[] };

/**
 * Lets go of entries of the audit from before a time (epoch ms), some at a time, until none is left or `signal` ends it. The
 * chain says first, in an entry of its own, after which one it begins from then on; only then do the others go, oldest
 * first. So it verifies between any two steps, and whoever comes next goes on. Old entries that do not verify are kept:
 * letting go of them would take away what they show.
 */
export async function sweepAudit(
  prisma: PrismaClient,
  { now, before, signal }: { now: number; before: number; signal?: AbortSignal },
): Promise<AuditSweep> {
  // A day's entries go together, so that a chain has at most one entry a day that says so.
  const until = Math.floor(before / DAY_MS) * DAY_MS;
  const sweep: AuditSweep = { swept: 0, faulty: [] };
  for (const accountId of await accountsWithOld(prisma, until)) {
    if (signal?.aborted === true) break;
    const last = await lastOld(prisma, accountId, until);
    const { position } = await chainBeginning(prisma, accountId);
    if (last > position) {
      const { fault } = await verifyAudit(prisma, accountId, last);
      if (fault !== null) sweep.faulty.push(accountId);
      else await moveBeginning(prisma, accountId, { now, last });
    }
    sweep.swept += await removeLetGo(prisma, accountId, signal);
  }
  return sweep;
}

/** Accounts that have an entry of before; what only says that others were let go of waits for one that is more. */
async function accountsWithOld(prisma: PrismaClient, until: number): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT a.id FROM account a CROSS JOIN LATERAL (
      SELECT at FROM audit_entry e WHERE e.account_id = a.id AND e.action <> ${LET_GO} ORDER BY position LIMIT 1
    ) oldest WHERE oldest.at < ${new Date(until)}::timestamptz`;
  return rows.map(({ id }) => id);
}

/** Place of the last entry before the first that is kept by its time. */
async function lastOld(
  db: Prisma.TransactionClient,
  accountId: string,
  until: number,
): Promise<number> {
  const orderBy = { position: 'asc' } as const;
  const select = { position: true } as const;
  const kept = await db.auditEntry.findFirst({
    where: { accountId, at: { gte: new Date(until) } },
    ...{ orderBy, select },
  });
  if (kept !== null) return Number(kept.position) - 1;
  const newest = await db.auditEntry.findFirst({
    where: { accountId },
    ...{ orderBy: { position: 'desc' }, select },
  });
  return Number(newest?.position ?? 0);
}

/** Says in the chain that it begins after an entry. */
async function moveBeginning(
  prisma: PrismaClient,
  accountId: string,
  { now, last }: { now: number; last: number },
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const { position } = await chainBeginning(tx, accountId);
    // Another process was first.
    if (position >= last) return;
    const entry = await tx.auditEntry.findUniqueOrThrow({
      where: { accountId_position: { accountId, position: BigInt(last) } },
      select: { hash: true },
    });
    const details = { position: last, hash: entry.hash };
    const who = { actor: namedActors.service, requestId: null };
    await auditIn(tx, accountId, [{ at: now, ...who, action: LET_GO, object: null, details }]);
  });
}

async function removeLetGo(
  prisma: PrismaClient,
  accountId: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { position } = await chainBeginning(prisma, accountId);
  let swept = 0;
  for (let count = SWEEP_PAGE; count === SWEEP_PAGE && signal?.aborted !== true; swept += count) {
    count = await prisma.$executeRaw`
      DELETE FROM audit_entry WHERE id = ANY (ARRAY(SELECT id FROM audit_entry
        WHERE account_id = ${accountId}::uuid AND position <= ${position}::bigint
        ORDER BY position LIMIT ${SWEEP_PAGE}))`;
  }
  return swept;
}
