import { MINUTE_MS } from '../base/units.ts';
import { type HeldTokens, readTokens } from '../store/maker-accounts.ts';
import { RenewalError, type RenewalParts, renewTokens } from './renewal.ts';

/** A token with less than this left is renewed before it is used (maker.md §1.2, rule e). */
const RENEW_BEFORE_MS = 10 * MINUTE_MS;

/** A token that is newer than this is not renewed for being refused: the next one would be refused as well. */
const RENEW_REFUSED_AFTER_MS = 5 * MINUTE_MS;

/** Pause after a renewal that failed while the token at hand is still good. */
const RETRY_MS = MINUTE_MS;

/** Gives a linked account's access token, renewing it when it is due; one renewal at a time over all processes. */
export type MakerSession = {
  /** Null where only a new sign-in helps; throws RenewalError where the token endpoint did not say. */
  accessToken: () => Promise<string | null>;
  /** Makes the next call renew, because the maker refused the token it was given. */
  refused: () => void;
  /** Renews now, whether or not it is due; false where only a new sign-in helps. Throws RenewalError. */
  renew: () => Promise<boolean>;
  /** Takes tokens from the database at the next call, because they were replaced there. */
  forget: () => void;
};

/** A session of the maker account with this stored id. */
export function makerSession(makerAccountId: string, parts: RenewalParts): MakerSession {
  const { clock } = parts;
  let inFlight: Promise<string | null> | null = null;
  let known: HeldTokens | null = null;
  let refusedToken: string | null = null;
  let notBefore = 0;
  const isRefused = ({ current, renewedAt }: HeldTokens) =>
    current.accessToken === refusedToken && clock() - renewedAt >= RENEW_REFUSED_AFTER_MS;
  const leftMs = ({ current }: HeldTokens) => current.expiresAt - clock();
  const isGood = (held: HeldTokens) => !isRefused(held) && leftMs(held) > RENEW_BEFORE_MS;
  const isUsable = (held: HeldTokens | null) =>
    held !== null && !isRefused(held) && leftMs(held) > 0 && clock() < notBefore;

  const current = async (): Promise<string | null> => {
    // In memory first: the vehicle is followed on while the database is away.
    if (known !== null && (isGood(known) || isUsable(known))) return known.current.accessToken;
    try {
      known = await renewTokens(makerAccountId, isGood, parts);
    } catch (error) {
      if (!(error instanceof RenewalError)) throw error;
      notBefore = clock() + Math.max(RETRY_MS, error.retryAfterMs ?? 0);
      known ??= await readTokens(parts.prisma, parts.vault, makerAccountId);
      if (!isUsable(known)) throw error;
    }
    return known?.current.accessToken ?? null;
  };
  return {
    accessToken: () => {
      inFlight ??= current().finally(() => {
        inFlight = null;
      });
      return inFlight;
    },
    refused: () => {
      refusedToken = known?.current.accessToken ?? null;
    },
    renew: async () => {
      // What the call finds is what it replaces; a pair that came meanwhile is as new as was wished.
      let before: number | null = null;
      known = await renewTokens(
        makerAccountId,
        ({ generation }) => {
          before ??= generation;
          return generation !== before;
        },
        parts,
      );
      return known !== null;
    },
    forget: () => {
      known = null;
      refusedToken = null;
      notBefore = 0;
    },
  };
}
