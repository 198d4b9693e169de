import { createHash } from 'node:crypto';
import { ServiceError } from '../base/errors.ts';
import { newUuid } from '../base/ids.ts';
import { securityData } from '../contract/security-events.ts';
import type { AuditEntry, Prisma, PrismaClient } from './generated/prisma/client.ts';
import { type AccountEvent, writeAccountEvents } from './outbox.ts';

/** Further facts of an entry; never a secret. */
export type AuditDetails = Record<string, string | number | boolean | null | readonly string[]>;

/** What an entry says; the chain adds its place. */
export type AuditFact = {
  /** Epoch ms. */
  at: number;
  /** Kind and id of a credential, or one of `namedActors`. */
  actor: string;
  action: string;
  object: string | null;
  details: AuditDetails;
  requestId: string | null;
};

/** What stands before the first entry of an account. */
const CHAIN_START = '';

/** Entries read at a time when a chain is verified. */
const VERIFY_PAGE = 500;

/** Below every position that the column can hold. */
const BEFORE_ALL = -(2n ** 63n);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** Hash of an entry: SHA-256 over the hash before it and its canonical row (security §4.9). */
function chainHash(entry: Omit<AuditEntry, 'hash' | 'details'> & { details: unknown }): string {
  const row = [
    entry.id,
    entry.accountId,
    entry.position.toString(),
    entry.at.toISOString(),
    entry.actor,
    entry.action,
    entry.object,
    sorted(entry.details),
    entry.requestId,
  ];
  return createHash('sha256')
    .update(`${entry.previous}\n${JSON.stringify(row)}`)
    .digest('hex');
}

/**
 * Takes the account's row, where everything that must happen in one order for an account queues. Take it before any
 * other row, so that two transactions never wait for each other. Throws `not_found` when there is no such account.
 */
export async function lockAccount(tx: Prisma.TransactionClient, accountId: string): Promise<void> {
  // NO KEY UPDATE lets rows that only refer to the account be written meanwhile.
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 AS locked FROM account WHERE id = ${accountId}::uuid FOR NO KEY UPDATE`;
  if (rows.length === 0) throw new ServiceError('not_found', 'There is no such account.');
}

async function append(
  tx: Prisma.TransactionClient,
  accountId: string,
  facts: readonly AuditFact[],
): Promise<void> {
  const last = await tx.auditEntry.findFirst({
    where: { accountId },
    orderBy: { position: 'desc' },
    select: { position: true, hash: true },
  });
  let position = last?.position ?? 0n;
  let previous = last?.hash ?? CHAIN_START;
  for (const { at, details, ...fact } of facts) {
    position += 1n;
    const row = {
      ...fact,
      id: newUuid(),
      accountId,
      position,
      at: new Date(at),
      details: { ...details },
      previous,
    };
    previous = chainHash(row);
    await tx.auditEntry.create({ data: { ...row, hash: previous } });
  }
  await writeAccountEvents(tx, accountId, facts.flatMap(securityEvent));
}

function securityEvent(fact: AuditFact): AccountEvent[] {
  const data = securityData(fact);
  return data === null ? [] : [{ type: 'account.security', occurredAt: fact.at, data }];
}

/**
 * Runs `work` and appends the entries it returns to the account's chain, with the events that go with them, all or nothing. `work` must reach the
 * database through `tx` alone: the embedded one has a single connection. `before` takes what has to be locked before
 * the account.
 */
export function audited<T>(
  prisma: PrismaClient,
  accountId: string,
  work: (tx: Prisma.TransactionClient) => Promise<{ result: T; facts: readonly AuditFact[] }>,
  before: (tx: Prisma.TransactionClient) => Promise<void> = async () => {},
): Promise<T> {
  return prisma.$transaction(async (tx) => {
    await before(tx);
    await lockAccount(tx, accountId);
    const { result, facts } = await work(tx);
    await append(tx, accountId, facts);
    return result;
  });
}

/** Appends entries inside a transaction of the caller's that does more than this; otherwise use `audited`. */
export async function auditIn(
  tx: Prisma.TransactionClient,
  accountId: string,
  facts: readonly AuditFact[],
): Promise<void> {
  await lockAccount(tx, accountId);
  await append(tx, accountId, facts);
}

/** What a verification found; `fault` is the first entry that does not follow from those before it. */
export type AuditVerdict = {
  entries: number;
  lastHash: string | null;
  fault: { position: number; reason: 'OUT_OF_PLACE' | 'CHANGED' } | null;
};

/**
 * Computes an account's chain anew (security §4.9). It finds changed, removed and inserted entries; that the newest
 * ones were cut off shows only against a `lastHash` kept elsewhere.
 */
export async function verifyAudit(
  db: Prisma.TransactionClient,
  accountId: string,
): Promise<AuditVerdict> {
  let entries = 0;
  let previous = CHAIN_START;
  for (;;) {
    const after = entries === 0 ? BEFORE_ALL : BigInt(entries);
    const page = await db.auditEntry.findMany({
      where: { accountId, position: { gt: after } },
      orderBy: { position: 'asc' },
      take: VERIFY_PAGE,
    });
    for (const entry of page) {
      const position = entries + 1;
      const reason =
        entry.position !== BigInt(position)
          ? 'OUT_OF_PLACE'
          : entry.previous !== previous || entry.hash !== chainHash(entry)
            ? 'CHANGED'
            : null;
      const lastHash = entries === 0 ? null : previous;
      if (reason !== null) return { entries, lastHash, fault: { position, reason } };
      entries = position;
      previous = entry.hash;
    }
    if (page.length < VERIFY_PAGE) {
      return { entries, lastHash: entries === 0 ? null : previous, fault: null };
    }
  }
}
