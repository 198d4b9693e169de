/** What of a parked vehicle may be left open, as reminders name it (contract §16). */
export const openParts = ['DOORS', 'WINDOWS', 'FRUNK', 'TRUNK', 'CHARGE_PORT', 'UNLOCKED'] as const;

/** A part of a vehicle that may be left open. */
export type OpenPart = (typeof openParts)[number];
