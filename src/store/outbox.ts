import { newUuid } from '../base/ids.ts';
import type { EventType } from '../contract/events.ts';
import type { Prisma, PrismaClient } from './generated/prisma/client.ts';

/** An event as its maker knows it; occurredAt is event time in epoch milliseconds. */
export type OutboxEvent = { type: EventType; occurredAt: number; data: Record<string, unknown> };

/**
 * Writes a vehicle's events into the outbox. Their places are taken under the rows of the account and the vehicle, which
 * stay locked until the commit: the order of places is the order of commits, and a reader skips none (contract §0).
 * Call it last in a transaction, so that the locks are short.
 */
export async function writeEvents(
  tx: Prisma.TransactionClient,
  target: { id: string; accountId: string; publicId: string },
  events: readonly OutboxEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const count = BigInt(events.length);
  const { eventPosition } = await tx.account.update({
    where: { id: target.accountId },
    data: { eventPosition: { increment: count } },
    select: { eventPosition: true },
  });
  const { eventSequence } = await tx.vehicle.update({
    where: { id: target.id },
    data: { eventSequence: { increment: count } },
    select: { eventSequence: true },
  });
  await tx.event.createMany({
    data: events.map((event, index) => ({
      id: newUuid(),
      accountId: target.accountId,
      position: eventPosition - count + BigInt(index + 1),
      vehicleId: target.id,
      vehiclePublicId: target.publicId,
      sequence: eventSequence - count + BigInt(index + 1),
      type: event.type,
      occurredAt: new Date(event.occurredAt),
      data: JSON.parse(JSON.stringify(event.data)),
    })),
  });
}

/** An event of an account itself; `previous` are the changed fields before the change. */
export type AccountEvent = OutboxEvent & { previous?: Record<string, unknown> };

/**
 * Writes events that are of no vehicle into the outbox; like those of vehicles they take their places under the
 * account's row. Call it last in a transaction.
 */
export async function writeAccountEvents(
  tx: Prisma.TransactionClient,
  accountId: string,
  events: readonly AccountEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const count = BigInt(events.length);
  const { eventPosition } = await tx.account.update({
    where: { id: accountId },
    data: { eventPosition: { increment: count } },
    select: { eventPosition: true },
  });
  await tx.event.createMany({
    data: events.map(({ type, occurredAt, data, previous }, index) => ({
      id: newUuid(),
      accountId,
      position: eventPosition - count + BigInt(index + 1),
      type,
      occurredAt: new Date(occurredAt),
      data: JSON.parse(JSON.stringify(data)),
      ...(previous === undefined ? {} : { previous: JSON.parse(JSON.stringify(previous)) }),
    })),
  });
}

/** The type of an event whose vehicle was removed for ever: none of `contract/events.ts`, so no reader is told it. */
const EMPTIED = 'removed';

/**
 * Takes everything out of the events of vehicles that are removed. Their places stay: a missing place stands for what is
 * kept no longer, and a reader that has not come so far would be told that it missed something.
 */
export async function emptyEvents(
  tx: Prisma.TransactionClient,
  accountId: string,
  vehicleIds: readonly string[],
): Promise<void> {
  await tx.$executeRaw`
    UPDATE event SET type = ${EMPTIED}, vehicle_id = NULL, vehicle_public_id = NULL, sequence = NULL, data = '{}',
      previous = NULL, occurred_at = created_at
    WHERE account_id = ${accountId}::uuid AND vehicle_id = ANY (${[...vehicleIds]}::uuid[])`;
}

/** Events that one statement lets go of. */
const SWEEP_PAGE = 1_000;

/**
 * Lets go of events that were written before a time (epoch ms), some at a time, until none is left or `signal` ends it; how
 * many. A reader that is behind them is told so by its cursor, and a webhook goes on with what is left.
 */
export async function sweepEvents(
  prisma: PrismaClient,
  before: number,
  signal?: AbortSignal,
): Promise<number> {
  let swept = 0;
  for (let count = SWEEP_PAGE; count === SWEEP_PAGE && signal?.aborted !== true; swept += count) {
    count = await prisma.$executeRaw`
      DELETE FROM event WHERE ctid = ANY (ARRAY(SELECT ctid FROM event
        WHERE created_at < ${new Date(before)}::timestamptz ORDER BY created_at LIMIT ${SWEEP_PAGE}))`;
  }
  return swept;
}
