import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { operatorContext } from '../../src/actions/access-context.ts';
import { createToken } from '../../src/actions/manage-access.ts';
import type { WebhookCall } from '../../src/actions/webhook-change.ts';
import { resumeWebhook, rotateWebhookSecret } from '../../src/actions/webhook-changes.ts';
import type { WebhookDesk } from '../../src/actions/webhook-desk.ts';
import { redeliverWebhook, testWebhook } from '../../src/actions/webhook-sending.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import { retryDelaysMs } from '../../src/contract/webhooks.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { happen } from '../live/following.ts';
import { at } from '../schema/ask.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aVehicle } from '../support/rows.ts';
import { type Receiver, startReceiver, withStatus } from './receiver.ts';
import {
  aDesk,
  aHolder,
  callOf,
  type MovedClock,
  made,
  standingClock,
  verified,
} from './sending.ts';

describeEachEngine('a webhook', (engine) => {
  let db: ScratchDatabase;
  let account: Account;
  let vehicle: Vehicle;
  let clock: MovedClock;
  let desk: WebhookDesk;
  let call: WebhookCall;
  let receiver: Receiver;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
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

  /** What no database changes is shown once. */
  const once: (title: string, test: () => Promise<void>) => void =
    engine === 'embedded' ? it : () => {};
  const drive = (...ids: string[]) =>
    happen(
      db.prisma,
      vehicle,
      ...ids.map((driveId) => ({ type: 'drive.ended' as const, data: { driveId } })),
    );
  /** Everything that is due by now is sent. */
  async function due(): Promise<void> {
    desk.look();
    await desk.settled();
  }
  async function after(ms: number): Promise<void> {
    clock.at += ms;
    await due();
  }
  const webhookNow = (id: string) => db.prisma.webhook.findUniqueOrThrow({ where: { id } });
  const deliveriesOf = (webhookId: string) =>
    db.prisma.webhookDelivery.findMany({
      where: { webhookId },
      orderBy: { id: 'asc' },
      include: { history: { orderBy: { ordinal: 'asc' } } },
    });
  const driveId = '0195517a-8c00-7a3b-9d4e-5f60718293a4';

  it('is told an event signed, as Standard Webhooks verifies it, and nothing that was changed on the way', async () => {
    const { webhook, secret } = await made(call, receiver.url);
    await drive(driveId);
    await receiver.came(1);
    const [got] = receiver.calls;
    if (got === undefined) throw new Error('Nothing came.');
    const event = verified(secret, got, clock);
    expect(event).toMatchObject({
      type: 'drive.ended',
      version: 1,
      account_id: typeIdOf('Account', account.id),
      vehicle_public_id: vehicle.publicId,
      sequence: 1,
      data: { drive_id: typeIdOf('Drive', driveId) },
      previous: null,
    });
    expect(got.headers['webhook-id']).toBe(at(event, 'id'));
    expect(got.headers['content-type']).toBe('application/json');
    const changed = [
      { ...got, body: got.body.replace('drive.ended', 'drive.begun') },
      { ...got, headers: { ...got.headers, 'webhook-id': typeIdOf('Event', driveId) } },
      {
        ...got,
        headers: { ...got.headers, 'webhook-timestamp': String(clock.at / SECOND_MS + 1) },
      },
    ];
    for (const one of changed) expect(() => verified(secret, one, clock)).toThrow('signature');
    const other = await made(call, receiver.url);
    expect(() => verified(other.secret, got, clock)).toThrow('signature');
    const late = () => clock.at + 6 * MINUTE_MS;
    expect(() => verified(secret, got, late)).toThrow('too old');
    await desk.settled();
    expect(await deliveriesOf(webhook.id)).toMatchObject([
      { state: 'DELIVERED', attempts: 1, dueAt: null, history: [{ status: 204, error: null }] },
    ]);
  });

  once(
    'is signed with both secrets for a day after a rotation, then with the new one',
    async () => {
      const { webhook, secret } = await made(call, receiver.url);
      const rotated = await rotateWebhookSecret(call, typeIdOf('Webhook', webhook.id));
      expect(rotated.secret).not.toBe(secret);
      await drive('a');
      await receiver.came(1);
      clock.at += DAY_MS - SECOND_MS;
      await drive('b');
      await receiver.came(2);
      for (const [index, got] of receiver.calls.entries()) {
        const then = () => clock.at - (1 - index) * (DAY_MS - SECOND_MS);
        expect(String(got.headers['webhook-signature']).split(' ')).toHaveLength(2);
        expect(verified(secret, got, then)).toEqual(verified(rotated.secret, got, then));
      }
      clock.at += SECOND_MS;
      await drive('c');
      await receiver.came(3);
      const [, , last] = receiver.calls;
      if (last === undefined) throw new Error('Nothing came.');
      expect(verified(rotated.secret, last, clock)).toMatchObject({ type: 'drive.ended' });
      expect(() => verified(secret, last, clock)).toThrow('signature');
      expect(await db.prisma.webhook.count({ where: { secret: { contains: secret } } })).toBe(0);
    },
  );

  it('is called again at the times of the schedule with one id, until it takes the event', async () => {
    receiver.answer(withStatus(500));
    const { webhook, secret } = await made(call, receiver.url);
    await drive('a');
    await receiver.came(1);
    await desk.settled();
    for (const [index, delayMs] of retryDelaysMs.slice(0, 4).entries()) {
      await after(delayMs - 1);
      expect(receiver.calls).toHaveLength(index + 1);
      if (index === 3) receiver.answer(withStatus(200));
      await after(1);
      expect(receiver.calls).toHaveLength(index + 2);
    }
    await after(20 * DAY_MS);
    expect(receiver.calls).toHaveLength(5);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5);
    const [delivery] = await deliveriesOf(webhook.id);
    expect(delivery).toMatchObject({ state: 'DELIVERED', attempts: 5, failures: 4 });
    expect(delivery?.history.map(({ status }) => status)).toEqual([500, 500, 500, 500, 200]);
    const last = receiver.calls.at(-1);
    const sentAt = delivery?.history.at(-1)?.at.getTime() ?? 0;
    expect(last && verified(secret, last, () => sentAt)).toBeDefined();
  });

  once('is told of a token that was made, by a signed call without its secret', async () => {
    const { secret } = await made(call, receiver.url, { types: ['account.security'] });
    const access = operatorContext(
      db.prisma,
      () => clock.at,
      () => {},
    );
    const wish = { accountId: account.id, name: 'phone', scopes: ['account' as const] };
    const { token, id } = await createToken(access, { ...wish, vehicleIds: null });
    await receiver.came(1);
    const [told] = receiver.calls;
    expect(told && verified(secret, told, () => clock.at)).toMatchObject({
      type: 'account.security',
      vehicle_public_id: null,
      data: { action: 'token.create', actor: 'operator', object: id, last_four: token.slice(-4) },
    });
    expect(told?.body).not.toContain(token);
  });

  it('is paused after the last attempt, tells so, and takes what it missed when it is resumed', async () => {
    receiver.answer(withStatus(503));
    const { webhook } = await made(call, receiver.url, {
      types: ['drive.ended', 'webhook.status_changed'],
    });
    const witness = await startReceiver();
    await made(call, witness.url, { types: ['webhook.status_changed'] });
    await drive('a');
    await receiver.came(1);
    await desk.settled();
    for (const delayMs of retryDelaysMs) await after(delayMs);
    expect(receiver.calls).toHaveLength(10);
    expect(await webhookNow(webhook.id)).toMatchObject({
      status: 'PAUSED',
      statusReason: 'exhausted',
      statusChangedAt: new Date(clock.at),
    });
    const [failed] = await deliveriesOf(webhook.id);
    expect(failed).toMatchObject({ state: 'FAILED', attempts: 10 });
    await witness.came(1);
    expect(JSON.parse(witness.calls[0]?.body ?? '')).toMatchObject({
      type: 'webhook.status_changed',
      data: {
        webhook_id: typeIdOf('Webhook', webhook.id),
        status: 'PAUSED',
        reason: 'exhausted',
      },
      previous: { status: 'ACTIVE' },
    });
    receiver.answer(withStatus(200));
    await drive('b', 'c');
    await after(DAY_MS);
    expect(receiver.calls).toHaveLength(10);

    const id = typeIdOf('Webhook', webhook.id);
    expect(await resumeWebhook(call, id)).toMatchObject({ status: 'ACTIVE', statusReason: null });
    await due();
    const told = receiver.calls.slice(10).map(({ body }) => JSON.parse(body));
    expect(told.map(({ type }) => type).sort()).toEqual([
      'drive.ended',
      'drive.ended',
      'webhook.status_changed',
      'webhook.status_changed',
    ]);
    const deliveryId = typeIdOf('WebhookDelivery', failed?.id ?? '');
    await redeliverWebhook(call, { id, deliveryId });
    await due();
    expect(receiver.calls.at(-1)?.headers['webhook-id']).toBe(
      receiver.calls[0]?.headers['webhook-id'],
    );
    const after10 = (await deliveriesOf(webhook.id)).find(({ id: one }) => one === failed?.id);
    expect(after10).toMatchObject({ state: 'DELIVERED', attempts: 11, failures: 0 });
    expect(after10?.history).toHaveLength(11);
    await witness[Symbol.asyncDispose]();
  });

  once('is disabled by 410, and can be resumed', async () => {
    receiver.answer(withStatus(410));
    const { webhook } = await made(call, receiver.url);
    await drive('a', 'b');
    await receiver.came(1);
    await desk.settled();
    expect(await webhookNow(webhook.id)).toMatchObject({
      status: 'DISABLED',
      statusReason: 'gone',
    });
    await after(DAY_MS);
    const before = receiver.calls.length;
    receiver.answer(withStatus(200));
    await resumeWebhook(call, typeIdOf('Webhook', webhook.id));
    await drive('c');
    await due();
    expect(receiver.calls.length).toBeGreaterThan(before);
  });

  once('fails by a redirect, and waits as long as it asks to', async () => {
    const elsewhere = await startReceiver();
    receiver.answer(withStatus(307, { location: elsewhere.url, 'retry-after': '3600' }));
    const { webhook } = await made(call, receiver.url);
    await drive('a');
    await receiver.came(1);
    await desk.settled();
    expect(await deliveriesOf(webhook.id)).toMatchObject([
      {
        state: 'PENDING',
        dueAt: new Date(clock.at + 3_600 * SECOND_MS),
        history: [{ status: 307, error: 'redirect' }],
      },
    ]);
    expect(elsewhere.calls).toEqual([]);
    await elsewhere[Symbol.asyncDispose]();
  });

  once(
    'that never ends its answer, or never begins it, holds up no other, and fails in time',
    async () => {
      await desk.close();
      desk = aDesk(db, clock, { pace: { call: 400 } });
      call = { ...call, desk };
      const silent = await startReceiver();
      silent.answer(() => {});
      receiver.answer((response) => {
        response.writeHead(200).write('.');
      });
      const other = await startReceiver();
      const dripping = await made(call, receiver.url);
      const waiting = await made(call, silent.url);
      const taking = await made(call, other.url);
      await drive('a', 'b', 'c', 'd', 'e', 'f');
      await other.came(6);
      // Of the slow ones a few calls are open by now, and none was answered.
      expect(receiver.calls.length).toBeLessThanOrEqual(4);
      await desk.settled();
      const states = async (id: string) =>
        (await deliveriesOf(id)).map(({ state, history }) => [state, history[0]?.error]);
      expect(await states(dripping.webhook.id)).toEqual(Array(6).fill(['PENDING', 'timeout']));
      expect(await states(waiting.webhook.id)).toEqual(Array(6).fill(['PENDING', 'timeout']));
      expect(await states(taking.webhook.id)).toEqual(Array(6).fill(['DELIVERED', null]));
      await silent[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  );

  once('of which one call fails on our side has the others waited for', async () => {
    await desk.close();
    let fails = true;
    const random = () => {
      if (!fails) return 0;
      fails = false;
      throw new Error('There is no luck to draw.');
    };
    desk = aDesk(db, clock, { random });
    call = { ...call, desk };
    const order: string[] = [];
    receiver.answer((response) => {
      if (receiver.calls.length === 1) response.writeHead(204).end();
      else
        setTimeout(() => {
          order.push('answered');
          response.writeHead(204).end();
        }, 100);
    });
    await made(call, receiver.url);
    await drive('a', 'b');
    await receiver.came(2);
    await desk.settled();
    order.push('settled');
    expect(order).toEqual(['answered', 'settled']);
  });

  once('has the beginning of its answer kept, without secrets and however long it is', async () => {
    const { webhook, secret } = await made(call, receiver.url);
    receiver.answer((response, { headers }) => {
      response.writeHead(400);
      response.write(`no\u0000pe ${secret} ${headers['webhook-signature']} `);
      response.end('x'.repeat(5_000_000));
    });
    await drive('a');
    await receiver.came(1);
    await desk.settled();
    const [delivery] = await deliveriesOf(webhook.id);
    const excerpt = delivery?.history[0]?.responseExcerpt ?? '';
    expect(excerpt).toMatch(/^nope \[secret\] v1,\[signature\] x+$/);
    expect(excerpt).toHaveLength(500);
  });

  it('is told nothing any more when the token behind it is revoked, and says why', async () => {
    const { webhook } = await made(call, receiver.url);
    receiver.answer(withStatus(500));
    await drive('a');
    await receiver.came(1);
    await desk.settled();
    await db.prisma.token.updateMany({ data: { revokedAt: new Date(clock.at) } });
    await after(5 * SECOND_MS);
    await drive('b');
    await due();
    expect(receiver.calls).toHaveLength(1);
    expect(await webhookNow(webhook.id)).toMatchObject({
      status: 'PAUSED',
      statusReason: 'credential_revoked',
    });
    const fresh = callOf(db.prisma, { desk, clock, principal: await aHolder(db.prisma, account) });
    receiver.answer(withStatus(200));
    await resumeWebhook(fresh, typeIdOf('Webhook', webhook.id));
    await due();
    expect(receiver.calls).toHaveLength(3);
  });

  once('is told nothing any more when the token behind it has ended', async () => {
    const principal = await aHolder(db.prisma, account, { days: 1 });
    const { webhook } = await made(callOf(db.prisma, { desk, clock, principal }), receiver.url);
    clock.at += DAY_MS;
    await drive('a');
    await due();
    expect(receiver.calls).toEqual([]);
    expect(await webhookNow(webhook.id)).toMatchObject({ statusReason: 'credential_expired' });
  });

  it('loses the types that its token may not hear any more, also those that were on their way', async () => {
    const types = ['drive.ended', 'webhook.status_changed'];
    const { webhook } = await made(call, receiver.url, { types });
    receiver.answer(withStatus(500));
    await drive('a');
    await receiver.came(1);
    await desk.settled();
    await db.prisma.token.updateMany({ data: { scopes: ['account'] } });
    await after(5 * SECOND_MS);
    await drive('b');
    await due();
    expect(receiver.calls).toHaveLength(1);
    expect(await deliveriesOf(webhook.id)).toMatchObject([{ state: 'DROPPED', attempts: 1 }]);
    expect(await webhookNow(webhook.id)).toMatchObject({ status: 'ACTIVE' });
    await db.prisma.token.updateMany({ data: { scopes: ['maker-accounts'] } });
    await drive('c');
    await due();
    expect(await webhookNow(webhook.id)).toMatchObject({ statusReason: 'scope_lost' });
    expect(receiver.calls).toHaveLength(1);
  });

  it('is told of its own types and vehicles, of those its token may see, and from its making on', async () => {
    await drive('before');
    const second = await aVehicle(db.prisma, account);
    const stranger = await aVehicle(db.prisma, await anAccount(db.prisma));
    const limited = await aHolder(db.prisma, account, { vehicleIds: [second.id] });
    const chosen = await startReceiver();
    const bound = await startReceiver();
    await made(call, receiver.url);
    await made(call, chosen.url, { vehiclePublicIds: [second.publicId] });
    await made(callOf(db.prisma, { desk, clock, principal: limited }), bound.url);
    for (const one of [vehicle, second, stranger]) {
      await happen(db.prisma, one, { type: 'drive.started' }, { type: 'drive.ended' });
    }
    await due();
    const told = ({ calls }: Receiver) =>
      calls.map(({ body }) => at(JSON.parse(body), 'vehicle_public_id')).sort();
    expect(told(receiver)).toEqual([vehicle.publicId, second.publicId].sort());
    expect(told(chosen)).toEqual([second.publicId]);
    expect(told(bound)).toEqual([second.publicId]);
    await chosen[Symbol.asyncDispose]();
    await bound[Symbol.asyncDispose]();
  });

  once('is sent a large event without what it is about, under 20 kB', async () => {
    const { secret } = await made(call, receiver.url);
    await happen(db.prisma, vehicle, { type: 'drive.ended', data: { note: 'ü'.repeat(15_000) } });
    await receiver.came(1);
    const [got] = receiver.calls;
    expect(Buffer.byteLength(got?.body ?? '')).toBeLessThan(20_000);
    expect(got && verified(secret, got, clock)).toMatchObject({
      type: 'drive.ended',
      data: {},
      truncated: true,
    });
  });

  once('is tried out by an event of its own, once, also while it is paused', async () => {
    const { webhook, secret } = await made(call, receiver.url);
    const id = typeIdOf('Webhook', webhook.id);
    await db.prisma.webhook.update({ where: { id: webhook.id }, data: { status: 'PAUSED' } });
    expect(await testWebhook(call, id)).toMatchObject({ state: 'DELIVERED', attempts: 1 });
    const [got] = receiver.calls;
    expect(got && verified(secret, got, clock)).toMatchObject({
      type: 'webhook.test',
      data: { webhook_id: id },
    });
    receiver.answer(withStatus(500));
    expect(await testWebhook(call, id)).toMatchObject({ state: 'FAILED', attempts: 1 });
    await after(30 * DAY_MS);
    expect(receiver.calls).toHaveLength(2);
  });

  once(
    'keeps at most a thousand waiting, and the rest in the outbox until there is room',
    async () => {
      receiver.answer(withStatus(500));
      const { webhook } = await made(call, receiver.url);
      await db.prisma.webhook.update({ where: { id: webhook.id }, data: { status: 'PAUSED' } });
      await db.prisma.webhookDelivery.createMany({
        data: Array.from({ length: 999 }, (_, index) => ({
          id: crypto.randomUUID(),
          ...{ webhookId: webhook.id, eventId: crypto.randomUUID(), type: 'drive.ended' },
          ...{
            body: '{}',
            dueAt: new Date(clock.at + DAY_MS + index),
            createdAt: new Date(clock.at),
          },
        })),
      });
      await db.prisma.webhook.update({ where: { id: webhook.id }, data: { status: 'ACTIVE' } });
      await drive('a', 'b');
      await due();
      expect(receiver.calls).toHaveLength(1);
      expect(await webhookNow(webhook.id)).toMatchObject({ position: 1n });
      await db.prisma.webhookDelivery.deleteMany({ where: { body: '{}' } });
      await due();
      expect(receiver.calls).toHaveLength(2);
    },
  );

  it('has its deliveries forgotten after 30 days, but not what it is still called for', async () => {
    const { webhook } = await made(call, receiver.url);
    await drive('a');
    await receiver.came(1);
    await desk.settled();
    receiver.answer(withStatus(500, { 'retry-after': '86400' }));
    await drive('b');
    await receiver.came(2);
    await desk.settled();
    await db.prisma.webhookDelivery.updateMany({
      data: { createdAt: new Date(clock.at - 31 * DAY_MS) },
    });
    await after(2 * 3_600 * SECOND_MS);
    expect(await deliveriesOf(webhook.id)).toMatchObject([{ state: 'PENDING' }]);
  });
});
