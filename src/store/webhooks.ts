import { ServiceError } from '../base/errors.ts';
import type { Vault } from '../base/vault.ts';
import type { Prisma, PrismaClient, Webhook, WebhookStatus } from './generated/prisma/client.ts';
import { writeAccountEvents } from './outbox.ts';

type SecretColumn = 'secret' | 'previous_secret';

/** A secret as it is stored for the webhook `id`. */
export function sealedSecret(
  vault: Vault,
  id: string,
  { secret, column }: { secret: string; column: SecretColumn },
): string {
  return vault.seal(secret, `webhook:${id}:${column}`);
}

/** The secrets that sign at `now` (epoch ms), the newest first. */
export function validSecrets(vault: Vault, webhook: Webhook, now: number): [string, ...string[]] {
  const { id, secret, previousSecret, previousSecretUntil } = webhook;
  const current = vault.open(secret, `webhook:${id}:secret`);
  const lasts = previousSecretUntil !== null && previousSecretUntil.getTime() > now;
  if (previousSecret === null || !lasts) return [current];
  return [current, vault.open(previousSecret, `webhook:${id}:previous_secret`)];
}

/** One of the account's own webhooks. Throws `not_found` for a missing one and for somebody else's. */
export async function ownWebhook(
  db: Prisma.TransactionClient,
  accountId: string,
  id: string | null,
): Promise<Webhook> {
  const row = id === null ? null : await db.webhook.findFirst({ where: { id, accountId } });
  if (row === null) throw new ServiceError('not_found', 'No webhook is found here.');
  return row;
}

/** What a webhook becomes, and why; `at` in epoch ms. */
export type WebhookChange = { status: WebhookStatus; reason: string | null; at: number };

/**
 * Changes whether a webhook is called and tells the outbox; false where it was so already, or is gone. Call it under the
 * account's row (`lockAccount`), and last in a transaction.
 */
export async function changeStatus(
  tx: Prisma.TransactionClient,
  { id, accountId }: Pick<Webhook, 'id' | 'accountId'>,
  { status, reason, at }: WebhookChange,
): Promise<boolean> {
  const before = await tx.webhook.findFirst({ where: { id, accountId } });
  if (before === null || before.status === status) return false;
  await tx.webhook.update({
    where: { id },
    data: { status, statusReason: reason, statusChangedAt: new Date(at) },
  });
  await writeAccountEvents(tx, accountId, [
    {
      type: 'webhook.status_changed',
      occurredAt: at,
      data: { webhookId: id, status, reason },
      previous: { status: before.status },
    },
  ]);
  return true;
}

/** A webhook with something to do: events to take from the outbox, or deliveries to send. */
export type BusyWebhook = { id: string; fresh: boolean };

/**
 * Webhooks that are called and have something to do at `now` (epoch ms), in any order, those that are `taken` left out.
 * What another process is sending is not due.
 */
export function busyWebhooks(
  prisma: PrismaClient,
  { now, taken, limit }: { now: number; taken: readonly string[]; limit: number },
): Promise<BusyWebhook[]> {
  return prisma.$queryRaw<BusyWebhook[]>`
    SELECT w.id, a.event_position > w.position AS fresh
    FROM webhook w JOIN account a ON a.id = w.account_id
    WHERE w.status = 'ACTIVE' AND w.id <> ALL (${[...taken]}::uuid[])
      AND (a.event_position > w.position OR EXISTS (
        SELECT 1 FROM webhook_delivery d
        WHERE d.webhook_id = w.id AND d.state = 'PENDING' AND d.due_at <= ${new Date(now)}
          AND (d.leased_until IS NULL OR d.leased_until <= clock_timestamp())))
    ORDER BY random() LIMIT ${limit}`;
}

/** Takes a webhook that is called, until the transaction ends; null where another process has it, or it is not called. */
export async function takeWebhook(
  tx: Prisma.TransactionClient,
  id: string,
): Promise<Webhook | null> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 AS taken FROM webhook WHERE id = ${id}::uuid AND status = 'ACTIVE'
    FOR UPDATE SKIP LOCKED`;
  return rows.length === 0 ? null : tx.webhook.findUnique({ where: { id } });
}
