import { type EventType, isEventType } from '../contract/events.ts';
import type { Event, Prisma, PrismaClient } from './generated/prisma/client.ts';

/** An event of the outbox as its readers know it; instants are epoch milliseconds. */
export type StoredEvent = {
  id: string;
  accountId: string;
  /** Place among the account's events, in commit order and without holes. */
  position: number;
  vehicleId: string | null;
  vehiclePublicId: string | null;
  /** Place among the vehicle's events. */
  sequence: number | null;
  type: EventType;
  version: number;
  occurredAt: number;
  createdAt: number;
  data: unknown;
  previous: unknown;
};

/** A reader's place in an account's outbox: the position of the last event it has. */
export type OutboxPlace = { accountId: string; position: number };

/**
 * What was read of an account: the events of known types, the position of the first event that is there, whatever its type,
 * and the place after all that was read.
 */
export type OutboxPage = OutboxPlace & { events: StoredEvent[]; first: number; full: boolean };

/** The events after each place in one statement, at most `limit` of an account; accounts without any are left out. */
export async function eventsAfter(
  prisma: Prisma.TransactionClient,
  places: readonly OutboxPlace[],
  limit: number,
): Promise<OutboxPage[]> {
  const accounts = places.map((place) => place.accountId);
  const positions = places.map((place) => String(place.position));
  const rows = await prisma.$queryRaw<Event[]>`
    SELECT e.id, e.account_id AS "accountId", e.position, e.vehicle_id AS "vehicleId",
      e.vehicle_public_id AS "vehiclePublicId", e.sequence, e.type, e.version,
      e.occurred_at AS "occurredAt", e.data, e.previous, e.created_at AS "createdAt"
    FROM unnest(${accounts}::uuid[], ${positions}::bigint[]) AS known(account_id, position)
    CROSS JOIN LATERAL (SELECT * FROM event WHERE event.account_id = known.account_id
      AND event.position > known.position ORDER BY event.position LIMIT ${limit}) e
    ORDER BY e.account_id, e.position`;
  const pages = new Map<string, OutboxPage>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { accountId } = row;
    const count = (counts.get(accountId) ?? 0) + 1;
    counts.set(accountId, count);
    const first = Number(row.position);
    const page = pages.get(accountId) ?? {
      ...{ accountId, position: 0, events: [], first, full: false },
    };
    const event = storedEvent(row);
    if (event !== null) page.events.push(event);
    page.position = Number(row.position);
    page.full = count === limit;
    pages.set(accountId, page);
  }
  return [...pages.values()];
}

/** The event of a row; null for a type that this program does not know, such as a newer one's. */
function storedEvent({ position, sequence, type, ...row }: Event): StoredEvent | null {
  if (!isEventType(type)) return null;
  return {
    ...row,
    type,
    position: Number(position),
    sequence: sequence === null ? null : Number(sequence),
    occurredAt: row.occurredAt.getTime(),
    createdAt: row.createdAt.getTime(),
  };
}

/** Position of the newest committed event of an account; 0 before the first. */
export async function newestPosition(
  prisma: Prisma.TransactionClient,
  accountId: string,
): Promise<number> {
  const account = await prisma.account.findUnique({
    where: { id: accountId },
    select: { eventPosition: true },
  });
  return Number(account?.eventPosition ?? 0);
}

/** Stored ids of the software versions that were catalogued last, the newest first. */
export async function newestSoftware(prisma: PrismaClient, limit: number): Promise<string[]> {
  const rows = await prisma.softwareUpdate.findMany({
    orderBy: { id: 'desc' },
    take: limit,
    select: { id: true },
  });
  return rows.map((row) => row.id);
}
