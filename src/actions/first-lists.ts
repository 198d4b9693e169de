import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../base/units.ts';
import type { IngestLog } from '../ingest/backlog.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import type { MakerCall } from './maker-door.ts';
import { associateEvery } from './maker-vehicles.ts';

/** How often it is looked for links whose vehicles were never taken over; the maker's list is free. */
const LOOK_MS = MINUTE_MS;
/** Links that are read at a time. */
const LINKS_AT_ONCE = 20;

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

/**
 * Takes over the vehicles of all links that wait for it, the newest first; those whose list does not come wait for the next
 * time, and hold up no other.
 */
export async function takeOver(parts: FirstListParts, signal: AbortSignal): Promise<void> {
  const { door, log } = parts;
  for await (const row of waitingLinks(parts)) {
    if (signal.aborted) return;
    const listed = await associateEvery({ ...parts, signal }, row).catch((error: unknown) => {
      const facts = { err: error, makerAccountId: row.id };
      log.warn(facts, 'The vehicles of a link could not be taken over; it is tried again.');
      return false;
    });
    if (listed) door.changed();
  }
}

async function* waitingLinks({ prisma, door }: FirstListParts): AsyncGenerator<MakerAccount> {
  const maker = { in: [...door.connectors.keys()] };
  let older = {};
  for (;;) {
    const rows = await prisma.makerAccount.findMany({
      where: { listedAt: null, status: 'ACTIVE', maker, ...older },
      orderBy: { id: 'desc' },
      take: LINKS_AT_ONCE,
    });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < LINKS_AT_ONCE) return;
    older = { id: { lt: last.id } };
  }
}
