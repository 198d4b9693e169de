import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../base/units.ts';
import type { IngestLog } from './backlog.ts';
import { type ReassignParts, reassignDue } from './reassign-places.ts';

/** How often it is looked whether places have changed. */
const LOOK_MS = 2 * SECOND_MS;
const OUTAGE_PAUSE_MS = 10 * SECOND_MS;

type DeskParts = ReassignParts & { log: IngestLog };

/**
 * Brings history after changes of places, until it is closed. What is left to do stands in the database, and the next
 * start goes on with it.
 */
export function startPlaceDesk(parts: DeskParts): {
  close: () => Promise<void>;
} {
  const stop = new AbortController();
  const running = work(parts, stop.signal);
  return {
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

async function work({ log, ...parts }: DeskParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let pauseMs = LOOK_MS;
    try {
      await reassignDue(parts, signal);
    } catch (error) {
      pauseMs = OUTAGE_PAUSE_MS;
      log.warn(
        { err: error },
        'History could not be brought to changed places; it is tried again.',
      );
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
