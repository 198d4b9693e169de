import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import { nearMiss } from '../base/near-miss.ts';
import { checkTarget, RefusedTarget } from '../base/outbound.ts';
import { type EventType, eventTypes, isEventType } from '../contract/events.ts';
import { vehicleIdsByName } from '../store/vehicle-names.ts';
import { requireHearing } from './hearing.ts';
import { refuse } from './token-request.ts';
import type { WebhookCall } from './webhook-change.ts';

const LONGEST_DESCRIPTION = 200;

/** What is asked of a webhook; what is absent stays as it is. */
export type WebhookWish = {
  url?: string;
  description?: string | null;
  types?: readonly string[];
  /** Slugs or `veh_` ids; null for all vehicles. */
  vehiclePublicIds?: readonly string[] | null;
};

/** The same in stored terms; null and an empty list of vehicles stand for all of them. */
export type WebhookTerms = {
  url?: string;
  description?: string | null;
  types?: EventType[];
  vehicleIds?: string[];
};

function typeMessages(types: readonly string[] | undefined): string[] {
  if (types?.length === 0) return ['At least one type of event is needed.'];
  const unknown = (types ?? []).filter((type) => !isEventType(type));
  const sentences = unknown.map((type) => {
    const meant = nearMiss(type, eventTypes);
    const hint = meant === null ? `There are ${eventTypes.join(', ')}.` : `Did you mean ${meant}?`;
    return `No such type of event. ${hint}`;
  });
  return [...new Set(sentences)];
}

function descriptionMessages(description: string | null | undefined): string[] {
  if (description == null) return [];
  if (description.length > LONGEST_DESCRIPTION)
    return [`At most ${LONGEST_DESCRIPTION} characters.`];
  const control = /[\p{Cc}\p{Cs}]/u.test(description);
  return control ? ['Control characters cannot be part of a description.'] : [];
}

async function urlMessages(
  { desk }: WebhookCall,
  url: string | undefined,
): Promise<{ href: string | undefined; messages: string[] }> {
  try {
    const href = url === undefined ? undefined : (await checkTarget(url, desk.policy)).href;
    return { href, messages: [] };
  } catch (error) {
    if (!(error instanceof RefusedTarget)) throw error;
    return { href: undefined, messages: [error.message] };
  }
}

/** Throws `insufficient_scope` for types that the caller may not hear. */
export function requireAll(principal: Principal, types: readonly string[]): void {
  for (const type of types) if (isEventType(type)) requireHearing(principal, 'api', type);
}

/**
 * What is asked in stored terms. Throws `validation_failed` with every field that is wrong, an address that must not be
 * called among them, and `insufficient_scope` for types that the caller may not hear.
 */
export async function webhookTerms(call: WebhookCall, wish: WebhookWish): Promise<WebhookTerms> {
  const { prisma, principal } = call;
  const { types, description, vehiclePublicIds } = wish;
  const names = vehiclePublicIds ?? [];
  const idByName = await vehicleIdsByName(prisma, principal, names);
  const { href: url, messages } = await urlMessages(call, wish.url);
  const unseen = names.filter((name) => !idByName.has(name));
  refuse('The webhook cannot be kept as asked.', {
    url: messages,
    types: typeMessages(types),
    description: descriptionMessages(description),
    vehiclePublicIds:
      vehiclePublicIds?.length === 0
        ? ['Name at least one vehicle, or none at all for every vehicle.']
        : unseen.length > 0
          ? ['One of them is no vehicle of yours.']
          : [],
  });
  requireAll(principal, types ?? []);
  return {
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description: description?.trim() || null }),
    ...(types === undefined ? {} : { types: [...new Set(types.filter(isEventType))] }),
    ...(vehiclePublicIds === undefined ? {} : { vehicleIds: [...new Set(idByName.values())] }),
  };
}

/** Throws `validation_failed` where an account has as many webhooks as it may. */
export function requireRoom(count: number, most: number): void {
  if (count < most) return;
  const sentence = `There are ${most} webhooks already; delete one first.`;
  throw new ServiceError('validation_failed', sentence, { fields: { url: [sentence] } });
}
