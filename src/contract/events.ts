import type { IdType } from '../base/ids.ts';
import type { Scope } from './scopes.ts';

/**
 * Every type of event in the outbox, with the scope its reader needs; null is public (contract §16). What is told
 * `exactly` is left out for readers who do not see the vehicle's position exactly.
 */
export const eventTable = {
  'vehicle.added': { scope: 'vehicles' },
  'vehicle.removed': { scope: 'vehicles' },
  'vehicle.updated': { scope: 'vehicles' },
  'vehicle.status_changed': { scope: 'vehicles' },
  'vehicle.state.updated': { scope: 'vehicles' },
  'drive.started': { scope: 'vehicles' },
  'drive.updated': { scope: 'vehicles' },
  'drive.ended': { scope: 'vehicles' },
  'drive.edited': { scope: 'vehicles' },
  'charge.started': { scope: 'vehicles' },
  'charge.updated': { scope: 'vehicles' },
  'charge.ended': { scope: 'vehicles' },
  'charge.cost_changed': { scope: 'vehicles', exactly: true },
  'trip.updated': { scope: 'vehicles' },
  'place.entered': { scope: 'vehicles', exactly: true },
  'place.exited': { scope: 'vehicles', exactly: true },
  'alert.raised': { scope: 'vehicles' },
  'alert.cleared': { scope: 'vehicles' },
  'reminder.left_open': { scope: 'vehicles' },
  'command.updated': { scope: 'controls' },
  'software.available': { scope: 'vehicles' },
  'software.installing': { scope: 'vehicles' },
  'software.installed': { scope: 'vehicles' },
  'maker_account.status_changed': { scope: 'maker-accounts' },
  'maker_account.budget_threshold': { scope: 'maker-accounts' },
  'maker_account.budget_exhausted': { scope: 'maker-accounts' },
  'webhook.status_changed': { scope: 'account' },
  'account.security': { scope: 'account' },
} as const satisfies Record<string, { scope: Scope | null; exactly?: true }>;

export type EventType = keyof typeof eventTable;

/** Type guard for the types of events that this program knows. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventTable, type);
}

/** Every type of event, in the order of the table. */
export const eventTypes: readonly EventType[] = Object.keys(eventTable).filter(isEventType);

/** Names in an event's data that hold ids, with the kind of thing they name: stored ids inside, TypeIDs outside. */
export const eventIds = {
  vehicleId: 'Vehicle',
  driveId: 'Drive',
  chargeId: 'Charge',
  tripId: 'Trip',
  placeId: 'Place',
  editId: 'HistoryEdit',
  commandId: 'Command',
  alertId: 'Alert',
  installationId: 'SoftwareInstallation',
  makerAccountId: 'MakerAccount',
  webhookId: 'Webhook',
} as const satisfies Record<string, IdType>;
