import { ServiceError } from '../base/errors.ts';
import { DAY_MS } from '../base/units.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { eventsAfter, newestPosition } from '../store/outbox-read.ts';

/** How far back events are told again [ms] (contract §0). */
export const REPLAY_MS = DAY_MS;

/** The opaque text that stands for a place in an account's events. */
export function eventCursorOf(accountId: string, position: number): string {
  return Buffer.from(JSON.stringify(['events', accountId, position])).toString('base64url');
}

/**
 * The position that a cursor stands for. Throws `validation_failed`, naming the parameter `name`, for what is no cursor,
 * for one of another account, and for one with untold events older than 24 h.
 */
export async function replayPosition(
  prisma: PrismaClient,
  {
    accountId,
    cursor,
    name,
    now,
  }: { accountId: string; cursor: string; name: string; now: number },
): Promise<number> {
  const refused = (sentence: string) =>
    new ServiceError('validation_failed', `${name}: ${sentence}`, {
      fields: { [name]: [sentence] },
    });
  const place = decoded(cursor);
  if (place === null) throw refused('This is no cursor of events.');
  if (place.accountId !== accountId) throw refused('This cursor belongs to another account.');
  const { position } = place;
  const newest = await newestPosition(prisma, accountId);
  if (position === newest) return position;
  if (position > newest) throw refused('This is no cursor of events.');
  const [page] = await eventsAfter(prisma, [place], 1);
  const [next] = page?.events ?? [];
  // An event of an unknown type has no age here, but it has a place.
  const kept = page?.first === position + 1;
  if (!kept || (next !== undefined && next.createdAt < now - REPLAY_MS)) {
    throw refused('This cursor is older than 24 hours: read anew, and go on from there.');
  }
  return position;
}

function decoded(cursor: string): { accountId: string; position: number } | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(parts) || parts.length !== 3 || parts[0] !== 'events') return null;
    const [, accountId, position]: unknown[] = parts;
    if (typeof accountId !== 'string' || typeof position !== 'number') return null;
    return Number.isSafeInteger(position) && position >= 0 ? { accountId, position } : null;
  } catch {
    return null;
  }
}
