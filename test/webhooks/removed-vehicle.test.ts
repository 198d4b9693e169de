import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventCursorOf, replayPosition } from '../../src/actions/event-cursor.ts';
import { openEventLog } from '../../src/actions/event-log.ts';
import type { WebhookCall } from '../../src/actions/webhook-change.ts';
import type { WebhookDesk } from '../../src/actions/webhook-desk.ts';
import { takeEvents } from '../../src/actions/webhook-intake.ts';
import { redeliverWebhook } from '../../src/actions/webhook-sending.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { HOUR_MS } from '../../src/base/units.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { removeForEver } from '../../src/store/maker-vehicles.ts';
import { aFeed, happen } from '../live/following.ts';
import { describeOnServer, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
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

const driveId = '0195517a-8c00-7a3b-9d4e-5f60718293a4';

let db: ScratchDatabase;
let account: Account;
let vehicle: Vehicle;
let other: Vehicle;
let clock: MovedClock;
let desk: WebhookDesk;
let call: WebhookCall;
let receiver: Receiver;

async function arrange(): Promise<void> {
  account = await anAccount(db.prisma);
  vehicle = await aVehicle(db.prisma, account);
  other = await aVehicle(db.prisma, account);
  clock = standingClock();
  desk = aDesk(db, clock);
  call = callOf(db.prisma, { desk, clock, principal: await aHolder(db.prisma, account) });
  receiver = await startReceiver();
}

async function clear(): Promise<void> {
  await desk.close();
  await receiver[Symbol.asyncDispose]();
  await db.prisma.account.deleteMany();
}

const ended = (of: Vehicle) =>
  happen(db.prisma, of, { type: 'drive.ended' as const, data: { driveId } });
const remove = () =>
  db.prisma.$transaction((tx) =>
    removeForEver(tx, account.id, { vehicles: [vehicle], at: clock.at }),
  );
async function due(): Promise<void> {
  desk.look();
  await desk.settled();
}

describe('a vehicle that is removed for ever', () => {
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  afterAll(() => db?.close());
  beforeEach(arrange);
  afterEach(clear);

  it('takes what webhooks were told of it along, and what they were to be told is not sent', async () => {
    const { webhook } = await made(call, receiver.url);
    await ended(vehicle);
    await due();
    receiver.answer(withStatus(500));
    await ended(vehicle);
    await ended(other);
    await due();
    const calls = receiver.calls.length;
    await remove();
    receiver.answer(withStatus(204));
    clock.at += HOUR_MS;
    await due();
    const left = await db.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });
    expect(left.map(({ vehicleId, state }) => [vehicleId, state])).toEqual([
      [other.id, 'DELIVERED'],
    ]);
    const sent = receiver.calls.slice(calls).map(({ body }) => JSON.parse(body).vehicle_public_id);
    expect(sent).toEqual([other.publicId]);
  });

  it('leaves nothing that could be delivered again', async () => {
    const { webhook } = await made(call, receiver.url);
    await ended(vehicle);
    await due();
    const [row] = await db.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });
    await remove();
    const asked = {
      id: typeIdOf('Webhook', webhook.id),
      deliveryId: typeIdOf('WebhookDelivery', row?.id ?? ''),
    };
    await expect(redeliverWebhook(call, asked)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is told of to who followed it, after which the outbox has its names and nothing else of it', async () => {
    const chosen = { types: ['vehicle.removed'], vehiclePublicIds: [vehicle.publicId] };
    const { secret } = await made(call, receiver.url, chosen);
    const elsewhere = { types: ['vehicle.removed'], vehiclePublicIds: [other.publicId] };
    await made(call, receiver.url, elsewhere);
    await ended(vehicle);
    await remove();
    await due();
    const [told, ...more] = receiver.calls;
    expect(more).toEqual([]);
    const data = { public_id: vehicle.publicId, reason: 'erased' };
    expect(told && verified(secret, told, clock)).toMatchObject({
      ...{ type: 'vehicle.removed', vehicle_public_id: vehicle.publicId, data, previous: null },
    });
    const left = await db.prisma.event.findMany({ where: { vehicleId: vehicle.id } });
    expect(left.map(({ type }) => type)).toEqual(['vehicle.removed']);
    expect(await db.prisma.vehicle.count({ where: { id: vehicle.id } })).toBe(0);
  });

  it('leaves empty places in the outbox, and the cursors before them good', async () => {
    await ended(other);
    await ended(vehicle);
    await ended(other);
    await remove();
    const cursor = eventCursorOf(account.id, 1);
    const asked = { accountId: account.id, cursor, name: 'after', now: Date.now() };
    expect(await replayPosition(db.prisma, asked)).toBe(1);
    const feed = aFeed(db);
    const wish = { accountId: account.id, after: 1, wants: () => true };
    const log = await openEventLog({ prisma: db.prisma, feed }, wish);
    expect((await log.next()).value).toMatchObject({ position: 3, vehicleId: other.id });
    await log.return();
    await feed.close();
    const [, empty] = await db.prisma.event.findMany({ orderBy: { position: 'asc' } });
    expect(empty).toMatchObject({ position: 2n, vehicleId: null, vehiclePublicId: null });
    expect(JSON.stringify(empty?.data)).toBe('{}');
  });
});

describeOnServer('a vehicle that is removed while its events are taken', () => {
  beforeAll(async () => {
    db = await scratchDatabase('server');
  });
  afterAll(() => db?.close());
  beforeEach(arrange);
  afterEach(clear);

  it('leaves no delivery behind', async () => {
    const { webhook } = await made(call, receiver.url);
    await desk.close();
    await ended(vehicle);
    const taken = await db.prisma.$transaction(async (tx) => {
      await removeForEver(tx, account.id, { vehicles: [vehicle], at: clock.at });
      return takeEvents(db.prisma, webhook.id, clock.at);
    });
    expect(taken.written).toBe(0);
    expect((await takeEvents(db.prisma, webhook.id, clock.at)).written).toBe(0);
    expect(await db.prisma.webhookDelivery.count()).toBe(0);
  });
});
