import { ServiceError } from '../base/errors.ts';
import type { Vault } from '../base/vault.ts';
import type {
  MakerAccountStatus,
  Prisma,
  PrismaClient,
  Region,
} from './generated/prisma/client.ts';

/** A linked account's tokens in the clear; they live in memory only. Times are epoch milliseconds. */
export type StoredTokens = { accessToken: string; refreshToken: string; expiresAt: number };

/** All that is stored of an account's tokens. */
export type HeldTokens = {
  current: StoredTokens;
  /** The pair before it, for one more try where the maker refuses the current one. */
  previous: StoredTokens | null;
  /** Number of the pair; a renewal stores only over the one that it started from. */
  generation: number;
  /** Epoch milliseconds. */
  renewedAt: number;
};

type Column = 'access_token' | 'refresh_token' | 'previous_tokens';

/** Statuses in which tokens are used. */
const usable: readonly MakerAccountStatus[] = ['ACTIVE', 'REFRESHING', 'MISSING_SCOPES', 'ERROR'];

function placeOf(id: string, column: Column): string {
  return `maker_account:${id}:${column}`;
}

/** The account's tokens; null where it has none, is gone, or only a new sign-in helps. */
export async function readTokens(
  prisma: Prisma.TransactionClient,
  vault: Vault,
  id: string,
): Promise<HeldTokens | null> {
  const row = await prisma.makerAccount.findUnique({ where: { id } });
  if (row === null || row.accessToken === null || row.refreshToken === null) return null;
  if (!usable.includes(row.status)) return null;
  return {
    current: {
      accessToken: vault.open(row.accessToken, placeOf(id, 'access_token')),
      refreshToken: vault.open(row.refreshToken, placeOf(id, 'refresh_token')),
      expiresAt: row.accessExpiresAt?.getTime() ?? 0,
    },
    previous: previousOf(row.previousTokens, vault, id),
    generation: row.tokenGeneration,
    renewedAt: row.lastRefreshedAt?.getTime() ?? 0,
  };
}

function previousOf(sealed: string | null, vault: Vault, id: string): StoredTokens | null {
  if (sealed === null) return null;
  const pair: unknown = JSON.parse(vault.open(sealed, placeOf(id, 'previous_tokens')));
  if (typeof pair !== 'object' || pair === null) return null;
  const { accessToken, refreshToken, expiresAt }: Partial<StoredTokens> = pair;
  if (typeof accessToken !== 'string' || typeof refreshToken !== 'string') return null;
  return { accessToken, refreshToken, expiresAt: expiresAt ?? 0 };
}

/** The columns that hold a pair and the one before it, encrypted for the account `id`. */
export function tokenColumns(
  vault: Vault,
  id: string,
  pair: { tokens: StoredTokens; previous: StoredTokens | null; at: number },
) {
  const { tokens, previous, at } = pair;
  return {
    accessToken: vault.seal(tokens.accessToken, placeOf(id, 'access_token')),
    refreshToken: vault.seal(tokens.refreshToken, placeOf(id, 'refresh_token')),
    previousTokens:
      previous === null
        ? null
        : vault.seal(JSON.stringify(previous), placeOf(id, 'previous_tokens')),
    accessExpiresAt: new Date(tokens.expiresAt),
    lastRefreshedAt: new Date(at),
    lastErrorCode: null,
    lastErrorAt: null,
    renewalId: null,
    renewalUntil: null,
  };
}

/** Stores a pair that came by a sign-in: it replaces whatever was there, and a renewal under way stores nothing any more. */
export async function storeTokens(
  prisma: Prisma.TransactionClient,
  vault: Vault,
  id: string,
  tokens: StoredTokens,
  previous: StoredTokens | null,
  at: number,
): Promise<void> {
  await prisma.makerAccount.update({
    where: { id },
    data: {
      ...tokenColumns(vault, id, { tokens, previous, at }),
      tokenGeneration: { increment: 1 },
      status: 'ACTIVE',
    },
  });
}

/** A claim on renewing an account's tokens; `leaseMs` is how long it holds without being taken again. */
export type RenewalClaim = { renewalId: string; generation: number; leaseMs: number };

/**
 * Takes or prolongs the right to renew an account's tokens; false where somebody else has it, or the pair has changed.
 *
 * A row and not a lock of the database: it has to outlast the call to the maker without holding a connection, of which
 * the embedded database has one. It ends by the database's clock, so that the clocks of two machines do not matter.
 */
export async function takeRenewal(
  prisma: PrismaClient,
  id: string,
  { renewalId, generation, leaseMs }: RenewalClaim,
): Promise<boolean> {
  const taken = await prisma.$executeRaw`
    UPDATE maker_account
    SET renewal_id = ${renewalId}::uuid,
        renewal_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    WHERE id = ${id}::uuid AND token_generation = ${generation}
      AND (renewal_id IS NULL OR renewal_id = ${renewalId}::uuid OR renewal_until <= clock_timestamp())`;
  return taken === 1;
}

/** Gives the right back, where it is still held. */
export async function releaseRenewal(
  prisma: PrismaClient,
  id: string,
  { renewalId }: RenewalClaim,
): Promise<void> {
  await prisma.makerAccount.updateMany({
    where: { id, renewalId },
    data: { renewalId: null, renewalUntil: null },
  });
}

/** Notes why an account's tokens could not be renewed; nothing where the account is gone. */
export async function noteFailure(
  prisma: PrismaClient,
  id: string,
  failure: { code: string; at: number },
): Promise<void> {
  await prisma.makerAccount.updateMany({
    where: { id },
    data: { lastErrorCode: failure.code, lastErrorAt: new Date(failure.at) },
  });
}

/** Owner of a maker account, or null where it is gone. */
export async function ownerOf(prisma: PrismaClient, id: string): Promise<string | null> {
  const row = await prisma.makerAccount.findUnique({ where: { id }, select: { accountId: true } });
  return row?.accountId ?? null;
}

/** One of the account's own maker accounts. Throws `not_found` for a missing one and for somebody else's. */
export async function ownMakerAccount(
  prisma: Prisma.TransactionClient,
  accountId: string,
  id: string | null,
) {
  const row =
    id === null ? null : await prisma.makerAccount.findFirst({ where: { id, accountId } });
  if (row === null) throw new ServiceError('not_found', 'No maker account is found here.');
  return row;
}

/** Where an account lives at its maker; a null region leaves the one that is known. */
export type MakerHome = { baseUrl: string; region: Region | null };

/** Remembers where the maker has moved an account to; the next start asks there at once (maker.md §1.1). */
export async function moveMakerAccount(
  prisma: Prisma.TransactionClient,
  id: string,
  { baseUrl, region }: MakerHome,
): Promise<void> {
  await prisma.makerAccount.updateMany({
    where: { id },
    data: region === null ? { baseUrl } : { baseUrl, region },
  });
}
