import type { Scope } from './scopes.ts';

/** Every type of event in the outbox, with the scope its reader needs; null is public (contract §16). */
export const eventTable = {
  'vehicle.added': { scope: 'vehicles' },
  'vehicle.removed': { scope: 'vehicles' },
  'vehicle.updated': { scope: 'vehicles' },
  'vehicle.status_changed': { scope: 'vehicles' },
  'vehicle.state.updated': { scope: 'vehicles' },
  'drive.started': { scope: 'vehicles' },
  'drive.updated': { scope: 'vehicles' },
  'drive.ended': { scope: 'vehicles' },
  'charge.started': { scope: 'vehicles' },
  'charge.updated': { scope: 'vehicles' },
  'charge.ended': { scope: 'vehicles' },
  'trip.updated': { scope: 'vehicles' },
  'command.updated': { scope: 'controls' },
  'software.available': { scope: 'vehicles' },
  'software.installing': { scope: 'vehicles' },
  'software.installed': { scope: 'vehicles' },
  'maker_account.status_changed': { scope: 'maker-accounts' },
} as const satisfies Record<string, { scope: Scope | null }>;

export type EventType = keyof typeof eventTable;
