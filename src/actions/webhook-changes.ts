import type { Principal } from '../auth/principal.ts';
import { newUuid, uuidOf } from '../base/ids.ts';
import { MOST_WEBHOOKS, ROTATION_MS } from '../contract/webhooks.ts';
import type { Webhook } from '../store/generated/prisma/client.ts';
import { changeStatus, ownWebhook, sealedSecret, validSecrets } from '../store/webhooks.ts';
import { changing, type WebhookCall } from './webhook-change.ts';
import { requireAll, requireRoom, type WebhookWish, webhookTerms } from './webhook-request.ts';
import { newSigningSecret } from './webhook-signature.ts';

/** A webhook with its secret, which is told this once. */
export type WebhookWithSecret = { webhook: Webhook; secret: string };

/** The credential of the caller as the one behind a webhook. */
function vouching({ credential }: Principal) {
  return { credentialKind: credential.kind, credentialId: credential.id };
}

/**
 * Makes a webhook that is told what happens from now on. Throws `validation_failed`, also for an address that must not be
 * called and beyond 20 webhooks, and `insufficient_scope` for types that the caller may not hear.
 */
export async function createWebhook(
  call: WebhookCall,
  wish: WebhookWish & { url: string; types: readonly string[] },
): Promise<WebhookWithSecret> {
  const {
    url = '',
    types = [],
    vehicleIds = [],
    description = null,
  } = await webhookTerms(call, wish);
  const { principal, desk } = call;
  const { accountId } = principal;
  const id = newUuid();
  const secret = newSigningSecret();
  return changing(call, async (tx, at) => {
    requireRoom(await tx.webhook.count({ where: { accountId } }), MOST_WEBHOOKS);
    const { eventPosition } = await tx.account.findUniqueOrThrow({ where: { id: accountId } });
    const webhook = await tx.webhook.create({
      data: {
        ...{ id, accountId, url, description, types, vehicleIds, ...vouching(principal) },
        secret: sealedSecret(desk.vault, id, { secret, column: 'secret' }),
        position: eventPosition,
        statusChangedAt: new Date(at),
        createdAt: new Date(at),
      },
    });
    const details = { host: new URL(url).host, types };
    return { result: { webhook, secret }, webhookId: id, action: 'webhook.create', details };
  });
}

/**
 * Changes a webhook. Whoever changes where it goes or what it is told vouches for it from then on, and has to be able to
 * hear all of it: nobody turns the events of another credential to an address of their own. Throws like `createWebhook`,
 * and `not_found`.
 */
export async function updateWebhook(
  call: WebhookCall,
  { id, ...wish }: WebhookWish & { id: string },
): Promise<Webhook> {
  const { prisma, principal } = call;
  const { accountId } = principal;
  const uuid = uuidOf('Webhook', id);
  await ownWebhook(prisma, accountId, uuid);
  const terms = await webhookTerms(call, wish);
  const { description: _, ...telling } = terms;
  return changing(call, async (tx) => {
    const before = await ownWebhook(tx, accountId, uuid);
    const vouches = Object.keys(telling).length > 0;
    if (vouches) requireAll(principal, terms.types ?? before.types);
    const result = await tx.webhook.update({
      where: { id: before.id },
      data: { ...terms, ...(vouches ? vouching(principal) : {}) },
    });
    const details = { fields: Object.keys(terms) };
    return { result, webhookId: before.id, action: 'webhook.update', details };
  });
}

/** Deletes a webhook with all that is known of its deliveries; its id. Throws `not_found`. */
export function deleteWebhook(call: WebhookCall, id: string): Promise<{ id: string }> {
  return changing(call, async (tx) => {
    const webhook = await ownWebhook(tx, call.principal.accountId, uuidOf('Webhook', id));
    await tx.webhook.delete({ where: { id: webhook.id } });
    return { result: { id }, webhookId: webhook.id, action: 'webhook.delete', details: {} };
  });
}

/**
 * Gives a webhook a new secret; the one before signs as well for 24 hours. Whoever does vouches for it, as with a change.
 * Throws `not_found` and `insufficient_scope`.
 */
export function rotateWebhookSecret(call: WebhookCall, id: string): Promise<WebhookWithSecret> {
  const { principal, desk } = call;
  const { vault } = desk;
  return changing(call, async (tx, at) => {
    const before = await ownWebhook(tx, principal.accountId, uuidOf('Webhook', id));
    requireAll(principal, before.types);
    const [current] = validSecrets(vault, before, at);
    const secret = newSigningSecret();
    const webhook = await tx.webhook.update({
      where: { id: before.id },
      data: {
        ...vouching(principal),
        secret: sealedSecret(vault, before.id, { secret, column: 'secret' }),
        previousSecret: sealedSecret(vault, before.id, {
          secret: current,
          column: 'previous_secret',
        }),
        previousSecretUntil: new Date(at + ROTATION_MS),
      },
    });
    const action = 'webhook.rotate_secret';
    return { result: { webhook, secret }, webhookId: before.id, action, details: {} };
  });
}

/**
 * Has a webhook called again: with what waited, and with what happened since as far as it is kept. Whoever does vouches
 * for it. Throws `not_found` and `insufficient_scope`.
 */
export async function resumeWebhook(call: WebhookCall, id: string): Promise<Webhook> {
  const { principal, desk } = call;
  const resumed = await changing(call, async (tx, at) => {
    const before = await ownWebhook(tx, principal.accountId, uuidOf('Webhook', id));
    requireAll(principal, before.types);
    const { id: webhookId } = before;
    await tx.webhookDelivery.updateMany({
      where: { webhookId, state: 'PENDING' },
      data: { failures: 0, dueAt: new Date(at) },
    });
    await tx.webhook.update({ where: { id: webhookId }, data: vouching(principal) });
    await changeStatus(tx, before, { status: 'ACTIVE', reason: null, at });
    const result = await tx.webhook.findUniqueOrThrow({ where: { id: webhookId } });
    return { result, webhookId, action: 'webhook.resume', details: { from: before.status } };
  });
  desk.look();
  return resumed;
}
