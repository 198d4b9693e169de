import type { AccountCall } from '../actions/account-call.ts';
import type { CommandDesk } from '../actions/command-desk.ts';
import type { EventFeed } from '../actions/event-feed.ts';
import type { MakerCall, MakerDoor } from '../actions/maker-door.ts';
import type { WebhookCall } from '../actions/webhook-change.ts';
import type { WebhookDesk } from '../actions/webhook-desk.ts';
import type { Principal } from '../auth/principal.ts';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CommandVia } from '../contract/command-states.ts';
import type { Surface } from '../contract/scopes.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';

/**
 * What one operation runs with. Make a new object for every operation: what is loaded for one is cached under the
 * object itself and must not be seen by another.
 */
export type Context = {
  prisma: PrismaClient;
  /** Who is calling; null without a credential. */
  principal: Principal | null;
  surface: Surface;
  clock: Clock;
  /** The way to the makers. */
  maker: MakerDoor;
  /** What subscriptions follow. */
  feed: EventFeed;
  requestId: string;
  log: Log;
  /** Carries out commands; absent where none can be sent. */
  desk?: CommandDesk;
  /** Calls webhooks; absent where none are called. */
  webhooks?: WebhookDesk;
  /** The surface that commands are recorded under; `GRAPHQL` unless given. */
  via?: CommandVia;
};

/** Who is calling. Throws `missing_token` where nobody is. */
export function caller(context: Context): Principal {
  if (context.principal === null) throw new ServiceError('missing_token', 'This needs a token.');
  return context.principal;
}

/** A change of the caller's maker accounts. Throws `missing_token` where nobody is calling. */
export function makerCall(context: Context): MakerCall {
  const { prisma, clock, maker: door, requestId } = context;
  return { prisma, clock, door, principal: caller(context), requestId };
}

/** A change of the caller's account. Throws `missing_token` where nobody is calling. */
export function accountCall(context: Context): AccountCall {
  const { prisma, clock, requestId } = context;
  return { prisma, clock, requestId, principal: caller(context) };
}

/** Where commands are carried out. Throws `service_unavailable` where none can be sent. */
export function commandDesk({ desk }: Context): CommandDesk {
  if (desk !== undefined) return desk;
  throw new ServiceError('service_unavailable', 'No commands can be sent here.');
}

/** A change of the caller's webhooks. Throws `missing_token` where nobody is calling. */
export function webhookCall(context: Context): WebhookCall {
  const { prisma, clock, webhooks: desk, requestId } = context;
  if (desk === undefined)
    throw new ServiceError('service_unavailable', 'No webhooks are called here.');
  return { prisma, clock, desk, principal: caller(context), requestId };
}

/** Something made once per operation, such as a loader; it lives as long as the context. */
export function perOperation<T>(make: (context: Context) => T): (context: Context) => T {
  const made = new WeakMap<Context, T>();
  return (context) => {
    const known = made.get(context);
    if (known !== undefined) return known;
    const fresh = make(context);
    made.set(context, fresh);
    return fresh;
  };
}
