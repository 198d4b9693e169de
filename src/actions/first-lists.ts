import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../base/units.ts';
import type { IngestLog } from '../ingest/backlog.ts';
import type { MakerCall } from './maker-door.ts';
import { associateEvery } from './maker-vehicles.ts';

/** How often it is looked for links whose vehicles were never taken over; the maker's list is free. */
const LOOK_MS = MINUTE_MS;
/** Links that are taken up at a time. */
const LINKS_PER_LOOK = 20;

type FirstListParts = Pick<MakerCall, 'prisma' | 'clock' | 'door'> & { log: IngestLog };

/**
 * Takes over the vehicles of links whose first list never came, because the process died or the maker did not answer,
 * until it is closed.
 */
export function startFirstLists(parts: FirstListParts): { close: () => Promise<void> } {
  const stop = new AbortController();
  const running = work(parts, stop.signal);
  return {
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

async function work(parts: FirstListParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await takeOver(parts, signal).catch((error: unknown) =>
      parts.log.warn({ err: error }, 'Links without a first list could not be looked for.'),
    );
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

/** Takes over the vehicles of links that wait for it; those whose list does not come wait for the next time. */
export async function takeOver(parts: FirstListParts, signal: AbortSignal): Promise<void> {
  const { prisma, door } = parts;
  const waiting = await prisma.makerAccount.findMany({
    where: { listedAt: null, status: 'ACTIVE', maker: { in: [...door.connectors.keys()] } },
    orderBy: { createdAt: 'desc' },
    take: LINKS_PER_LOOK,
  });
  for (const row of waiting) {
    if (signal.aborted) return;
    if (await associateEvery({ ...parts, signal }, row)) door.changed();
  }
}
