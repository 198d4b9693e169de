import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEventFeed, type EventFeed } from '../../src/actions/event-feed.ts';
import { type EventLog, openEventLog } from '../../src/actions/event-log.ts';
import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/store/client.ts';
import type { Account, PrismaClient, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { writeEvents } from '../../src/store/outbox.ts';
import { describeOnServer, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aVehicle, now } from '../support/rows.ts';
import { happen } from './following.ts';

let db: ScratchDatabase;
let account: Account;
let vehicle: Vehicle;

async function arrange(): Promise<void> {
  account = await anAccount(db.prisma);
  vehicle = await aVehicle(db.prisma, account);
}

const updates = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'drive.updated' as const }));

async function positions(log: EventLog, count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) found.push((await log.next()).value.position);
  return found;
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the feed of events', () => {
  /** Whether the database answers those who only read. */
  let isAway = false;
  let warnings = 0;
  let feed: EventFeed;
  let reading: PrismaClient;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
    reading = new Proxy(db.prisma, {
      get: (target, name) =>
        isAway && name === '$queryRaw'
          ? () => Promise.reject(new Error('away'))
          : Reflect.get(target, name),
    });
    const warn = () => {
      warnings += 1;
    };
    feed = createEventFeed({
      ...{ prisma: reading, onEvents: db.onEvents, pollMs: 10 },
      log: { ...silentLog, warn },
    });
  });
  afterAll(async () => {
    await feed.close();
    await db.close();
  });
  beforeEach(arrange);

  const open = (after: number | null = null) =>
    openEventLog({ prisma: reading, feed }, { accountId: account.id, after, wants: () => true });

  it('tells everything when the database is back, once, and the outage in one line of the log', async () => {
    const log = await open();
    isAway = true;
    const before = warnings;
    for (let commit = 0; commit < 3; commit += 1) await happen(db.prisma, vehicle, ...updates(2));
    const told = positions(log, 7);
    await expect.poll(() => warnings - before).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(warnings - before).toBe(1);
    isAway = false;
    await happen(db.prisma, vehicle, ...updates(1));
    expect(await told).toEqual(upTo(7));
    await log.return();
  });

  it('lets a reader that was behind go on where it was when the database was away', async () => {
    await happen(db.prisma, vehicle, ...updates(300));
    const log = await open(0);
    expect(await positions(log, 256)).toEqual(upTo(256));
    isAway = true;
    await expect(log.next()).rejects.toThrow('away');
    isAway = false;
    expect(await positions(log, 44)).toEqual(upTo(300).slice(256));
    await log.return();
  });

  it('tells a reader that what comes next is no longer kept, instead of leaving it out', async () => {
    await happen(db.prisma, vehicle, ...updates(600));
    const log = await open(0);
    await log.next();
    const trimmed = { accountId: account.id, position: { lte: 300 } };
    await db.prisma.event.deleteMany({ where: trimmed });
    expect(await positions(log, 255)).toEqual(upTo(256).slice(1));
    await expect(log.next()).rejects.toMatchObject({ code: 'validation_failed' });
    await log.return();
    await db.prisma.event.deleteMany({ where: { accountId: account.id } });
    const late = await open(0);
    await expect(late.next()).rejects.toMatchObject({ code: 'validation_failed' });
    await late.return();
  });

  it('begins nothing after it was closed', async () => {
    const closed = createEventFeed({ ...db, log: silentLog, pollMs: 1 });
    await closed.close();
    await closed.follow(account.id, () => {});
    await happen(db.prisma, vehicle, ...updates(1));
    db.statements.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(db.statements).toEqual([]);
  });
});

describeOnServer('two processes that commit at once', () => {
  beforeAll(async () => {
    db = await scratchDatabase('server');
  });
  afterAll(() => db?.close());
  beforeEach(arrange);

  it('are told in the order of their commits, and neither twice nor with a hole', async () => {
    await using other = await openDatabase({ ...db, log: silentLog });
    const feed = createEventFeed({ ...db, onEvents: () => () => {}, log: silentLog, pollMs: 1 });
    const log = await openEventLog(
      { prisma: db.prisma, feed },
      { accountId: account.id, after: null, wants: () => true },
    );
    const told = positions(log, 120);
    const many = async (prisma: PrismaClient) => {
      for (let commit = 0; commit < 20; commit += 1) await happen(prisma, vehicle, ...updates(3));
    };
    await Promise.all([many(db.prisma), many(other.prisma)]);
    expect(await told).toEqual(upTo(120));
    await log.return();
    await feed.close();
  });

  it('wait for each other, so that what began later is never told before what commits first', async () => {
    await using other = await openDatabase({ ...db, log: silentLog });
    const order: string[] = [];
    const somebodyWaits = async () => {
      const { rows } = await db.pool.query('SELECT 1 FROM pg_locks WHERE NOT granted');
      return rows.length > 0;
    };
    let begun = (): void => {};
    const waits = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = db.prisma.$transaction(async (tx) => {
      await writeEvents(tx, vehicle, [{ type: 'drive.started', occurredAt: now, data: {} }]);
      begun();
      while (!(await somebodyWaits())) await new Promise((resolve) => setTimeout(resolve, 5));
      order.push('slow');
    });
    await waits;
    const quick = happen(other.prisma, vehicle, { type: 'drive.ended' }).then(() => {
      order.push('quick');
    });
    await Promise.all([slow, quick]);
    const rows = await db.prisma.event.findMany({
      where: { accountId: account.id },
      orderBy: { position: 'asc' },
    });
    expect(order).toEqual(['slow', 'quick']);
    expect(rows.map(({ type }) => type)).toEqual(['drive.started', 'drive.ended']);
  });
});
