import { initialState, type MachineState } from './state.ts';

/**
 * The state as it was stored. Only this service writes the row, in the transaction that made it, so its form is that of its
 * version; a version this program does not know is refused rather than guessed at.
 */
export function parsedState(stored: unknown): MachineState {
  if (!isState(stored)) throw new Error('The stored state of a vehicle has an unknown version.');
  return { ...initialState, ...stored };
}

/** Whether a stored state is of a version that this program reads. */
export function isState(stored: unknown): stored is MachineState {
  return (
    typeof stored === 'object' &&
    stored !== null &&
    'version' in stored &&
    stored.version === initialState.version
  );
}
