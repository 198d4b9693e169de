import { type Folded, foldEffect } from '../store/history.ts';
import { noFigures } from './parked-losses.ts';
import type { MachineState } from './state.ts';

const connectivityWords = { online: 'ONLINE', asleep: 'ASLEEP', offline: 'OFFLINE' } as const;

/**
 * Puts what was under way at a state into a fold, as it was then: starting over from there rewrites it, also where nothing
 * more is said of it.
 */
export function seedFold(folded: Folded, state: MachineState): void {
  const { drive, charge, trip, parked, installation, stream, spanId, statusSince, status } = state;
  const lastDrive = stream?.lastDrive ?? null;
  if (lastDrive !== null) foldEffect(folded, { kind: 'drive', row: lastDrive });
  if (drive !== null) foldEffect(folded, { kind: 'drive', row: drive.row });
  if (charge !== null)
    foldEffect(folded, { kind: 'charge', row: charge.row, segments: charge.segments });
  if (trip?.told === true) {
    const { row, driveIds, chargeIds } = trip;
    foldEffect(folded, { kind: 'trip', row, driveIds, chargeIds });
  }
  // A checkpoint of an earlier version has no figures.
  if (parked !== null) foldEffect(folded, { kind: 'parkedSpan', row: { ...noFigures, ...parked } });
  if (installation !== null) foldEffect(folded, { kind: 'installation', row: installation });
  if (spanId !== null && statusSince !== null) {
    const row = { id: spanId, status, startedAt: statusSince, endedAt: null };
    foldEffect(folded, { kind: 'stateSpan', row });
    foldEffect(folded, { kind: 'vehicle', changes: { status, statusSince } });
  }
  if (state.connectivity !== null) {
    const connectivity = connectivityWords[state.connectivity];
    foldEffect(folded, { kind: 'vehicle', changes: { connectivity } });
  }
}
