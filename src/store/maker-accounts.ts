import type { Vault } from '../base/vault.ts';
import type { PrismaClient } from './generated/prisma/client.ts';

/** A linked account's tokens in the clear; they live in memory only. Times are epoch milliseconds. */
export type StoredTokens = { accessToken: string; refreshToken: string; expiresAt: number };

type Column = 'access_token' | 'refresh_token' | 'previous_tokens';

function placeOf(id: string, column: Column): string {
  return `maker_account:${id}:${column}`;
}

/** The account's tokens, or null where it has none. */
export async function readTokens(
  prisma: PrismaClient,
  vault: Vault,
  id: string,
): Promise<StoredTokens | null> {
  const row = await prisma.makerAccount.findUnique({
    where: { id },
    select: { accessToken: true, refreshToken: true, accessExpiresAt: true },
  });
  if (row === null || row.accessToken === null || row.refreshToken === null) return null;
  return {
    accessToken: vault.open(row.accessToken, placeOf(id, 'access_token')),
    refreshToken: vault.open(row.refreshToken, placeOf(id, 'refresh_token')),
    expiresAt: row.accessExpiresAt?.getTime() ?? 0,
  };
}

/**
 * Stores a new pair and keeps the one before it for a retry; to be awaited before the new access token is used, because
 * the old refresh token is spent (maker.md §1.2, rule b).
 */
export async function storeTokens(
  prisma: PrismaClient,
  vault: Vault,
  id: string,
  tokens: StoredTokens,
  previous: StoredTokens | null,
  at: number,
): Promise<void> {
  await prisma.makerAccount.update({
    where: { id },
    data: {
      accessToken: vault.seal(tokens.accessToken, placeOf(id, 'access_token')),
      refreshToken: vault.seal(tokens.refreshToken, placeOf(id, 'refresh_token')),
      previousTokens:
        previous === null
          ? null
          : vault.seal(JSON.stringify(previous), placeOf(id, 'previous_tokens')),
      accessExpiresAt: new Date(tokens.expiresAt),
      lastRefreshedAt: new Date(at),
      status: 'ACTIVE',
      lastErrorCode: null,
    },
  });
}
