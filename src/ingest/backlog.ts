import { isOutage } from '../store/database-errors.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { applyEvents } from './apply.ts';
import type { IngestEvent, MachineState } from './state.ts';
import type { StateTeller } from './state-teller.ts';

/** Events kept in memory while the database is away; beyond that the oldest are dropped and counted. */
const LARGEST_BACKLOG = 5_000;

export type IngestLog = {
  info: (facts: object, message: string) => void;
  warn: (facts: object, message: string) => void;
  error: (facts: object, message: string) => void;
};

/** What ingest counts, for the metrics. `refused` events made the reducer or the database fail by themselves. */
export type IngestCounts = {
  polls: number;
  failures: number;
  events: number;
  dropped: number;
  refused: number;
};

type BacklogParts = {
  prisma: PrismaClient;
  log: IngestLog;
  counts: IngestCounts;
  teller: Pick<StateTeller, 'after'>;
};

/** What was learned of a vehicle and is not stored yet. */
export type Backlog = {
  /**
   * Stores everything that waits, the given events last. Throws, and keeps it all for the next call, while the database is
   * away or full; an event that cannot be applied even alone is set aside, so that it does not hold up the others.
   */
  store: (events: readonly IngestEvent[]) => Promise<MachineState | null>;
};

export function backlogOf(vehicleId: string, parts: BacklogParts): Backlog {
  const waiting: IngestEvent[] = [];
  const apply = async (events: readonly IngestEvent[]) => {
    const state = await applyEvents(parts.prisma, vehicleId, events);
    waiting.splice(0, events.length);
    parts.counts.events += events.length;
    parts.teller.after(vehicleId, state);
    return state;
  };
  return {
    store: async (events) => {
      waiting.push(...events);
      const excess = waiting.length - LARGEST_BACKLOG;
      if (excess > 0) parts.counts.dropped += waiting.splice(0, excess).length;
      if (waiting.length === 0) return null;
      try {
        return await apply([...waiting]);
      } catch (error) {
        if (isOutage(error)) throw error;
        return oneByOne(waiting, apply, vehicleId, parts);
      }
    },
  };
}

async function oneByOne(
  waiting: IngestEvent[],
  apply: (events: readonly IngestEvent[]) => Promise<MachineState>,
  vehicleId: string,
  { log, counts }: BacklogParts,
): Promise<MachineState | null> {
  let state: MachineState | null = null;
  for (const event of [...waiting]) {
    try {
      state = await apply([event]);
    } catch (error) {
      if (isOutage(error)) throw error;
      waiting.shift();
      counts.refused += 1;
      log.warn(
        { err: error, vehicleId, event: event.kind },
        'An event could not be applied and is left out.',
      );
    }
  }
  return state;
}
