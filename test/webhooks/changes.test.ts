import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWebhook,
  deleteWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../src/actions/webhook-changes.ts';
import type { WebhookDesk } from '../../src/actions/webhook-desk.ts';
import type { WebhookWish } from '../../src/actions/webhook-request.ts';
import type { Principal } from '../../src/auth/principal.ts';
import { newUuid, typeIdOf } from '../../src/base/ids.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { answer, at, listAt } from '../schema/ask.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aVehicle, aWebhook, aWebhookDelivery } from '../support/rows.ts';
import { aDesk, aHolder, callOf, standingClock } from './sending.ts';

const url = 'https://127.0.0.1/hook';
const types = ['drive.ended'];
let db: ScratchDatabase;
let desk: WebhookDesk;
let account: Account;
let vehicle: Vehicle;
let full: Principal;
const clock = standingClock();
beforeAll(async () => {
  db = await scratchDatabase('embedded');
  desk = aDesk(db, clock);
});
afterAll(async () => {
  await desk.close();
  await db.close();
});
beforeEach(async () => {
  account = await anAccount(db.prisma);
  vehicle = await aVehicle(db.prisma, account);
  full = await aHolder(db.prisma, account);
});

const as = (principal: Principal) => callOf(db.prisma, { desk, clock, principal });

describe('a webhook', () => {
  it.each<[string, Partial<WebhookWish>]>([
    ['url', { url: 'https://10.0.0.1/' }],
    ['url', { url: 'http://93.184.215.14/' }],
    ['url', { url: 'https://[::1]/' }],
    ['url', { url: 'https://user:secret@127.0.0.1/' }],
    ['url', { url: 'file:///etc/passwd' }],
    ['url', { url: '' }],
    ['types', { types: [] }],
    ['types', { types: ['drive.ended', 'drive.exploded'] }],
    ['types', { types: ['webhook.test'] }],
    ['vehiclePublicIds', { vehiclePublicIds: [] }],
    ['vehiclePublicIds', { vehiclePublicIds: ['no-such-car'] }],
    ['description', { description: 'a'.repeat(201) }],
    ['description', { description: 'a\u0000b' }],
  ])('is refused with what is wrong at `%s`: %j', async (field, wish) => {
    const made = createWebhook(as(full), { url, types, ...wish });
    await expect(made).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { [field]: [expect.any(String)] },
    });
  });

  it('is refused to a token that may not hear its types, and to one that may not see its vehicle', async () => {
    const narrow = await aHolder(db.prisma, account, { held: ['account'] });
    await expect(createWebhook(as(narrow), { url, types })).rejects.toMatchObject({
      code: 'insufficient_scope',
      requiredScope: 'vehicles',
    });
    const bound = await aHolder(db.prisma, account, { vehicleIds: [newUuid()] });
    const wish = { url, types, vehiclePublicIds: [vehicle.publicId] };
    await expect(createWebhook(as(bound), wish)).rejects.toMatchObject({
      fields: { vehiclePublicIds: [expect.any(String)] },
    });
  });

  it('is one of 20 at most', async () => {
    for (let count = 0; count < 20; count += 1) await aWebhook(db.prisma, account);
    await expect(createWebhook(as(full), { url, types })).rejects.toThrow('20 webhooks already');
  });

  it('is not turned elsewhere, renewed or resumed by a token that may not hear what it tells', async () => {
    const { webhook } = await createWebhook(as(full), { url, types });
    const id = typeIdOf('Webhook', webhook.id);
    const narrow = as(await aHolder(db.prisma, account, { held: ['account'] }));
    const denied = { code: 'insufficient_scope', requiredScope: 'vehicles' };
    await expect(
      updateWebhook(narrow, { id, url: 'https://127.0.0.1/mine' }),
    ).rejects.toMatchObject(denied);
    await expect(rotateWebhookSecret(narrow, id)).rejects.toMatchObject(denied);
    await expect(resumeWebhook(narrow, id)).rejects.toMatchObject(denied);
    expect(await updateWebhook(narrow, { id, description: 'note' })).toMatchObject({
      description: 'note',
      credentialId: webhook.credentialId,
    });
  });

  it('has whoever changes what it tells behind it', async () => {
    const { webhook } = await createWebhook(as(full), { url, types });
    const id = typeIdOf('Webhook', webhook.id);
    const second = await aHolder(db.prisma, account);
    const changed = await updateWebhook(as(second), { id, vehiclePublicIds: [vehicle.publicId] });
    expect(changed).toMatchObject({
      url,
      types,
      vehicleIds: [vehicle.id],
      credentialId: second.credential.id,
    });
    expect(await updateWebhook(as(full), { id, vehiclePublicIds: null })).toMatchObject({
      vehicleIds: [],
      credentialId: full.credential.id,
    });
  });

  it('of another account is not found, like one that does not exist', async () => {
    const theirs = await aWebhook(db.prisma, await anAccount(db.prisma));
    const refusals: unknown[] = [];
    for (const id of [typeIdOf('Webhook', theirs.id), typeIdOf('Webhook', newUuid()), 'rubbish']) {
      for (const attempt of [
        () => updateWebhook(as(full), { id, description: 'mine' }),
        () => deleteWebhook(as(full), id),
        () => rotateWebhookSecret(as(full), id),
        () => resumeWebhook(as(full), id),
      ]) {
        refusals.push(await attempt().catch(({ code, message }) => ({ code, message })));
      }
    }
    expect(new Set(refusals.map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"code":"not_found","message":"No webhook is found here."}']),
    );
    expect(await db.prisma.webhook.count({ where: { id: theirs.id, description: null } })).toBe(1);
  });

  it('leaves every change in the audit, without its path and its secret', async () => {
    const secretUrl = `${url}?key=hidden`;
    const { webhook, secret } = await createWebhook(as(full), { url: secretUrl, types });
    const id = typeIdOf('Webhook', webhook.id);
    await updateWebhook(as(full), { id, description: 'note' });
    await rotateWebhookSecret(as(full), id);
    await deleteWebhook(as(full), id);
    const entries = await db.prisma.auditEntry.findMany({
      where: { accountId: account.id },
      orderBy: { position: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      'webhook.create',
      'webhook.update',
      'webhook.rotate_secret',
      'webhook.delete',
    ]);
    expect(entries[0]?.details).toEqual({ host: '127.0.0.1', types });
    const told = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? null : value));
    expect(told).not.toMatch(/hidden|whsec_/);
    expect(told).not.toContain(secret);
  });
});

it('what was sent is shown to whoever may hear it, with its attempts, and of the rest that it was', async () => {
  const webhook = await aWebhook(db.prisma, account);
  const delivery = await aWebhookDelivery(db.prisma, webhook);
  const document = `query ($id: ID!) { webhook(id: $id) { deliveries(first: 5, filter: { state: DELIVERED }) {
    totalCount nodes { id eventId type state payload attemptsCount endedAt
      attempts { at status durationMs error responseExcerpt } } } } }`;
  const variables = { id: typeIdOf('Webhook', webhook.id) };
  const read = async (principal: Principal) =>
    listAt(await answer(db.prisma, principal, document, variables), 'webhook.deliveries.nodes');
  const [seen] = await read(full);
  expect(seen).toMatchObject({
    id: typeIdOf('WebhookDelivery', delivery.id),
    type: 'drive.ended',
    payload: { type: 'drive.ended' },
    attemptsCount: 2,
    attempts: [
      { status: 500, error: 'status', durationMs: 20, responseExcerpt: 'oops' },
      { status: 200, error: null, responseExcerpt: null },
    ],
  });
  const [hidden] = await read(await aHolder(db.prisma, account, { held: ['account'] }));
  expect(hidden).toMatchObject({ type: 'drive.ended', payload: null, attemptsCount: 2 });
  expect(at(hidden, 'attempts.0')).toMatchObject({ status: 500, responseExcerpt: null });
});

it('a sealed secret opens for its own webhook alone', async () => {
  const { webhook } = await createWebhook(as(full), { url, types });
  const other = await aWebhook(db.prisma, account, { secret: webhook.secret });
  const id = typeIdOf('Webhook', other.id);
  await db.prisma.webhook.update({ where: { id: other.id }, data: { types } });
  await expect(rotateWebhookSecret(as(full), id)).rejects.toThrow('unable to authenticate');
});
