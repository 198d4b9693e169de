import { snakeCase } from '../base/spelling.ts';
import type { EventView } from './event-view.ts';

function inRestWords(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), inner]));
}

/** An event as it leaves the service in JSON, in the words of REST (contract §16). */
export function eventBody(event: Omit<EventView, 'cursor'>): Record<string, unknown> {
  return {
    id: event.id,
    type: event.type,
    version: event.version,
    occurred_at: new Date(event.occurredAt).toISOString(),
    account_id: event.accountId,
    vehicle_public_id: event.vehiclePublicId,
    sequence: event.sequence,
    data: inRestWords(event.data),
    previous: inRestWords(event.previous),
  };
}
