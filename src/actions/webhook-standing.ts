import type { Principal } from '../auth/principal.ts';
import { standingOf } from '../auth/standing.ts';
import { type EventType, isEventType } from '../contract/events.ts';
import { type WebhookReason, webhookReasons } from '../contract/webhooks.ts';
import { lockAccount } from '../store/audit.ts';
import type { Prisma, PrismaClient, Webhook } from '../store/generated/prisma/client.ts';
import { changeStatus } from '../store/webhooks.ts';
import { mayHear, mayHearType } from './hearing.ts';

/** What a webhook may be told of: types that its credential may hear, of vehicles that the credential may see and it is for. */
export type Hearing = (type: EventType, vehicleId: string | null) => boolean;

function hearingOf(webhook: Pick<Webhook, 'vehicleIds'>, principal: Principal): Hearing {
  const { vehicleIds } = webhook;
  const isChosen = (vehicleId: string | null) =>
    vehicleIds.length === 0 || (vehicleId !== null && vehicleIds.includes(vehicleId));
  return (type, vehicleId) =>
    isChosen(vehicleId) && mayHear(principal, { vehicleId }) && mayHearType(principal, 'api', type);
}

/**
 * What a webhook may be told at `now` (epoch ms), by the credential behind it as it is now; or why it may be told nothing
 * at all (contract §20).
 */
export async function webhookStanding(
  prisma: PrismaClient,
  webhook: Webhook,
  now: number,
): Promise<{ hears: Hearing; lost: null } | { hears: null; lost: WebhookReason }> {
  const { credentialKind: kind, credentialId: id, types } = webhook;
  const { principal, lost } = await standingOf(prisma, { kind, id }, now);
  if (lost !== null) return { hears: null, lost };
  const hearsAny = types.some((type) => isEventType(type) && mayHearType(principal, 'api', type));
  if (!hearsAny) return { hears: null, lost: 'scope_lost' };
  return { hears: hearingOf(webhook, principal), lost: null };
}

/** Stops calling a webhook for a reason, and tells; false where it was stopped before. Call it under the account's row. */
export function stopIn(
  tx: Prisma.TransactionClient,
  webhook: Pick<Webhook, 'id' | 'accountId'>,
  { reason, at }: { reason: WebhookReason; at: number },
): Promise<boolean> {
  return changeStatus(tx, webhook, { status: webhookReasons[reason].status, reason, at });
}

/** The same in a transaction of its own. */
export function stopWebhook(
  prisma: PrismaClient,
  webhook: Pick<Webhook, 'id' | 'accountId'>,
  why: { reason: WebhookReason; at: number },
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    await lockAccount(tx, webhook.accountId);
    return stopIn(tx, webhook, why);
  });
}
