import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { takeAddress, writeAddress } from '../store/addresses.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { newSearch, queueSome } from './address-queue.ts';
import type { IngestLog } from './backlog.ts';
import { askGeocoder, backoffMs, type Geocoder } from './geocoder.ts';

/** No geocoder is asked more often (Nominatim usage policy, "Requirements"). */
const GAP_MS = SECOND_MS;
/** How often it is looked whether there are new positions. */
const QUEUE_MS = 30 * SECOND_MS;
/** A question that a crash cut off is asked again after this. */
const LEASE_MS = MINUTE_MS;

export type AddressParts = {
  prisma: PrismaClient;
  clock: Clock;
  log: IngestLog;
  geocoder: Omit<Geocoder, 'signal'>;
};

/**
 * Looks up the addresses of where vehicles were, one at a time and at most one a second, until it is closed. The queue is
 * in the database, no transaction is open while the geocoder answers, and nothing waits for it.
 */
export function startAddressDesk(parts: AddressParts): { close: () => Promise<void> } {
  const stop = new AbortController();
  const running = work(parts, stop.signal);
  return {
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

async function work(parts: AddressParts, signal: AbortSignal): Promise<void> {
  let queuedAt = Number.NEGATIVE_INFINITY;
  const search = newSearch();
  while (!signal.aborted) {
    let pauseMs = GAP_MS;
    try {
      const now = parts.clock();
      if (Math.abs(now - queuedAt) >= QUEUE_MS) {
        queuedAt = now;
        await queueSome(parts.prisma, search, now);
      }
      pauseMs = (await lookUpNext(parts, signal)) ?? GAP_MS;
    } catch (error) {
      pauseMs = QUEUE_MS;
      parts.log.warn({ err: error }, 'Addresses could not be looked up; it is tried again.');
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}

/** Looks up the next address that is due, if any; tells for how long nothing is to be asked [ms], null for the usual. */
export async function lookUpNext(
  { prisma, clock, log, geocoder }: AddressParts,
  signal: AbortSignal,
): Promise<number | null> {
  const now = clock();
  const next = await takeAddress(prisma, { now, until: now + LEASE_MS, gapMs: GAP_MS });
  if (next === null) return null;
  const answer = await askGeocoder({ ...geocoder, signal }, next, now);
  if (signal.aborted) return null;
  if (answer.kind === 'found') {
    await writeAddress(prisma, next, { ...answer.address, state: 'FOUND' });
    return null;
  }
  if (answer.kind === 'none') {
    await writeAddress(prisma, next, { state: 'NONE' });
    return null;
  }
  const { reason, waitMs } = answer;
  log.warn({ reason, waitMs }, 'The geocoder did not answer with an address; it is asked again.');
  const dueAt = new Date(clock() + Math.max(waitMs, backoffMs(next.attempts)));
  await writeAddress(prisma, next, { dueAt });
  return waitMs;
}
