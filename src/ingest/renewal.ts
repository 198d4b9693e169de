import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { newUuid } from '../base/ids.ts';
import { SECOND_MS } from '../base/units.ts';
import type { Vault } from '../base/vault.ts';
import { grantOf, REFRESH_LIFETIME_MS } from '../maker/grants.ts';
import { makerIdentity, type TokenOutcome, type Tokens } from '../maker/identity.ts';
import type { MakerAccountStatus, PrismaClient } from '../store/generated/prisma/client.ts';
import { changeMakerAccount } from '../store/maker-account-status.ts';
import {
  type HeldTokens,
  noteFailure,
  ownerOf,
  type RenewalClaim,
  readTokens,
  releaseRenewal,
  type StoredTokens,
  takeRenewal,
  tokenColumns,
} from '../store/maker-accounts.ts';

/** Where a maker's accounts sign in. */
export type TokenEndpoint = { tokenUrl: string; clientId: string };

/** Moments of a renewal at which a process may die: before the maker is asked, with its answer in hand, with the pair stored. */
export type RenewalPoint = 'claimed' | 'answered' | 'stored';

/** Time limits of a renewal [ms]; the claim outlasts one question, and is taken anew before each. */
export type RenewalTimes = { askMs: number; leaseMs: number; lookMs: number; patienceMs: number };

export type RenewalParts = {
  prisma: PrismaClient;
  vault: Vault;
  clock: Clock;
  endpoint: TokenEndpoint;
  signal: AbortSignal;
  times?: RenewalTimes;
  /** Called at each moment at which a process may die. */
  reached?: (point: RenewalPoint) => Promise<void>;
};

const usualTimes: RenewalTimes = {
  askMs: 10 * SECOND_MS,
  leaseMs: 15 * SECOND_MS,
  lookMs: 250,
  patienceMs: 60 * SECOND_MS,
};

/** The tokens could not be renewed now; they may be later, and the account keeps its status. */
export class RenewalError extends Error {
  /** The token endpoint's word, or ours for why it gave none. */
  readonly reason: string;
  readonly kind: 'unknown' | 'misconfigured' | 'busy';
  /** How long the endpoint asks to wait [ms], where it does. */
  readonly retryAfterMs: number | null;

  constructor(kind: RenewalError['kind'], reason: string, retryAfterMs: number | null = null) {
    super(`The maker's token endpoint did not renew the tokens: ${kind}, ${reason}.`);
    this.name = 'RenewalError';
    this.kind = kind;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Renews an account's tokens unless somebody else has made them good, which `isGood` says. Null where only a new sign-in
 * helps; throws RenewalError where the maker did not say. One process at a time asks the maker: the others wait for it.
 */
export async function renewTokens(
  id: string,
  isGood: (held: HeldTokens) => boolean,
  parts: RenewalParts,
): Promise<HeldTokens | null> {
  const { prisma, vault, signal, times = usualTimes } = parts;
  const renewalId = newUuid();
  const until = performance.now() + times.patienceMs;
  while (performance.now() < until) {
    const held = await readTokens(prisma, vault, id);
    if (held === null || isGood(held)) return held;
    const claim = { renewalId, generation: held.generation, leaseMs: times.leaseMs };
    if (await takeRenewal(prisma, id, claim)) return renewClaimed(id, held, claim, parts);
    await sleep(times.lookMs, undefined, { signal });
  }
  throw new RenewalError('busy', 'another process is renewing them');
}

async function renewClaimed(
  id: string,
  held: HeldTokens,
  claim: RenewalClaim,
  parts: RenewalParts,
): Promise<HeldTokens | null> {
  const { prisma, vault, clock, reached } = parts;
  try {
    await reached?.('claimed');
    const { outcome, used } = await askForPair(id, held, claim, parts);
    await reached?.('answered');
    if (outcome.kind === 'ok') await storePair(id, held, { ...outcome, used }, parts);
    else if (outcome.kind === 'reauth') await giveUp(id, held, outcome.reason, parts);
    else {
      await noteFailure(prisma, id, { code: outcome.reason, at: clock() });
      const waitMs = outcome.kind === 'unknown' ? outcome.retryAfterMs : null;
      throw new RenewalError(outcome.kind, outcome.reason, waitMs);
    }
    await reached?.('stored');
  } finally {
    await releaseRenewal(prisma, id, claim);
  }
  // Read and not remembered: a sign-in may have put another pair there meanwhile.
  return readTokens(prisma, vault, id);
}

/**
 * Asks with the current refresh token, once more where the answer did not come, and with the one before it where the
 * maker refuses the current one: of a pair whose answer was lost, the token that was sent is good for a while
 * (maker.md §1.2, rules c and d).
 */
async function askForPair(
  id: string,
  { current, previous }: HeldTokens,
  claim: RenewalClaim,
  parts: RenewalParts,
): Promise<{ outcome: TokenOutcome; used: StoredTokens }> {
  const { endpoint, clock, signal, times = usualTimes } = parts;
  // Without the signal: a question that is broken off costs the token that it carries.
  const identity = makerIdentity({ ...endpoint, clock, timeoutMs: times.askMs });
  const again = async (token: string) => {
    if (!(await takeRenewal(parts.prisma, id, claim))) {
      throw new RenewalError('busy', 'the claim was lost');
    }
    return identity.refresh(token);
  };
  let outcome = await identity.refresh(current.refreshToken);
  if (outcome.kind === 'unknown' && outcome.reason !== 'rate_limited' && !signal.aborted) {
    outcome = await again(current.refreshToken);
  }
  if (outcome.kind !== 'reauth' || previous === null) return { outcome, used: current };
  return { outcome: await again(previous.refreshToken), used: previous };
}

/**
 * What a link is once its tokens are renewed. New tokens do not undo what the maker or the person did meanwhile, and an
 * answer that names no scopes says nothing about those that were missing.
 */
function statusAfter(
  before: MakerAccountStatus,
  { scopes }: Tokens,
  enough: boolean,
): MakerAccountStatus {
  if (before === 'LOCKED' || before === 'REVOKED') return before;
  if (scopes === null) return before === 'MISSING_SCOPES' ? before : 'ACTIVE';
  return enough ? 'ACTIVE' : 'MISSING_SCOPES';
}

/** Stores the new pair over the one that the renewal started from; nothing where a sign-in replaced that. */
async function storePair(
  id: string,
  held: HeldTokens,
  { tokens, used }: { tokens: Tokens; used: StoredTokens },
  { prisma, vault, clock }: RenewalParts,
): Promise<void> {
  const at = clock();
  const accountId = await ownerOf(prisma, id);
  if (accountId === null) return;
  const { accessToken, expiresAt } = tokens;
  const next = { accessToken, refreshToken: tokens.refreshToken ?? used.refreshToken, expiresAt };
  const { enough, ...scopes } = grantOf(tokens.scopes);
  await changeMakerAccount(
    prisma,
    { id, accountId, where: { tokenGeneration: held.generation } },
    {
      ...tokenColumns(vault, id, { tokens: next, previous: used, at }),
      tokenGeneration: held.generation + 1,
      refreshExpiresAt: new Date(at + REFRESH_LIFETIME_MS),
      ...(tokens.scopes === null ? {} : scopes),
    },
    (before) => {
      const status = statusAfter(before.status, tokens, enough);
      return { status, reason: status === 'MISSING_SCOPES' ? 'missing_scopes' : null, at };
    },
  );
}

/** Both tokens are dead: the link waits for the person, unless somebody stored another pair meanwhile. */
async function giveUp(
  id: string,
  held: HeldTokens,
  reason: string,
  { prisma, clock }: RenewalParts,
): Promise<void> {
  const at = clock();
  const accountId = await ownerOf(prisma, id);
  if (accountId === null) return;
  await changeMakerAccount(
    prisma,
    { id, accountId, where: { tokenGeneration: held.generation } },
    { lastErrorCode: reason, lastErrorAt: new Date(at) },
    ({ status }) => ({ status: status === 'LOCKED' ? status : 'NEEDS_REAUTH', reason, at }),
  );
}
