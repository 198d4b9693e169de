import type { EventView } from '../../../actions/event-view.ts';
import { isRecord } from '../telling.ts';
import { snakeCase } from '../words.ts';

function inRestWords(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), inner]));
}

/** An event in the words of REST (contract §16). */
export function eventBody(event: EventView): Record<string, unknown> {
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
