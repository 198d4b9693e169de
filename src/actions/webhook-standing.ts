import type { Principal } from '../auth/principal.ts';
import { standingOf } from '../auth/standing.ts';
import { type EventType, isEventType } from '../contract/events.ts';
import { type WebhookReason, webhookReasons } from '../contract/webhooks.ts';
import { lockAccount } from '../store/audit.ts';
import type { Prisma, PrismaClient, Webhook } from '../store/generated/prisma/client.ts';
import { visibleVehicles } from '../store/visible.ts';
import { changeStatus } from '../store/webhooks.ts';
import { isToldExactly, mayHear, mayHearType } from './hearing.ts';

/** What a webhook may be told of: types that its credential may hear, of vehicles that the credential may see and it is for. */
export type Hearing = (type: EventType, vehicleId: string | null) => boolean;

async function hearingOf(
  prisma: Prisma.TransactionClient,
  { vehicleIds, types }: Webhook,
  principal: Principal,
): Promise<Hearing> {
  const isChosen = (vehicleId: string | null) =>
    vehicleIds.length === 0 || (vehicleId !== null && vehicleIds.includes(vehicleId));
  const exact = types.some((type) => isEventType(type) && isToldExactly(type))
    ? await seenExactly(prisma, principal)
    : new Set();
  return (type, vehicleId) =>
    isChosen(vehicleId) &&
    mayHear(principal, { vehicleId }) &&
    mayHearType(principal, 'api', type) &&
    (!isToldExactly(type) || exact.has(vehicleId));
}

/** Ids of the vehicles whose position a credential sees exactly. */
async function seenExactly(
  prisma: Prisma.TransactionClient,
  principal: Principal,
): Promise<ReadonlySet<string | null>> {
  if (principal.locationPrecision !== 'EXACT') return new Set();
  const rows = await prisma.vehicle.findMany({
    where: { ...visibleVehicles(principal), locationPrecision: 'EXACT' },
    select: { id: true },
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * What a webhook may be told at `now` (epoch ms), by the credential behind it as it is now; or why it may be told nothing
 * at all (contract §20).
 */
export async function webhookStanding(
  prisma: Prisma.TransactionClient,
  webhook: Webhook,
  now: number,
): Promise<{ hears: Hearing; lost: null } | { hears: null; lost: WebhookReason }> {
  const { credentialKind: kind, credentialId: id, types } = webhook;
  const { principal, lost } = await standingOf(prisma, { kind, id }, now);
  if (lost !== null) return { hears: null, lost };
  const hearsAny = types.some((type) => isEventType(type) && mayHearType(principal, 'api', type));
  if (!hearsAny) return { hears: null, lost: 'scope_lost' };
  return { hears: await hearingOf(prisma, webhook, principal), lost: null };
}

/**
 * Whether a webhook is still the one that was looked at. Whoever changed where it goes, what it tells or who vouches for
 * it, or had it called again, began anew. Call it under the account's row.
 */
export async function isUnchanged(
  tx: Prisma.TransactionClient,
  { id, ...seen }: Webhook,
): Promise<boolean> {
  const now = await tx.webhook.findUnique({ where: { id } });
  return (
    now !== null &&
    now.url === seen.url &&
    now.secret === seen.secret &&
    now.credentialKind === seen.credentialKind &&
    now.credentialId === seen.credentialId &&
    now.types.join() === seen.types.join() &&
    (now.status !== 'ACTIVE' || now.statusChangedAt.getTime() === seen.statusChangedAt.getTime())
  );
}

/**
 * Stops calling a webhook for a reason, and tells; false where it was stopped before, or changed since it was read. Call it
 * under the account's row.
 */
export async function stopIn(
  tx: Prisma.TransactionClient,
  webhook: Webhook,
  { reason, at }: { reason: WebhookReason; at: number },
): Promise<boolean> {
  if (!(await isUnchanged(tx, webhook))) return false;
  return changeStatus(tx, webhook, { status: webhookReasons[reason].status, reason, at });
}

/** The same in a transaction of its own. */
export function stopWebhook(
  prisma: PrismaClient,
  webhook: Webhook,
  why: { reason: WebhookReason; at: number },
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    await lockAccount(tx, webhook.accountId);
    return stopIn(tx, webhook, why);
  });
}
