import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventCursorOf, replayPosition } from '../../src/actions/event-cursor.ts';
import type { EventFeed } from '../../src/actions/event-feed.ts';
import { openEventLog } from '../../src/actions/event-log.ts';
import { startRetention } from '../../src/actions/retention.ts';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS } from '../../src/base/units.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import type { StoredEvent } from '../../src/store/outbox-read.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aVehicle } from '../support/rows.ts';
import { aFeed, happen } from './following.ts';

describeEachEngine('the log of an account’s events', (engine) => {
  let db: ScratchDatabase;
  let feed: EventFeed;
  let account: Account;
  let vehicle: Vehicle;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
    feed = aFeed(db);
  });
  afterAll(async () => {
    await feed.close();
    await db.close();
  });
  beforeEach(async () => {
    account = await anAccount(db.prisma);
    vehicle = await aVehicle(db.prisma, account);
  });

  const open = (after: number | null = null, wants = (_event: StoredEvent) => true) =>
    openEventLog({ prisma: db.prisma, feed }, { accountId: account.id, after, wants });

  async function positions(log: AsyncIterator<StoredEvent>, count: number): Promise<number[]> {
    const found: number[] = [];
    while (found.length < count) {
      const { done, value } = await log.next();
      if (done === true) break;
      found.push(value.position);
    }
    return found;
  }
  const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => i + from);

  it('tells what is committed after it was opened, right after the commit', async () => {
    await happen(db.prisma, vehicle, { type: 'vehicle.added' });
    const log = await open();
    expect(log.from).toBe(1);
    const told = log.next();
    await happen(db.prisma, vehicle, { type: 'drive.started', data: { driveId: 'd' } });
    expect((await told).value).toMatchObject({
      position: 2,
      sequence: 2,
      type: 'drive.started',
      vehicleId: vehicle.id,
      data: { driveId: 'd' },
    });
    await log.return();
  });

  it('tells nothing of a transaction that failed, and leaves no hole', async () => {
    const log = await open();
    await expect(
      db.prisma.$transaction(async (tx) => {
        await tx.account.update({
          where: { id: account.id },
          data: { eventPosition: { increment: 1 } },
        });
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow();
    await happen(db.prisma, vehicle, { type: 'drive.ended' });
    expect((await log.next()).value).toMatchObject({ position: 1, type: 'drive.ended' });
    await log.return();
  });

  it('keeps the events of accounts apart', async () => {
    const other = await aVehicle(db.prisma, await anAccount(db.prisma));
    const log = await open();
    await happen(db.prisma, other, { type: 'drive.started' });
    await happen(db.prisma, vehicle, { type: 'drive.ended' });
    expect((await log.next()).value).toMatchObject({ type: 'drive.ended', vehicleId: vehicle.id });
    await log.return();
  });

  it('loses and repeats nothing for a reader that rests while a thousand events happen', async () => {
    const log = await open();
    for (let batch = 0; batch < 10; batch += 1) {
      await happen(
        db.prisma,
        vehicle,
        ...Array.from({ length: 100 }, () => ({ type: 'drive.updated' as const })),
      );
    }
    expect(await positions(log, 1_000)).toEqual(upTo(1_000));
    const told = log.next();
    await happen(db.prisma, vehicle, { type: 'drive.ended' });
    expect((await told).value).toMatchObject({ position: 1_001 });
    await log.return();
  });

  it('takes in no more than 256 events ahead of a reader that rests', async () => {
    const asked: number[] = [];
    const log = await open(null, ({ position }) => asked.push(position) > 0);
    const first = log.next();
    await happen(db.prisma, vehicle, { type: 'drive.started' });
    await first;
    const witness = await open();
    const updates = Array.from({ length: 600 }, () => ({ type: 'drive.updated' as const }));
    const seen = positions(witness, 600);
    await happen(db.prisma, vehicle, ...updates);
    await seen;
    expect(asked.length).toBe(257);
    await log.return();
    await witness.return();
  });

  it('goes on after a position, with old and new events at once and none twice', async () => {
    await happen(
      db.prisma,
      vehicle,
      ...Array.from({ length: 300 }, () => ({ type: 'drive.updated' as const })),
    );
    const log = await open(100);
    const reading = positions(log, 300);
    for (let more = 0; more < 10; more += 1) {
      await happen(
        db.prisma,
        vehicle,
        ...Array.from({ length: 10 }, () => ({ type: 'drive.updated' as const })),
      );
    }
    expect(await reading).toEqual(upTo(300, 101));
    await log.return();
  });

  it('notices what another process wrote', async () => {
    const deaf = aFeed({ ...db, onEvents: () => () => {} }, 20);
    const log = await openEventLog(
      { prisma: db.prisma, feed: deaf },
      { accountId: account.id, after: null, wants: () => true },
    );
    const told = log.next();
    await happen(db.prisma, vehicle, { type: 'drive.ended' });
    expect((await told).value).toMatchObject({ type: 'drive.ended' });
    await log.return();
    await deaf.close();
  });

  it('reads once for all who follow, and nothing while nobody does', async () => {
    const logs = await Promise.all(Array.from({ length: 20 }, () => open()));
    const told = logs.map((log) => log.next());
    db.statements.length = 0;
    await happen(db.prisma, vehicle, { type: 'drive.ended' });
    await Promise.all(told);
    const looks = () => db.statements.filter((sql) => sql.includes('LATERAL')).length;
    expect(looks()).toBe(1);
    for (const log of logs) await log.return();
    await happen(db.prisma, vehicle, { type: 'drive.ended' });
    expect(looks()).toBe(1);
  });

  it('ends a read under way when its reader leaves, and every log when the feed closes', async () => {
    const log = await open();
    const reading = log.next();
    await log.return();
    expect((await reading).done).toBe(true);
    const closing = aFeed(db);
    const last = await openEventLog(
      { prisma: db.prisma, feed: closing },
      { accountId: account.id, after: null, wants: () => true },
    );
    const pending = last.next();
    await closing.close();
    expect((await pending).done).toBe(true);
  });

  it('takes a cursor of its own account of the last 24 hours, and refuses any other', async () => {
    const stranger = await anAccount(db.prisma);
    await happen(db.prisma, vehicle, { type: 'drive.started' }, { type: 'drive.ended' });
    const asked = (cursor: string, now = Date.now()) =>
      replayPosition(db.prisma, { accountId: account.id, cursor, name: 'after', now });
    expect(await asked(eventCursorOf(account.id, 1))).toBe(1);
    expect(await asked(eventCursorOf(account.id, 2), Date.now() + 9 * DAY_MS)).toBe(2);
    await expect(asked(eventCursorOf(stranger.id, 1))).rejects.toThrow(
      'belongs to another account',
    );
    await expect(asked(eventCursorOf(account.id, 3))).rejects.toThrow('no cursor');
    await expect(asked('rubbish')).rejects.toThrow('no cursor');
    const later = Date.now() + DAY_MS + 60_000;
    await expect(asked(eventCursorOf(account.id, 1), later)).rejects.toThrow('older than 24 hours');
    await db.prisma.event.deleteMany({ where: { accountId: account.id, position: 1 } });
    await expect(asked(eventCursorOf(account.id, 0))).rejects.toThrow('older than 24 hours');
  });

  it('lets go of events after their days, and tells a cursor that is behind them', async () => {
    await happen(db.prisma, vehicle, { type: 'drive.started' }, { type: 'drive.ended' });
    const age = (position: number, days: number) =>
      db.prisma.event.updateMany({
        where: { accountId: account.id, position },
        data: { createdAt: new Date(Date.now() - days * DAY_MS) },
      });
    await age(1, 3.1);
    await age(2, 2.9);
    const kept = () =>
      db.prisma.event.findMany({
        where: { accountId: account.id },
        select: { position: true },
        orderBy: { position: 'asc' },
      });
    const retention = startRetention({
      ...{ prisma: db.prisma, clock: Date.now, log: silentLog, eventDays: 3, auditDays: 365 },
    });
    await expect.poll(kept).toEqual([{ position: 2n }]);
    await retention.close();
    const behind = eventCursorOf(account.id, 0);
    await expect(
      replayPosition(db.prisma, {
        ...{ accountId: account.id, cursor: behind, name: 'after', now: Date.now() },
      }),
    ).rejects.toThrow('older than 24 hours');
  });
});
