import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { isOutage } from '../store/database-errors.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { sweepJournal } from '../store/journal-retention.ts';
import { dueStreams, noteStreamFailure, retryStreams } from '../store/streams.ts';
import type { IngestLog } from './backlog.ts';
import { reduceStream } from './reduce-stream.ts';

/** How often journals are looked at. */
const LOOK_MS = SECOND_MS;
/** Vehicles that are looked up at a time. */
const VEHICLES_PER_LOOK = 100;
/** Failures in a row after which a vehicle is put aside: a person has to look at it. */
const PUT_ASIDE_AFTER = 5;
const OUTAGE_PAUSE_MS = 5 * SECOND_MS;
const SWEEP_MS = HOUR_MS;

export type PumpParts = {
  prisma: PrismaClient;
  clock: Clock;
  log: IngestLog;
  /** How long entries are kept [days]. */
  keepDays: number;
};

/** What the reduction of journals counts, for the metrics. */
export type PumpCounts = {
  reduced: number;
  again: number;
  refused: number;
  failures: number;
  putAside: number;
  swept: number;
};

export type Pump = { counts: PumpCounts; close: () => Promise<void> };

/**
 * Reduces what is due in the journals, and forgets what was kept long enough, until it is closed. What waits then stays in
 * the journal, and the next start goes on with it.
 */
export function startPump(parts: PumpParts): Pump {
  const stop = new AbortController();
  const counts: PumpCounts = {
    reduced: 0,
    again: 0,
    refused: 0,
    failures: 0,
    putAside: 0,
    swept: 0,
  };
  const running = pump(parts, counts, stop.signal);
  return {
    counts,
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

async function pump(parts: PumpParts, counts: PumpCounts, signal: AbortSignal): Promise<void> {
  let sweptAt = Number.NEGATIVE_INFINITY;
  let retried = false;
  while (!signal.aborted) {
    let pauseMs = LOOK_MS;
    try {
      // What an older version stumbled over may be no trouble for this one.
      if (!retried) await retryStreams(parts.prisma);
      retried = true;
      await reduceDue(parts, counts, signal);
      const now = parts.clock();
      if (Math.abs(now - sweptAt) >= SWEEP_MS) {
        sweptAt = now;
        counts.swept += await sweepJournal(parts.prisma, now - parts.keepDays * DAY_MS);
      }
    } catch (error) {
      pauseMs = OUTAGE_PAUSE_MS;
      counts.failures += 1;
      parts.log.warn({ err: error }, 'The journals could not be looked at; it is tried again.');
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}

/**
 * Reduces every journal that is due, each a commit at a time, so that none waits for the whole of another; throws while the
 * database is away.
 */
export async function reduceDue(
  parts: Pick<PumpParts, 'prisma' | 'clock' | 'log'>,
  counts: PumpCounts,
  signal: AbortSignal,
): Promise<void> {
  const { prisma, clock } = parts;
  let more = true;
  while (more) {
    const vehicleIds = await dueStreams(prisma, clock(), VEHICLES_PER_LOOK);
    more = vehicleIds.length === VEHICLES_PER_LOOK;
    for (const vehicleId of vehicleIds) {
      if (signal.aborted) return;
      try {
        more = (await reduceOne(vehicleId, parts, counts)) || more;
      } catch (error) {
        if (isOutage(error)) throw error;
        await failed(vehicleId, error, parts, counts);
      }
    }
  }
}

/** Whether more of the vehicle is due already. */
async function reduceOne(
  vehicleId: string,
  { prisma, clock, log }: Pick<PumpParts, 'prisma' | 'clock' | 'log'>,
  counts: PumpCounts,
): Promise<boolean> {
  const reduction = await reduceStream(prisma, vehicleId, clock());
  counts.reduced += reduction.entries;
  if (reduction.again) counts.again += 1;
  const [err] = reduction.refused;
  if (err !== undefined) {
    counts.refused += reduction.refused.length;
    log.warn({ err, vehicleId }, 'What could not be applied of a journal is left out.');
  }
  return reduction.more;
}

/** Leaves a vehicle alone for longer with each failure, an hour at most; what came in of it is kept and goes on coming in. */
async function failed(
  vehicleId: string,
  err: unknown,
  { prisma, clock, log }: Pick<PumpParts, 'prisma' | 'clock' | 'log'>,
  counts: PumpCounts,
): Promise<void> {
  counts.failures += 1;
  const failures = await noteStreamFailure(prisma, vehicleId, {
    at: clock(),
    failure: nameOf(err),
    pauseMs: (times) => Math.min(HOUR_MS, 2 ** Math.min(times - 1, 10) * MINUTE_MS),
  });
  if (failures === PUT_ASIDE_AFTER) {
    counts.putAside += 1;
    log.error(
      { err, vehicleId },
      'A journal could not be reduced again and again; it is put aside.',
    );
  } else log.warn({ err, vehicleId }, 'A journal could not be reduced; it is tried again.');
}

/** What kind of error it was; its message may hold what the records tell. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  return `${error.name}${code}`;
}
