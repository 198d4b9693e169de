import { ServiceError } from '../base/errors.ts';
import { SECOND_MS } from '../base/units.ts';
import { isDatabaseUnavailable } from '../store/database-errors.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { eventsAfter, newestPosition, type StoredEvent } from '../store/outbox-read.ts';
import type { EventFeed } from './event-feed.ts';

/** Pause before the outbox is read again after the database failed [ms]. */
const OUTAGE_MS = SECOND_MS;

/** Events that wait for a reader, and that are read again at a time when it fell behind. */
const BUFFER = 256;

/** What a reader of an account's events wants. */
export type EventLogWish = {
  accountId: string;
  /** The position after which to begin; null begins with what happens next. */
  after: number | null;
  /** Whether the reader is to be told of an event; asked when the event is noticed. */
  wants: (event: StoredEvent) => boolean;
};

/**
 * An account's events in commit order, without a hole and without a repetition. `next` rejects where the outbox cannot be
 * read, and can be called again; with `validation_failed` where it holds no longer what comes next.
 */
export type EventLog = AsyncIterator<StoredEvent> & {
  /** The position that the log began after. */
  from: number;
  return: () => Promise<IteratorResult<StoredEvent>>;
  [Symbol.asyncIterator]: () => EventLog;
};

function missed(): ServiceError {
  const sentence = 'What happened next is no longer kept: read anew, and go on from there.';
  return new ServiceError('validation_failed', sentence);
}

/**
 * Opens such a log. A reader that falls behind costs no memory: what does not fit into the buffer is read from the outbox
 * again when the reader has come that far.
 */
export async function openEventLog(
  { prisma, feed }: { prisma: PrismaClient; feed: Pick<EventFeed, 'follow' | 'whenClosed'> },
  { accountId, after, wants }: EventLogWish,
): Promise<EventLog> {
  const over: IteratorResult<StoredEvent> = { done: true, value: undefined };
  let buffer: StoredEvent[] = [];
  /** Everything up to here was taken into the buffer or left out of it. */
  let position = after ?? 0;
  let newest = 0;
  // Until the log knows where it begins, and while it is behind, it only notes how far the outbox goes.
  let behind = true;
  let gone = false;
  let woken: (() => void) | null = null;

  const wake = () => {
    woken?.();
    woken = null;
  };
  const leave = await feed.follow(accountId, (event) => {
    newest = Math.max(newest, event.position);
    if (!behind && event.position > position) {
      if (buffer.length < BUFFER) {
        position = event.position;
        if (wants(event)) buffer.push(event);
      } else {
        behind = true;
      }
    }
    wake();
  });
  try {
    const now = await newestPosition(prisma, accountId);
    newest = Math.max(newest, now);
    if (after === null) position = now;
  } catch (error) {
    leave();
    throw error;
  }
  const from = position;

  function quit(): IteratorResult<StoredEvent> {
    if (!gone) leave();
    gone = true;
    buffer = [];
    unhook();
    wake();
    return over;
  }
  const unhook = feed.whenClosed(quit);

  async function catchUp(): Promise<void> {
    if (position < newest) {
      const [page] = await eventsAfter(prisma, [{ accountId, position }], BUFFER);
      // Places have no hole, so what is missing was kept no longer: better told than left out.
      if (page?.first !== position + 1) throw missed();
      position = page.position;
      buffer.push(...page.events.filter(wants));
    }
    behind = position < newest;
  }

  /** Settles with the next event, with the end, and after so long at the latest. */
  function news(limitMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
      woken = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A reader outlasts a database that is away: nothing was taken, so nothing is lost. */
  async function afterOutage(error: unknown): Promise<void> {
    if (!isDatabaseUnavailable(error)) throw error;
    await news(OUTAGE_MS);
  }

  const log: EventLog = {
    from,
    async next() {
      while (!gone) {
        const event = buffer.shift();
        if (event !== undefined) return { done: false, value: event };
        if (behind) await catchUp().catch(afterOutage);
        else await news();
      }
      return over;
    },
    return: () => Promise.resolve(quit()),
    [Symbol.asyncIterator]: () => log,
  };
  return log;
}
