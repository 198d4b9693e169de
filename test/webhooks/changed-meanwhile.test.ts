import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookCall } from '../../src/actions/webhook-change.ts';
import { resumeWebhook, updateWebhook } from '../../src/actions/webhook-changes.ts';
import type { WebhookDesk } from '../../src/actions/webhook-desk.ts';
import { webhookLimits } from '../../src/actions/webhook-limits.ts';
import { redeliverWebhook, testWebhook } from '../../src/actions/webhook-sending.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/units.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { sweepDeliveries } from '../../src/store/webhook-deliveries.ts';
import { happen } from '../live/following.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aVehicle } from '../support/rows.ts';
import { type Receiver, startReceiver, withStatus } from './receiver.ts';
import { aDesk, aHolder, callOf, type MovedClock, made, standingClock } from './sending.ts';

let db: ScratchDatabase;
let account: Account;
let vehicle: Vehicle;
let clock: MovedClock;
let desk: WebhookDesk;
let call: WebhookCall;
let receiver: Receiver;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db?.close());
beforeEach(async () => {
  account = await anAccount(db.prisma);
  vehicle = await aVehicle(db.prisma, account);
  clock = standingClock();
  desk = aDesk(db, clock);
  call = callOf(db.prisma, { desk, clock, principal: await aHolder(db.prisma, account) });
  receiver = await startReceiver();
});
afterEach(async () => {
  await desk.close();
  await receiver[Symbol.asyncDispose]();
  await db.prisma.account.deleteMany();
});

const drives = (count: number) =>
  happen(
    db.prisma,
    vehicle,
    ...Array.from({ length: count }, (_, index) => ({
      type: 'drive.ended' as const,
      data: { driveId: `${index}` },
    })),
  );
async function due(): Promise<void> {
  desk.look();
  await desk.settled();
}
const idOf = ({ webhook }: { webhook: { id: string } }) => typeIdOf('Webhook', webhook.id);
const deliveries = () =>
  db.prisma.webhookDelivery.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
const statusOf = async ({ webhook }: { webhook: { id: string } }) =>
  (await db.prisma.webhook.findUniqueOrThrow({ where: { id: webhook.id } })).status;

describe('a webhook that is changed', () => {
  it('is told by its terms of the moment in which events are taken for it', async () => {
    await made(call, receiver.url, { types: ['drive.ended', 'webhook.status_changed'] });
    await desk.close();
    // The token loses its scope between the look at the webhook and the taking.
    const prisma = new Proxy(db.prisma, {
      get: (target, name) =>
        name !== '$transaction'
          ? Reflect.get(target, name)
          : async (work: never) => {
              await db.prisma.token.updateMany({ data: { scopes: ['account'] } });
              return target.$transaction(work);
            },
    });
    await drives(1);
    desk = aDesk({ ...db, prisma }, clock);
    await due();
    expect(await deliveries()).toEqual([]);
    expect(receiver.calls).toEqual([]);
  });

  it('is not stopped by the end of a call to the address before, and the new one is called', async () => {
    const other = await startReceiver();
    const hook = await made(call, receiver.url);
    receiver.answer(async (response) => {
      await updateWebhook(call, { id: idOf(hook), url: other.url });
      response.writeHead(410).end();
    });
    await drives(1);
    await due();
    expect(await statusOf(hook)).toBe('ACTIVE');
    await other.came(1);
    await desk.settled();
    expect(await deliveries()).toMatchObject([{ state: 'DELIVERED', failures: 0, attempts: 2 }]);
    await other[Symbol.asyncDispose]();
  });

  it('is not stopped again by a call that began before it was resumed', async () => {
    const hook = await made(call, receiver.url);
    let gone = 0;
    receiver.answer(async (response) => {
      gone += 1;
      if (gone > 1) return withStatus(200)(response, { headers: {}, body: '' });
      await db.prisma.webhook.updateMany({ data: { status: 'PAUSED' } });
      clock.at += 1;
      await resumeWebhook(call, idOf(hook));
      response.writeHead(410).end();
    });
    await drives(1);
    await due();
    await receiver.came(2);
    await desk.settled();
    expect(await statusOf(hook)).toBe('ACTIVE');
    expect(await deliveries()).toMatchObject([{ state: 'DELIVERED' }]);
  });
});

describe('a test of a webhook that is called', () => {
  it('is waited for, however busy the webhook’s own round is', async () => {
    const hook = await made(call, receiver.url);
    const looking = setInterval(() => desk.look(), 0);
    const states: string[] = [];
    for (let test = 0; test < 8; test += 1)
      states.push((await testWebhook(call, idOf(hook))).state);
    clearInterval(looking);
    expect(states).toEqual(Array(8).fill('DELIVERED'));
    expect(receiver.calls).toHaveLength(8);
  });

  it('and what is sent again stands in the audit', async () => {
    const hook = await made(call, receiver.url);
    const tested = await testWebhook(call, idOf(hook));
    const deliveryId = typeIdOf('WebhookDelivery', tested.id);
    await redeliverWebhook(call, { id: idOf(hook), deliveryId });
    const facts = await db.prisma.auditEntry.findMany({
      where: { accountId: account.id, object: idOf(hook) },
      orderBy: { position: 'asc' },
    });
    const actions = facts.map(({ action }) => action);
    expect(actions).toEqual(['webhook.create', 'webhook.test', 'webhook.redeliver']);
  });

  it('is refused where an account asks too often, and another account is not', async () => {
    const hook = await made(call, receiver.url);
    for (let test = 0; test < 10; test += 1) await desk.limits.take('test', account.id);
    await expect(testWebhook(call, idOf(hook))).rejects.toMatchObject({ code: 'rate_limited' });
    expect(receiver.calls).toEqual([]);
    const limits = webhookLimits();
    for (let again = 0; again < 60; again += 1) await limits.take('redeliver', 'a');
    await expect(limits.take('redeliver', 'a')).rejects.toMatchObject({ code: 'rate_limited' });
    await limits.take('redeliver', 'b');
  });
});

describe('deliveries that have ended', () => {
  it('are kept up to a number of each webhook, the newest, beside what waits', async () => {
    await desk.close();
    desk = aDesk(db, clock, { mostEnded: 3 });
    call = { ...call, desk };
    await made(call, receiver.url);
    for (let drive = 0; drive < 5; drive += 1) {
      clock.at += 1_000;
      await drives(1);
      await due();
    }
    receiver.answer(withStatus(500));
    clock.at += 1_000;
    await drives(2);
    await due();
    const newest = (await deliveries()).map(({ id }) => id).slice(2);
    expect(newest).toHaveLength(5);
    clock.at += HOUR_MS;
    receiver.answer(withStatus(500, { 'retry-after': '86400' }));
    await due();
    const left = await deliveries();
    expect(left.map(({ id }) => id)).toEqual(newest);
    expect(left.filter(({ state }) => state === 'PENDING')).toHaveLength(2);
  });

  it('are forgotten a few at a time', async () => {
    await made(call, receiver.url);
    await drives(5);
    await due();
    const keeping = { before: clock.at + DAY_MS, mostEnded: 100, limit: 2 };
    const swept: number[] = [];
    for (let count = 1; count > 0; swept.push(count))
      count = await sweepDeliveries(db.prisma, keeping);
    expect(swept).toEqual([2, 2, 1, 0]);
  });
});
