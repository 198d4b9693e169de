import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhookDesk } from '../../src/actions/webhook-desk.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/store/client.ts';
import type { Account, PrismaClient, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { sweepDeliveries } from '../../src/store/webhook-deliveries.ts';
import { happen } from '../live/following.ts';
import { describeOnServer, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { startProgram } from '../support/program.ts';
import { anAccount, aVehicle } from '../support/rows.ts';
import { type Receiver, startReceiver, withStatus } from './receiver.ts';
import { aDesk, aHolder, callOf, made, standingClock } from './sending.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const idsOf = () => receiver.calls.map(({ headers }) => String(headers['webhook-id']));

async function aFollowedVehicle(
  prisma: PrismaClient,
  desk: WebhookDesk,
  clock: Clock = standingClock(),
): Promise<{ account: Account; vehicle: Vehicle }> {
  const account = await anAccount(prisma);
  const principal = await aHolder(prisma, account, { at: clock() });
  await made(callOf(prisma, { desk, clock, principal }), receiver.url);
  return { account, vehicle: await aVehicle(prisma, account) };
}

const drives = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: 'drive.ended' as const,
    data: { driveId: `${index}` },
  }));

describeOnServer('two processes on one database', () => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase('server');
  });
  afterEach(() => db.prisma.account.deleteMany());
  afterAll(() => db?.close());

  it('share what is to be sent, and send nothing twice', async () => {
    await using second = await openDatabase({ ...db, log: silentLog });
    const clock = standingClock();
    const one = aDesk(db, clock, { pace: { poll: 5 } });
    const other = aDesk(second, clock, { pace: { poll: 5 } });
    const { vehicle } = await aFollowedVehicle(db.prisma, one);
    for (let commit = 0; commit < 12; commit += 1) await happen(db.prisma, vehicle, ...drives(10));
    await receiver.came(120);
    await one.settled();
    await other.settled();
    expect(idsOf()).toHaveLength(120);
    expect(new Set(idsOf()).size).toBe(120);
    expect(one.counts.calls).toBeGreaterThan(0);
    expect(other.counts.calls).toBeGreaterThan(0);
    await one.close();
    await other.close();
  });

  it('lose nothing when one is killed in the middle of its calls', async () => {
    // Of the first calls no answer comes back before the kill.
    receiver.answer(() => {});
    const quiet = aDesk(db, systemClock);
    const { vehicle } = await aFollowedVehicle(db.prisma, quiet, systemClock);
    await quiet.close();
    await happen(db.prisma, vehicle, ...drives(6));
    const { dataDir, databaseUrl } = db;
    const program = 'webhooks/call-webhooks';
    const calling = await startProgram(program, dataDir, databaseUrl ?? '');
    await receiver.came(4);
    await calling.kill();
    receiver.answer(withStatus(200));
    const desk = aDesk(db, systemClock, { pace: { poll: 20 } });
    await receiver.came(6);
    await desk.settled();
    // What the dead process had taken is nobody else's until its lease is over.
    const held = { state: 'PENDING', leasedUntil: { not: null } } as const;
    expect(await db.prisma.webhookDelivery.count({ where: held })).toBe(4);
    await db.prisma.webhookDelivery.updateMany({ where: held, data: { leasedUntil: new Date(0) } });
    await receiver.came(10);
    await desk.settled();
    expect(new Set(idsOf()).size).toBe(6);
    const states = await db.prisma.webhookDelivery.groupBy({ by: ['state'], _count: true });
    expect(states).toEqual([{ state: 'DELIVERED', _count: 6 }]);
    await desk.close();
  });

  it('forget no delivery that the other has sent again meanwhile', async () => {
    const clock = standingClock();
    const desk = aDesk(db, clock, { pace: { poll: 20 } });
    const { vehicle } = await aFollowedVehicle(db.prisma, desk, clock);
    await happen(db.prisma, vehicle, ...drives(1));
    await receiver.came(1);
    await desk.close();
    const waiting = async () => {
      const waits = () => db.prisma.$queryRaw`
        SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await vi.waitFor(async () => expect(await waits()).toHaveLength(1), 60_000);
    };
    const keeping = { before: 0, mostEnded: 0, limit: 10 };
    const sweeping = await db.prisma.$transaction(async (tx) => {
      await tx.webhookDelivery.updateMany({ data: { state: 'PENDING', endedAt: null } });
      const swept = sweepDeliveries(db.prisma, keeping);
      await Promise.race([swept, waiting()]);
      return [swept];
    });
    expect(await Promise.all(sweeping)).toEqual([0]);
    expect(await db.prisma.webhookDelivery.count({ where: { state: 'PENDING' } })).toBe(1);
  });
});

describe('a desk', () => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  afterEach(() => db.prisma.account.deleteMany());
  afterAll(() => db?.close());

  it('sends again what another sent and died before it wrote that down, and the rest', async () => {
    const clock = standingClock();
    // What came of a call is never written down, as if the process had died right after it.
    const dying = db.prisma.$extends({
      query: {
        webhookAttempt: {
          create: async () => {
            throw new Error('died');
          },
        },
      },
    }) as unknown as PrismaClient;
    const crashed = aDesk({ ...db, prisma: dying }, clock, { pace: { lease: 50 } });
    const { vehicle } = await aFollowedVehicle(db.prisma, crashed);
    await happen(db.prisma, vehicle, ...drives(1));
    await receiver.came(1);
    await crashed.close();
    expect(await db.prisma.webhookAttempt.count()).toBe(0);

    const next = aDesk(db, clock, { pace: { poll: 10 } });
    await happen(db.prisma, vehicle, ...drives(2));
    await receiver.came(4);
    await next.settled();
    const [first] = idsOf();
    expect(idsOf().filter((id) => id === first)).toHaveLength(2);
    expect(new Set(idsOf()).size).toBe(3);
    await next.close();
    expect(await db.prisma.webhookDelivery.count({ where: { state: 'DELIVERED' } })).toBe(3);
  });

  it('gives back what is under way when it closes, and the next one sends it', async () => {
    const clock = standingClock();
    receiver.answer(() => {});
    const stopping = aDesk(db, clock, { pace: { close: 100 } });
    const { vehicle } = await aFollowedVehicle(db.prisma, stopping);
    await happen(db.prisma, vehicle, ...drives(1));
    await receiver.came(1);
    await stopping.close();
    expect(await db.prisma.webhookDelivery.findMany()).toMatchObject([
      { state: 'PENDING', leaseId: null, leasedUntil: null, attempts: 0 },
    ]);
    receiver.answer(withStatus(200));
    const next = aDesk(db, clock);
    await receiver.came(2);
    await next.settled();
    expect(await db.prisma.webhookDelivery.findMany()).toMatchObject([{ state: 'DELIVERED' }]);
    await next.close();
  });
});
