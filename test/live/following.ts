import type { ExecutionResult } from 'graphql';
import { createEventFeed, type EventFeed } from '../../src/actions/event-feed.ts';
import type { Principal } from '../../src/auth/principal.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Answers } from '../../src/schema/answers.ts';
import { prepare } from '../../src/schema/execute.ts';
import { type Subscribing, subscribe } from '../../src/schema/subscribe.ts';
import type { PrismaClient, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { type OutboxEvent, writeEvents } from '../../src/store/outbox.ts';
import type { ScratchDatabase } from '../support/database.ts';
import { aContext, now } from '../support/rows.ts';

/** Commits events of a vehicle, as ingest and the ledger do. */
export function happen(
  prisma: PrismaClient,
  vehicle: Vehicle,
  ...events: (Pick<OutboxEvent, 'type'> & Partial<OutboxEvent>)[]
): Promise<void> {
  return prisma.$transaction((tx) =>
    writeEvents(
      tx,
      vehicle,
      events.map((event) => ({ occurredAt: now, data: {}, ...event })),
    ),
  );
}

/** A feed that notices commits at once, and what others commit only when asked to poll soon. */
export function aFeed(db: ScratchDatabase, pollMs = 60_000): EventFeed {
  return createEventFeed({ prisma: db.prisma, onEvents: db.onEvents, log: silentLog, pollMs });
}

/** Runs a subscription as a door of the service would. */
export async function listen(
  db: ScratchDatabase,
  feed: EventFeed,
  principal: Principal | null,
  [document, variables]: [string, Record<string, unknown>?],
  renew?: Subscribing['renew'],
): Promise<Answers> {
  const fresh = () => aContext(db.prisma, principal, { feed });
  const result = await subscribe(prepare(document), {
    variables,
    context: fresh(),
    renew: renew ?? (async () => fresh()),
  });
  if ('next' in result) return result;
  throw new Refusal(result);
}

/** A subscription that was refused. */
export class Refusal extends Error {
  readonly result: ExecutionResult;

  constructor(result: ExecutionResult) {
    super(JSON.stringify(result));
    this.result = result;
  }
}

/** The next answer; rejects when none comes in time. */
export async function next(
  answers: AsyncIterator<ExecutionResult>,
  limitMs = 60_000,
): Promise<ExecutionResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Nothing was told.')), limitMs);
  });
  try {
    const { done, value } = await Promise.race([answers.next(), late]);
    if (done === true) throw new Error('The subscription is over.');
    return value;
  } finally {
    clearTimeout(timer);
  }
}
