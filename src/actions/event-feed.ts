import type { Log } from '../base/log.ts';
import { SECOND_MS } from '../base/units.ts';
import type { Database } from '../store/client.ts';
import {
  eventsAfter,
  newestPosition,
  newestSoftware,
  type StoredEvent,
} from '../store/outbox-read.ts';

/** How soon events that another process wrote are noticed [ms]. */
const POLL_MS = SECOND_MS;

/** Events of an account that one look reads; more are read by the next, at once. */
const PAGE = 500;

/** Software versions that one look at the catalogue compares with those it knows. */
const VERSIONS = 50;

type Tell<T> = (thing: T) => void;

/** What happens, told to whoever follows it in this process. */
export type EventFeed = {
  /**
   * Tells every event of an account that is committed after the call resolved, in commit order. A listener must not wait
   * or throw. Resolves with how to stop.
   */
  follow: (accountId: string, listener: Tell<StoredEvent>) => Promise<() => void>;
  /** Tells the stored id of every software version that is catalogued after the call resolved. */
  followSoftware: (listener: Tell<string>) => Promise<() => void>;
  /** Calls `listener` when the feed closes, at once where it is closed; returns how to stop. */
  whenClosed: (listener: () => void) => () => void;
  close: () => Promise<void>;
};

/** What a feed reads from. */
export type FeedParts = Pick<Database, 'prisma' | 'onEvents'> & { log: Log; pollMs?: number };

type Channel = { position: number | null; listeners: Set<Tell<StoredEvent>> };

/**
 * Follows the outbox with one statement for all listeners of the process: right after a commit of this process, and
 * every second for those of others. It reads nothing while nobody listens.
 */
export function createEventFeed({ prisma, onEvents, log, pollMs = POLL_MS }: FeedParts): EventFeed {
  const channels = new Map<string, Channel>();
  const software = {
    known: null as ReadonlySet<string> | null,
    listeners: new Set<Tell<string>>(),
  };
  const endings = new Set<() => void>();
  let closed = false;
  let looking: Promise<void> | null = null;
  let again = false;
  /** Whether the last look failed; an outage is one line of the log. */
  let away = false;
  let timer: NodeJS.Timeout | null = null;

  const idle = () => channels.size === 0 && software.listeners.size === 0;

  function look(): void {
    if (closed || idle()) return;
    again = true;
    looking ??= lookAll().finally(() => {
      looking = null;
      // Something may have been committed after the last look, before this was known.
      if (again) look();
    });
  }

  async function lookAll(): Promise<void> {
    while (again && !closed) {
      again = false;
      try {
        await lookAtAccounts();
        await lookAtSoftware();
        away = false;
      } catch (error) {
        if (!away) log.warn({ err: error }, 'The outbox could not be read; it is tried again.');
        away = true;
        // At the next tick: a database that is away is not asked again and again.
        again = false;
        return;
      }
    }
  }

  async function lookAtAccounts(): Promise<void> {
    const places = [...channels].flatMap(([accountId, { position }]) =>
      position === null ? [] : { accountId, position },
    );
    if (places.length === 0) return;
    for (const { accountId, position, events, full } of await eventsAfter(prisma, places, PAGE)) {
      const channel = channels.get(accountId);
      // Everybody may have left meanwhile, and somebody have come anew.
      if (channel?.position == null || channel.position >= position) continue;
      const from = channel.position;
      channel.position = position;
      again ||= full;
      for (const event of events) {
        if (event.position > from) for (const tell of [...channel.listeners]) tell(event);
      }
    }
  }

  async function lookAtSoftware(): Promise<void> {
    const { known, listeners } = software;
    if (known === null || listeners.size === 0) return;
    const newest = await newestSoftware(prisma, VERSIONS);
    software.known = new Set([...known, ...newest]);
    for (const id of newest.filter((one) => !known.has(one)).reverse()) {
      for (const tell of [...listeners]) tell(id);
    }
  }

  function begin(): void {
    if (closed) return;
    timer ??= setInterval(look, pollMs);
  }

  function rest(): void {
    if (!idle() || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  const unhook = onEvents(look);

  return {
    whenClosed(listener) {
      if (closed) queueMicrotask(listener);
      else endings.add(listener);
      return () => endings.delete(listener);
    },
    async follow(accountId, listener) {
      const channel = channels.get(accountId) ?? { position: null, listeners: new Set() };
      channels.set(accountId, channel);
      // A function of its own: one listener may follow twice.
      const tell: Tell<StoredEvent> = (event) => listener(event);
      channel.listeners.add(tell);
      const leave = () => {
        channel.listeners.delete(tell);
        if (channel.listeners.size === 0 && channels.get(accountId) === channel) {
          channels.delete(accountId);
        }
        rest();
      };
      try {
        const newest = await newestPosition(prisma, accountId);
        channel.position ??= newest;
      } catch (error) {
        leave();
        throw error;
      }
      begin();
      return leave;
    },
    async followSoftware(listener) {
      const tell: Tell<string> = (id) => listener(id);
      software.listeners.add(tell);
      const leave = () => {
        software.listeners.delete(tell);
        if (software.listeners.size === 0) software.known = null;
        rest();
      };
      try {
        software.known ??= new Set(await newestSoftware(prisma, VERSIONS));
      } catch (error) {
        leave();
        throw error;
      }
      begin();
      return leave;
    },
    async close() {
      if (closed) return;
      closed = true;
      unhook();
      for (const end of [...endings]) end();
      if (timer !== null) clearInterval(timer);
      await looking;
    },
  };
}
