import { typeIdOf } from '../base/ids.ts';
import { type EventType, eventIds } from '../contract/events.ts';
import type { StoredEvent } from '../store/outbox-read.ts';
import { eventCursorOf } from './event-cursor.ts';

/** An event as callers see it (contract §16): public ids, names in camelCase, instants in epoch milliseconds. */
export type EventView = {
  id: string;
  type: EventType | 'system.heartbeat' | 'webhook.test';
  version: number;
  occurredAt: number;
  accountId: string;
  vehiclePublicId: string | null;
  sequence: number | null;
  data: unknown;
  previous: unknown;
  /** What to give to be told all that came after it. */
  cursor: string;
};

function isIdName(name: string): name is keyof typeof eventIds {
  return Object.hasOwn(eventIds, name);
}

function withPublicIds(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  const entries = Object.entries(data).map(([name, value]: [string, unknown]) => [
    name,
    isIdName(name) && typeof value === 'string' ? typeIdOf(eventIds[name], value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The event as callers see it. */
export function eventView(event: StoredEvent): EventView {
  const { type, version, occurredAt, vehiclePublicId, sequence } = event;
  return {
    id: typeIdOf('Event', event.id),
    type,
    version,
    occurredAt,
    accountId: typeIdOf('Account', event.accountId),
    vehiclePublicId,
    sequence,
    data: withPublicIds(event.data),
    previous: withPublicIds(event.previous),
    cursor: eventCursorOf(event.accountId, event.position),
  };
}
