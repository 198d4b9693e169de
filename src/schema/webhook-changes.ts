import {
  createWebhook,
  deleteWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookWithSecret,
} from '../actions/webhook-changes.ts';
import type { WebhookWish } from '../actions/webhook-request.ts';
import { redeliverWebhook, testWebhook } from '../actions/webhook-sending.ts';
import { eventTypes } from '../contract/events.ts';
import type {
  WebhookDelivery as DeliveryRow,
  Webhook as WebhookRow,
} from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { webhookCall } from './context.ts';
import { account, Webhook } from './webhook.ts';
import { WebhookDelivery } from './webhook-delivery.ts';

const typesSentence = `Types of events it is told: ${eventTypes.join(', ')}. Each needs its own scope.`;
const vehiclesSentence =
  'Public ids of the vehicles it is told of; what is about no vehicle does not come then. Null for everything.';

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A webhook to make.',
  fields: (t) => ({
    url: t.string({ required: true, description: 'Address to call, by https.' }),
    types: t.stringList({ required: true, description: typesSentence }),
    vehiclePublicIds: t.idList({ description: vehiclesSentence }),
    description: t.string({ description: 'A note to recognise it by.' }),
  }),
});

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'What to change of a webhook; what is left out stays.',
  fields: (t) => ({
    url: t.string({ description: 'Address to call, by https.' }),
    types: t.stringList({ description: typesSentence }),
    vehiclePublicIds: t.idList({ description: vehiclesSentence }),
    description: t.string({ description: 'A note to recognise it by; null removes it.' }),
  }),
});

const WebhookPayload = builder.objectRef<{ webhook: WebhookRow }>('WebhookPayload').implement({
  description: 'A webhook after the change.',
  authScopes: account,
  fields: (t) => ({
    webhook: t.field({
      type: Webhook,
      description: 'The webhook.',
      resolve: ({ webhook }) => webhook,
    }),
  }),
});

const WebhookSecretPayload = builder
  .objectRef<WebhookWithSecret>('WebhookSecretPayload')
  .implement({
    description: 'A webhook and its secret.',
    authScopes: account,
    fields: (t) => ({
      webhook: t.field({
        type: Webhook,
        description: 'The webhook.',
        resolve: ({ webhook }) => webhook,
      }),
      secret: t.exposeString('secret', {
        description: 'The secret to verify with; it can never be read again.',
      }),
    }),
  });

const DeleteWebhookPayload = builder.objectRef<{ id: string }>('DeleteWebhookPayload').implement({
  description: 'What was deleted.',
  authScopes: account,
  fields: (t) => ({ id: t.exposeID('id', { description: 'Id of the webhook.' }) }),
});

const WebhookDeliveryPayload = builder
  .objectRef<{ delivery: DeliveryRow }>('WebhookDeliveryPayload')
  .implement({
    description: 'A delivery that was asked for.',
    authScopes: account,
    fields: (t) => ({
      delivery: t.field({
        type: WebhookDelivery,
        description: 'The delivery.',
        resolve: ({ delivery }) => delivery,
      }),
    }),
  });

/** What an input says, with null for what only an absence can stand for left out. */
function wishOf({
  url,
  types,
  ...rest
}: { [K in keyof WebhookWish]?: WebhookWish[K] | null }): WebhookWish {
  return { ...rest, ...(url == null ? {} : { url }), ...(types == null ? {} : { types }) };
}

builder.mutationFields((t) => {
  const id = t.arg.id({ required: true, description: 'Id of the webhook.' });
  return {
    createWebhook: t.field({
      type: WebhookSecretPayload,
      description: 'Makes a webhook, which is told what happens from now on.',
      authScopes: account,
      args: {
        input: t.arg({ type: CreateWebhookInput, required: true, description: 'What to make.' }),
      },
      resolve: (_root, { input }, context) =>
        createWebhook(webhookCall(context), {
          ...wishOf(input),
          url: input.url,
          types: input.types,
        }),
    }),
    updateWebhook: t.field({
      type: WebhookPayload,
      description:
        'Changes a webhook. A new address, types or vehicles put your token behind it, which has to be able to hear all its events.',
      authScopes: account,
      args: {
        id,
        input: t.arg({ type: UpdateWebhookInput, required: true, description: 'What to change.' }),
      },
      resolve: async (_root, args, context) => ({
        webhook: await updateWebhook(webhookCall(context), { ...wishOf(args.input), id: args.id }),
      }),
    }),
    deleteWebhook: t.field({
      type: DeleteWebhookPayload,
      description: 'Deletes a webhook and what is known of its deliveries.',
      authScopes: account,
      args: { id },
      resolve: (_root, args, context) => deleteWebhook(webhookCall(context), args.id),
    }),
    rotateWebhookSecret: t.field({
      type: WebhookSecretPayload,
      description:
        'Gives a webhook a new secret; for 24 hours the one before signs as well. It puts your token behind the webhook.',
      authScopes: account,
      args: { id },
      resolve: (_root, args, context) => rotateWebhookSecret(webhookCall(context), args.id),
    }),
    resumeWebhook: t.field({
      type: WebhookPayload,
      description:
        'Has a webhook called again, with what happened since as far as it is kept. It puts your token behind the webhook.',
      authScopes: account,
      args: { id },
      resolve: async (_root, args, context) => ({
        webhook: await resumeWebhook(webhookCall(context), args.id),
      }),
    }),
    testWebhook: t.field({
      type: WebhookDeliveryPayload,
      description: 'Sends the event `webhook.test` once and waits for the answer.',
      authScopes: account,
      args: { id },
      resolve: async (_root, args, context) => ({
        delivery: await testWebhook(webhookCall(context), args.id),
      }),
    }),
    redeliverWebhook: t.field({
      type: WebhookDeliveryPayload,
      description: 'Has a delivery sent again, with the same event id.',
      authScopes: account,
      args: {
        id,
        deliveryId: t.arg.id({ required: true, description: 'Id of the delivery.' }),
      },
      resolve: async (_root, args, context) => ({
        delivery: await redeliverWebhook(webhookCall(context), {
          id: args.id,
          deliveryId: args.deliveryId,
        }),
      }),
    }),
  };
});
