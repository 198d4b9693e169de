import { MINUTE_MS } from '../base/units.ts';
import type { IngestToken, Prisma } from './generated/prisma/client.ts';

/** What is stored of a new ingest token; instants in epoch ms. */
export type NewIngestToken = {
  id: string;
  accountId: string;
  name: string;
  hash: string;
  lastFour: string;
  createdAt: number;
  expiresAt: number;
};

/** The ingest token with a hash, also when it is revoked or over, or null. */
export function ingestTokenByHash(
  db: Prisma.TransactionClient,
  hash: string,
): Promise<IngestToken | null> {
  return db.ingestToken.findUnique({ where: { hash } });
}

/** The ingest token with an id, or null. */
export function ingestTokenById(
  db: Prisma.TransactionClient,
  id: string,
): Promise<IngestToken | null> {
  return db.ingestToken.findUnique({ where: { id } });
}

/** The instance's ingest tokens, newest first, at most `limit`; those that were revoked only when asked for. */
export function ingestTokens(
  db: Prisma.TransactionClient,
  page: { revoked: boolean; limit: number },
): Promise<IngestToken[]> {
  return db.ingestToken.findMany({
    where: page.revoked ? {} : { revokedAt: null },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: page.limit,
  });
}

/** Stores an ingest token; throws when the account does not exist. */
export function insertIngestToken(
  db: Prisma.TransactionClient,
  token: NewIngestToken,
): Promise<IngestToken> {
  return db.ingestToken.create({
    data: { ...token, createdAt: new Date(token.createdAt), expiresAt: new Date(token.expiresAt) },
  });
}

/** Revokes an ingest token at `at` (epoch ms), unless it was before; true when it did. */
export async function endIngestToken(
  db: Prisma.TransactionClient,
  id: string,
  at: number,
): Promise<boolean> {
  const ended = await db.ingestToken.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: new Date(at) },
  });
  return ended.count > 0;
}

/** Notes that an ingest token was used at `at` (epoch ms) from an address; at most once a minute (security §1.5). */
export async function noteIngestTokenUse(
  db: Prisma.TransactionClient,
  id: string,
  use: { at: number; ip: string | null },
): Promise<void> {
  await db.ingestToken.updateMany({
    where: {
      id,
      OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: new Date(use.at - MINUTE_MS) } }],
    },
    data: { lastUsedAt: new Date(use.at), lastIp: use.ip },
  });
}
