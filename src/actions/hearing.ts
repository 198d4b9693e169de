import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import { type EventType, eventTable } from '../contract/events.ts';
import { effectiveGrants, type Surface } from '../contract/scopes.ts';
import type { StoredEvent } from '../store/outbox-read.ts';

/** Whether an event is of a vehicle that the caller may see, or of none. */
export function mayHear(
  { vehicleIds }: Pick<Principal, 'vehicleIds'>,
  event: Pick<StoredEvent, 'vehicleId'>,
): boolean {
  return vehicleIds === null || event.vehicleId === null || vehicleIds.includes(event.vehicleId);
}

/** Whether the caller has the scope that a type of event needs (contract §16). */
export function mayHearType(
  { scopes }: Pick<Principal, 'scopes'>,
  surface: Surface,
  type: EventType,
): boolean {
  return effectiveGrants(scopes, surface).has(eventTable[type].scope);
}

/** Whether a type of event tells of a place, or of what only a place makes so. */
export function isToldExactly(type: EventType): boolean {
  return 'exactly' in eventTable[type];
}

/** Throws `insufficient_scope` for a type of event that the caller may not hear. */
export function requireHearing(
  principal: Pick<Principal, 'scopes'>,
  surface: Surface,
  type: EventType,
): void {
  if (mayHearType(principal, surface, type)) return;
  const { scope } = eventTable[type];
  const message = `The token lacks the scope ${scope}, which ${type} needs.`;
  throw new ServiceError('insufficient_scope', message, { requiredScope: scope });
}
