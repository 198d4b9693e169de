import type { Observation } from '../maker/observation.ts';
import type { MachineState } from './state.ts';

/** Whether an observation speaks of a connection in whose place there is another one. */
export function isReplaced({ connection }: MachineState, { connectionId }: Observation): boolean {
  return connectionId !== undefined && connectionId === connection?.replacedId;
}

/** The connection that an observation says the vehicle came over. */
export function connectedBy(
  { connection }: MachineState,
  { connectivity, connectionId: id }: Observation,
): Pick<MachineState, 'connection'> {
  if (connectivity !== 'online' || id === undefined || id === connection?.id) return {};
  return { connection: { id, replacedId: connection?.id ?? null } };
}
