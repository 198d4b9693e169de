import { createHash } from 'node:crypto';
import { z } from 'zod';
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

/** What stands before the first entry that an account ever had. */
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

/** The action of an entry that says up to which one the chain is kept no longer. */
export const LET_GO = 'audit.let_go';

/** Where a chain begins: the place before its first entry that is kept, and the hash of the entry there. */
export type ChainBeginning = { position: number; hash: string };

const beginning = z.object({ position: z.int().positive(), hash: z.string() });

/** Where an account's chain begins, by the newest of its entries that says so; those before that are let go of. */
export async function chainBeginning(
  db: Prisma.TransactionClient,
  accountId: string,
): Promise<ChainBeginning> {
  const entry = await db.auditEntry.findFirst({
    where: { accountId, action: LET_GO },
    orderBy: { position: 'desc' },
    select: { details: true },
  });
  return entry === null ? { position: 0, hash: CHAIN_START } : beginning.parse(entry.details);
}

/**
 * What a verification found: how many entries it computed, and the place before them; `fault` is the first entry that does
 * not follow from those before it.
 */
export type AuditVerdict = {
  entries: number;
  /** How many entries of before are kept no longer. */
  letGo: number;
  lastHash: string | null;
  fault: { position: number; reason: 'OUT_OF_PLACE' | 'CHANGED' } | null;
};

/**
 * Computes an account's chain anew (security §4.9), up to a place where one is given. It finds changed, removed and inserted
 * entries; that the newest ones were cut off shows only against a `lastHash` kept elsewhere. Where old entries are let go of,
 * it begins after them: which they were is said by an entry of the chain, so it cannot be changed unseen either.
 */
export async function verifyAudit(
  db: Prisma.TransactionClient,
  accountId: string,
  until: number | null = null,
): Promise<AuditVerdict> {
  for (;;) {
    const from = await chainBeginning(db, accountId);
    const verdict = await verifyAfter(db, accountId, { from, until });
    if (verdict.fault === null) return verdict;
    const now = await chainBeginning(db, accountId);
    // Entries were let go of while they were read.
    if (now.position <= from.position) return verdict;
  }
}

async function verifyAfter(
  db: Prisma.TransactionClient,
  accountId: string,
  { from, until }: { from: ChainBeginning; until: number | null },
): Promise<AuditVerdict> {
  const letGo = from.position;
  let position = letGo;
  let previous = from.hash;
  const found = (fault: AuditVerdict['fault']): AuditVerdict => {
    const entries = position - letGo;
    return { entries, letGo, lastHash: entries === 0 ? null : previous, fault };
  };
  for (;;) {
    const after = position === 0 ? BEFORE_ALL : BigInt(position);
    const before = until === null ? {} : { lte: BigInt(until) };
    const page = await db.auditEntry.findMany({
      where: { accountId, position: { gt: after, ...before } },
      orderBy: { position: 'asc' },
      take: VERIFY_PAGE,
    });
    for (const entry of page) {
      const next = position + 1;
      const reason =
        entry.position !== BigInt(next)
          ? 'OUT_OF_PLACE'
          : entry.previous !== previous || entry.hash !== chainHash(entry)
            ? 'CHANGED'
            : null;
      if (reason !== null) return found({ position: next, reason });
      position = next;
      previous = entry.hash;
    }
    if (page.length < VERIFY_PAGE) return found(null);
  }
}
