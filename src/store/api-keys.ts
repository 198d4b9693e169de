import { MINUTE_MS } from '../base/units.ts';
import type { ApiKey, Prisma } from './generated/prisma/client.ts';

/** What is stored of a new API key; instants in epoch ms. */
export type NewApiKey = {
  id: string;
  accountId: string;
  hash: string;
  lastFour: string;
  controls: boolean;
  createdAt: number;
  expiresAt: number;
};

/** The API key with a hash, also when it is revoked or over, or null. */
export function apiKeyByHash(db: Prisma.TransactionClient, hash: string): Promise<ApiKey | null> {
  return db.apiKey.findUnique({ where: { hash } });
}

/** The API key with an id in an account, or in any account when that is null. */
export function apiKeyById(
  db: Prisma.TransactionClient,
  id: string,
  accountId: string | null,
): Promise<ApiKey | null> {
  return db.apiKey.findFirst({ where: { id, ...(accountId === null ? {} : { accountId }) } });
}

/** Stores an API key; throws when the account does not exist. */
export function insertApiKey(db: Prisma.TransactionClient, key: NewApiKey): Promise<ApiKey> {
  return db.apiKey.create({
    data: { ...key, createdAt: new Date(key.createdAt), expiresAt: new Date(key.expiresAt) },
  });
}

/** Revokes an API key at `at` (epoch ms), unless it was before; true when it did. */
export async function endApiKey(
  db: Prisma.TransactionClient,
  id: string,
  at: number,
): Promise<boolean> {
  const ended = await db.apiKey.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: new Date(at) },
  });
  return ended.count > 0;
}

/** Notes that an API key was used at `at` (epoch ms); at most once a minute. */
export async function noteApiKeyUse(
  db: Prisma.TransactionClient,
  id: string,
  at: number,
): Promise<void> {
  await db.apiKey.updateMany({
    where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: new Date(at - MINUTE_MS) } }] },
    data: { lastUsedAt: new Date(at) },
  });
}
