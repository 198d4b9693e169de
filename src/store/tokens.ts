import { MINUTE_MS } from '../base/units.ts';
import type { Prisma, Token } from './generated/prisma/client.ts';

/** What is stored of a new token; instants in epoch ms. */
export type NewToken = {
  id: string;
  accountId: string;
  name: string;
  hash: string;
  lastFour: string;
  scopes: readonly string[];
  /** Vehicles it is limited to, by stored id; null for all of the account. */
  vehicleIds: readonly string[] | null;
  locationPrecision: Token['locationPrecision'];
  /** Groups of commands it is limited to; null for all. */
  commandGroups: readonly string[] | null;
  createdAt: number;
  expiresAt: number;
};

/** The token with a hash, also when it is revoked or over, or null. */
export function tokenByHash(db: Prisma.TransactionClient, hash: string): Promise<Token | null> {
  return db.token.findUnique({ where: { hash } });
}

/** The token with an id in an account, or in any account when that is null. */
export function tokenById(
  db: Prisma.TransactionClient,
  id: string,
  accountId: string | null,
): Promise<Token | null> {
  return db.token.findFirst({ where: { id, ...(accountId === null ? {} : { accountId }) } });
}

/** An account's tokens, newest first, at most `limit`; those that were revoked only when asked for. */
export function tokensOf(
  db: Prisma.TransactionClient,
  accountId: string,
  page: { revoked: boolean; limit: number },
): Promise<Token[]> {
  return db.token.findMany({
    where: { accountId, ...(page.revoked ? {} : { revokedAt: null }) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: page.limit,
  });
}

/** An account's tokens of a name that were not revoked. */
export function tokensNamed(
  db: Prisma.TransactionClient,
  accountId: string,
  name: string,
): Promise<Token[]> {
  return db.token.findMany({ where: { accountId, name, revokedAt: null } });
}

/** Stores a token; throws when the account does not exist. */
export function insertToken(db: Prisma.TransactionClient, token: NewToken): Promise<Token> {
  // An empty list means every vehicle, so a limit that names none must never get here.
  if (token.commandGroups?.length === 0) throw new Error('A token of no group sends nothing.');
  if (token.vehicleIds?.length === 0) throw new Error('A token limited to no vehicle opens none.');
  return db.token.create({
    data: {
      ...token,
      scopes: [...token.scopes],
      vehicleIds: [...(token.vehicleIds ?? [])],
      commandGroups: [...(token.commandGroups ?? [])],
      createdAt: new Date(token.createdAt),
      expiresAt: new Date(token.expiresAt),
    },
  });
}

/** Revokes a token at `at` (epoch ms), unless it was before; true when it did. */
export async function endToken(
  db: Prisma.TransactionClient,
  id: string,
  at: number,
): Promise<boolean> {
  const ended = await db.token.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: new Date(at) },
  });
  return ended.count > 0;
}

/** Notes that a token was used at `at` (epoch ms) from an address; at most once a minute (security §1.5). */
export async function noteTokenUse(
  db: Prisma.TransactionClient,
  id: string,
  use: { at: number; ip: string | null },
): Promise<void> {
  await db.token.updateMany({
    where: {
      id,
      OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: new Date(use.at - MINUTE_MS) } }],
    },
    data: { lastUsedAt: new Date(use.at), lastIp: use.ip },
  });
}
