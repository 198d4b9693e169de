import { eventCursorOf, replayPosition } from '../actions/event-cursor.ts';
import { openEventLog } from '../actions/event-log.ts';
import { type EventView, eventView } from '../actions/event-view.ts';
import { isToldExactly, mayHear, mayHearType, requireHearing } from '../actions/hearing.ts';
import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf } from '../base/ids.ts';
import { type EventType, eventTypes, isEventType } from '../contract/events.ts';
import type { StoredEvent } from '../store/outbox-read.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { type Context, caller } from './context.ts';
import { chosenVehicles } from './live.ts';
import { seesExactly } from './precision.ts';
import { UntoldEvent } from './untold-event.ts';

/** Whoever holds one of these may hear the events of it. */
const anyEvents = {
  $any: { vehicles: true, controls: true, 'maker-accounts': true, account: true },
} as const satisfies Guard;

const Event = builder.objectRef<EventView>('Event').implement({
  description: 'Something that happened.',
  authScopes: anyEvents,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the event; it never comes twice.' }),
    type: t.exposeString('type', {
      description: `What happened: \`system.heartbeat\`, ${eventTypes.map((type) => `\`${type}\``).join(', ')}.`,
    }),
    version: t.exposeInt('version', { description: 'Version of the form of `data`.' }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When it happened.' }),
    accountId: t.exposeID('accountId', { description: 'Id of the account.' }),
    vehiclePublicId: t.exposeString('vehiclePublicId', {
      nullable: true,
      description: 'Slug of the vehicle at that time; null for what is about none.',
    }),
    sequence: t.exposeInt('sequence', {
      nullable: true,
      description: 'Place among the events of the vehicle.',
    }),
    data: t.expose('data', { type: 'JSON', description: 'What it is about.' }),
    previous: t.expose('previous', {
      type: 'JSON',
      nullable: true,
      description: 'The changed fields before the change.',
    }),
    cursor: t.exposeString('cursor', {
      description: 'What to give as `after` to be told all that came after it, for 24 hours.',
    }),
  }),
});

/** The types that are wanted. Throws for one that is none, and for one that the caller may not hear. */
function wantedTypes(
  context: Context,
  types: readonly string[] | null | undefined,
): ReadonlySet<EventType> {
  const principal = caller(context);
  if (types == null)
    return new Set(eventTypes.filter((type) => mayHearType(principal, context.surface, type)));
  const wanted = new Set<EventType>();
  for (const type of types) {
    if (!isEventType(type)) {
      const sentence = `There is no event ${type}.`;
      throw new ServiceError('validation_failed', `types: ${sentence}`, {
        fields: { types: [sentence] },
      });
    }
    requireHearing(principal, context.surface, type);
    wanted.add(type);
  }
  return wanted;
}

/** What is told first where no cursor is given: nothing happened, and here is the cursor of now. */
function heartbeat(context: Context, position: number): EventView {
  const { accountId } = caller(context);
  return {
    id: typeIdOf('Event', newUuid()),
    type: 'system.heartbeat',
    version: 1,
    occurredAt: context.clock(),
    accountId: typeIdOf('Account', accountId),
    vehiclePublicId: null,
    sequence: null,
    data: {},
    previous: null,
    cursor: eventCursorOf(accountId, position),
  };
}

/** Whether the caller sees positions as exactly as an event needs; what it is about is read anew where that matters. */
export async function isToldWhere(
  context: Context,
  { type, vehicleId }: Pick<StoredEvent, 'type' | 'vehicleId'>,
): Promise<boolean> {
  return vehicleId === null || !isToldExactly(type) || (await seesExactly(context, vehicleId));
}

type Told = { event: StoredEvent } | { position: number };

async function followEvents(
  context: Context,
  wish: {
    types?: readonly string[] | null;
    publicIds?: readonly string[] | null;
    after?: string | null;
  },
): Promise<AsyncIterableIterator<Told>> {
  const { accountId } = caller(context);
  const types = wantedTypes(context, wish.types);
  const chosen = await chosenVehicles(context, wish.publicIds);
  const after =
    wish.after == null
      ? null
      : await replayPosition(context.prisma, {
          accountId,
          cursor: wish.after,
          name: 'after',
          now: context.clock(),
        });
  const log = await openEventLog(context, {
    accountId,
    after,
    wants: (event) =>
      types.has(event.type) &&
      (chosen === null || (event.vehicleId !== null && chosen.has(event.vehicleId))),
  });
  let begun = after !== null;
  const told: AsyncIterableIterator<Told> = {
    async next() {
      if (!begun) {
        begun = true;
        return { done: false, value: { position: log.from } };
      }
      const { done, value } = await log.next();
      return done === true ? { done, value: undefined } : { done: false, value: { event: value } };
    },
    async return() {
      await log.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => told,
  };
  return told;
}

builder.subscriptionField('events', (t) =>
  t.field({
    type: Event,
    description:
      'Every event of your account, in order, none left out and none twice. The first is a `system.heartbeat` with the cursor of now, unless `after` is given.',
    authScopes: anyEvents,
    args: {
      types: t.arg.stringList({
        description: 'Only events of these types; all that the token may hear when left out.',
      }),
      publicIds: t.arg.idList({ description: 'Only events of these vehicles.' }),
      after: t.arg.string({
        description: 'Cursor of an event: tell first what came after it. Not older than 24 hours.',
      }),
    },
    subscribe: (_root, args, context) => followEvents(context, args),
    resolve: async (told, _args, context) => {
      if ('position' in told) return heartbeat(context, told.position);
      const principal = caller(context);
      const { event } = told;
      const { type } = event;
      if (
        mayHear(principal, event) &&
        mayHearType(principal, context.surface, type) &&
        (await isToldWhere(context, event))
      )
        return eventView(event);
      throw new UntoldEvent('The event is hidden from the caller.');
    },
  }),
);
