import type { Prisma, PrismaClient, WebhookDelivery } from './generated/prisma/client.ts';

/** Who sends deliveries, and for how long without being asked again. */
export type Lease = { leaseId: string; leaseMs: number };

/** What a sender knows of a delivery that it took. */
export type TakenDelivery = Pick<
  WebhookDelivery,
  'id' | 'webhookId' | 'eventId' | 'type' | 'vehicleId' | 'body' | 'attempts' | 'failures'
>;

/**
 * Takes deliveries of a webhook that are due at `now` (epoch ms), those first that wait longest. Nobody else takes them
 * until the lease ends by the database's clock, so a sender that dies holds them up and loses none.
 */
export function takeDue(
  prisma: PrismaClient,
  webhookId: string,
  { leaseId, leaseMs, now, limit }: Lease & { now: number; limit: number },
): Promise<TakenDelivery[]> {
  return prisma.$queryRaw<TakenDelivery[]>`
    WITH due AS MATERIALIZED (
      SELECT id FROM webhook_delivery
      WHERE webhook_id = ${webhookId}::uuid AND state = 'PENDING' AND due_at <= ${new Date(now)}
        AND (leased_until IS NULL OR leased_until <= clock_timestamp())
      ORDER BY due_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE webhook_delivery d
    SET lease_id = ${leaseId}::uuid,
        leased_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    FROM due WHERE d.id = due.id
    RETURNING d.id, d.webhook_id AS "webhookId", d.event_id AS "eventId", d.type,
      d.vehicle_id AS "vehicleId", d.body, d.attempts, d.failures`;
}

/** Writes a delivery that its writer sends: nobody else takes it before the lease ends. */
export async function insertTaken(
  tx: Prisma.TransactionClient,
  data: Prisma.WebhookDeliveryUncheckedCreateInput,
  { leaseId, leaseMs }: Lease,
): Promise<TakenDelivery> {
  const delivery = await tx.webhookDelivery.create({ data: { ...data, leaseId } });
  await tx.$executeRaw`
    UPDATE webhook_delivery
    SET leased_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
    WHERE id = ${delivery.id}::uuid`;
  return delivery;
}

/** Gives deliveries back that were not sent. */
export async function giveBack(
  prisma: PrismaClient,
  ids: readonly string[],
  { leaseId }: Lease,
): Promise<void> {
  // One at a time: whoever holds several rows waits for others in an order that nobody else knows.
  for (const id of ids) {
    await prisma.webhookDelivery.updateMany({
      where: { id, leaseId },
      data: { leaseId: null, leasedUntil: null },
    });
  }
}

/** Removes what the account's webhooks are or were told of vehicles, and keeps more from being written meanwhile. */
export async function removeDeliveries(
  tx: Prisma.TransactionClient,
  accountId: string,
  vehicleIds: readonly string[],
): Promise<void> {
  // Whoever takes events from the outbox holds its webhook: it is done, or it begins after the commit and finds nothing.
  const webhooks = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM webhook WHERE account_id = ${accountId}::uuid ORDER BY id FOR UPDATE`;
  const webhookId = { in: webhooks.map(({ id }) => id) };
  await tx.webhookDelivery.deleteMany({ where: { webhookId, vehicleId: { in: [...vehicleIds] } } });
}

/** What becomes of a delivery; instants in epoch ms. */
export type DeliveryStep = Pick<WebhookDelivery, 'state' | 'failures'> & {
  dueAt: number | null;
  endedAt: number | null;
};

/** Moves a delivery on for whoever still holds it; false where the lease went to somebody else, or it is gone. */
export async function moveDelivery(
  tx: Prisma.TransactionClient,
  { id, leaseId }: { id: string; leaseId: string },
  { state, failures, dueAt, endedAt }: DeliveryStep,
): Promise<boolean> {
  const { count } = await tx.webhookDelivery.updateMany({
    where: { id, leaseId },
    data: {
      state,
      failures,
      dueAt: dueAt === null ? null : new Date(dueAt),
      endedAt: endedAt === null ? null : new Date(endedAt),
      leaseId: null,
      leasedUntil: null,
    },
  });
  return count > 0;
}

/** Notes one call of a delivery; it takes the next place in its history. */
export async function noteAttempt(
  tx: Prisma.TransactionClient,
  deliveryId: string,
  attempt: Omit<Prisma.WebhookAttemptUncheckedCreateInput, 'deliveryId' | 'ordinal'>,
): Promise<void> {
  const { attempts } = await tx.webhookDelivery.update({
    where: { id: deliveryId },
    data: { attempts: { increment: 1 } },
    select: { attempts: true },
  });
  await tx.webhookAttempt.create({ data: { ...attempt, deliveryId, ordinal: attempts - 1 } });
}

/** What is kept of deliveries: those since `before` (epoch ms), and of each webhook at most so many that have ended. */
export type Keeping = { before: number; mostEnded: number };

/**
 * Forgets up to `limit` deliveries that are kept no longer, but none that a webhook is still being called for; how many it
 * were. Call it again while there were some: a statement each is short.
 */
export async function sweepDeliveries(
  prisma: PrismaClient,
  { before, mostEnded, limit }: Keeping & { limit: number },
): Promise<number> {
  const old = await prisma.$executeRaw`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT d.id FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id
      WHERE d.created_at < ${new Date(before)} AND NOT (d.state = 'PENDING' AND w.status = 'ACTIVE')
      ORDER BY d.created_at LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)`;
  if (old > 0) return old;
  // One that is sent again meanwhile has not ended any more.
  return prisma.$executeRaw`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT id FROM webhook_delivery WHERE state <> 'PENDING' AND id IN (
        SELECT d.id FROM webhook w CROSS JOIN LATERAL (
          SELECT id FROM webhook_delivery WHERE webhook_id = w.id AND state <> 'PENDING'
          ORDER BY created_at DESC, id DESC OFFSET ${mostEnded} LIMIT ${limit}) d
        LIMIT ${limit})
      FOR UPDATE SKIP LOCKED)`;
}
