import { Webhook as Verifier } from 'standardwebhooks';
import { vi } from 'vitest';
import type { WebhookCall } from '../../src/actions/webhook-change.ts';
import { createWebhook, type WebhookWithSecret } from '../../src/actions/webhook-changes.ts';
import { openWebhookDesk, type WebhookDesk } from '../../src/actions/webhook-desk.ts';
import type { WebhookParts } from '../../src/actions/webhook-parts.ts';
import type { WebhookWish } from '../../src/actions/webhook-request.ts';
import type { LocationPrecision, Principal } from '../../src/auth/principal.ts';
import { networksOf } from '../../src/base/address-range.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { systemResolve } from '../../src/base/name-lookup.ts';
import { vaultOf } from '../../src/base/vault.ts';
import { type Scope, scopes } from '../../src/contract/scopes.ts';
import type { Database } from '../../src/store/client.ts';
import type { Account, PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { insertToken } from '../../src/store/tokens.ts';
import { now } from '../support/rows.ts';
import type { Received } from './receiver.ts';

/** A clock that stands until it is moved. */
export type MovedClock = Clock & { at: number };

/** A clock that stands at the present of tests. */
export function standingClock(): MovedClock {
  const clock: MovedClock = Object.assign(() => clock.at, { at: now });
  return clock;
}

/** A desk that calls this machine, draws no luck, and looks by itself only after commits. */
export function aDesk(
  db: Pick<Database, 'prisma' | 'onEvents'>,
  clock: Clock,
  parts: Partial<WebhookParts> = {},
): WebhookDesk {
  return openWebhookDesk({
    prisma: db.prisma,
    onEvents: db.onEvents,
    vault: vaultOf(Buffer.alloc(32, 7)),
    clock,
    log: silentLog,
    policy: { allowed: networksOf(['127.0.0.1']), resolve: systemResolve },
    keepDays: 30,
    random: () => 0,
    ...parts,
    pace: { poll: 3_600_000, ...parts.pace },
  });
}

/** Who calls with a token that is really stored. */
export async function aHolder(
  prisma: PrismaClient,
  account: Account,
  {
    held = scopes,
    vehicleIds = null,
    days = 365,
    at = now,
    locationPrecision = 'EXACT',
  }: {
    held?: readonly Scope[];
    vehicleIds?: string[] | null;
    days?: number;
    at?: number;
    locationPrecision?: LocationPrecision;
  } = {},
): Promise<Principal> {
  const id = newUuid();
  const expiresAt = at + days * 86_400_000;
  await insertToken(prisma, {
    ...{ id, accountId: account.id, name: 'hooks', hash: id, lastFour: 'abcd', scopes: held },
    ...{ vehicleIds, locationPrecision, commandGroups: null, createdAt: at, expiresAt },
  });
  return {
    accountId: account.id,
    vehicleIds,
    credential: { kind: 'TOKEN', id, name: 'hooks' },
    scopes: new Set(held),
    locationPrecision,
    commandGroups: null,
    expiresAt,
  };
}

/** A change of webhooks by a holder. */
export function callOf(
  prisma: PrismaClient,
  { desk, clock, principal }: { desk: WebhookDesk; clock: Clock; principal: Principal },
): WebhookCall {
  return { prisma, clock, desk, principal, requestId: 'req-test' };
}

/** A webhook that was made as callers make it, for the ends of drives unless the wish says otherwise. */
export function made(
  call: WebhookCall,
  url: string,
  wish: Partial<WebhookWish> = {},
): Promise<WebhookWithSecret> {
  const { types = ['drive.ended'] } = wish;
  return createWebhook(call, { ...wish, url, types });
}

/** The event that a call brings, when the signature is good at the time of `clock`; throws otherwise. */
export function verified(secret: string, { headers, body }: Received, clock: Clock): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: clock() });
  try {
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    return new Verifier(secret).verify(body, Object.fromEntries(texts));
  } finally {
    vi.useRealTimers();
  }
}
