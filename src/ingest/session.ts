import type { Clock } from '../base/clock.ts';
import { MINUTE_MS } from '../base/units.ts';
import type { Vault } from '../base/vault.ts';
import { makerIdentity } from '../maker/identity.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { readTokens, type StoredTokens, storeTokens } from '../store/maker-accounts.ts';

/** A token with less than this left is renewed before it is used (maker.md §1.2, rule e). */
const RENEW_BEFORE_MS = 10 * MINUTE_MS;

/** Where a maker's accounts sign in. */
export type TokenEndpoint = { tokenUrl: string; clientId: string };

/** Gives a linked account's access token, renewing it when it is due; one renewal at a time. */
export type MakerSession = {
  /** Null where only a new login helps; throws where the token endpoint did not answer. */
  accessToken: () => Promise<string | null>;
  /** Makes the next call renew, because the maker refused the token it was given. */
  refused: () => void;
};

type SessionParts = {
  prisma: PrismaClient;
  vault: Vault;
  clock: Clock;
  endpoint: TokenEndpoint;
  signal: AbortSignal;
};

export function makerSession(makerAccountId: string, parts: SessionParts): MakerSession {
  let inFlight: Promise<string | null> | null = null;
  let known: StoredTokens | null = null;
  let refusedToken: string | null = null;
  const isGood = (tokens: StoredTokens) =>
    tokens.accessToken !== refusedToken && tokens.expiresAt - parts.clock() > RENEW_BEFORE_MS;
  const current = async (): Promise<string | null> => {
    // In memory first: the vehicle is followed on while the database is away.
    if (known !== null && isGood(known)) return known.accessToken;
    // Another process may have renewed the pair.
    known = await readTokens(parts.prisma, parts.vault, makerAccountId);
    if (known === null || isGood(known)) return known?.accessToken ?? null;
    known = await renew(makerAccountId, known, parts);
    return known?.accessToken ?? null;
  };
  return {
    accessToken: () => {
      inFlight ??= current().finally(() => {
        inFlight = null;
      });
      return inFlight;
    },
    refused: () => {
      refusedToken = known?.accessToken ?? null;
    },
  };
}

async function renew(
  makerAccountId: string,
  tokens: StoredTokens,
  parts: SessionParts,
): Promise<StoredTokens | null> {
  const { prisma, vault, clock, endpoint, signal } = parts;
  const outcome = await makerIdentity({ ...endpoint, clock, signal }).refresh(tokens.refreshToken);
  if (outcome.kind === 'ok') {
    const { accessToken, refreshToken, expiresAt } = outcome.tokens;
    const next = { accessToken, refreshToken: refreshToken ?? tokens.refreshToken, expiresAt };
    await storeTokens(prisma, vault, makerAccountId, next, tokens, clock());
    return next;
  }
  if (outcome.kind === 'reauth') {
    await prisma.makerAccount.update({
      where: { id: makerAccountId },
      data: {
        status: 'NEEDS_REAUTH',
        lastErrorCode: outcome.reason,
        lastErrorAt: new Date(clock()),
      },
    });
    return null;
  }
  // Whether the refresh token is spent is not known: the account keeps its status and the next call tries again.
  throw new Error(
    `The maker's token endpoint did not renew the token: ${outcome.kind}, ${outcome.reason}.`,
  );
}
