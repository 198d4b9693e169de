import type pg from 'pg';

/** Calls those who wait for events to be committed. */
export type EventCommits = {
  /** Calls `listener` after every commit of this process that held events; returns how to stop. */
  listen: (listener: () => void) => () => void;
  /** Watches the statements of a new connection. */
  watch: (client: pg.PoolClient) => void;
};

const INSERTS_EVENTS = /^\s*INSERT INTO (?:"public"\.)?"?event"?[\s(]/i;

/**
 * Notices commits of events by the statements that pass, so that whoever writes events need not tell anybody:
 * notifications of PostgreSQL do not cross the socket of the embedded database (architecture §4.1).
 */
export function eventCommits(): EventCommits {
  const listeners = new Set<() => void>();
  const ring = () => {
    for (const listener of listeners) listener();
  };
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch(client) {
      let wrote = false;
      const query = client.query;
      Object.defineProperty(client, 'query', {
        configurable: true,
        value: (...args: unknown[]) => {
          const text = textOf(args[0]);
          if (INSERTS_EVENTS.test(text)) wrote = true;
          const ends = text === 'COMMIT' || text === 'ROLLBACK';
          const rings = wrote && text === 'COMMIT';
          if (ends) wrote = false;
          const result: unknown = Reflect.apply(query, client, args);
          // Its failure is the caller's, who holds the same promise.
          if (rings && result instanceof Promise) result.then(ring, () => {});
          return result;
        },
      });
    },
  };
}

function textOf(first: unknown): string {
  if (typeof first === 'string') return first;
  return typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : '';
}
