import { setTimeout as sleep } from 'node:timers/promises';

/** Ends a wait before its time. */
export type Bell = {
  ring: () => void;
  /** Waits for so long [ms], or until the bell rings; a ring while nobody waits ends the next wait. */
  wait: (ms: number) => Promise<void>;
};

/** A bell that `stop` rings as well, for good. */
export function bellUnder(stop: AbortSignal): Bell {
  // A new signal for each wait: one that lives as long as the process collects what was derived from it.
  let waiting = new AbortController();
  const ring = () => waiting.abort();
  stop.addEventListener('abort', ring, { once: true });
  return {
    ring,
    wait: async (ms) => {
      if (stop.aborted) return;
      const { signal } = waiting;
      await sleep(ms, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (signal.aborted) waiting = new AbortController();
    },
  };
}
