import type { Effect } from '../contract/effects.ts';
import { unplugged } from './charge.ts';
import { closed } from './drive-end.ts';
import { parkedUntil } from './parked.ts';
import { initialState, type MachineContext, type MachineState } from './state.ts';
import { endTrip, withCharge, withDrive } from './trip.ts';

/**
 * The state of a vehicle that is recorded no more from `at` (epoch ms) on: what was under way ended where it was last heard,
 * and nothing is remembered but its software, so that nothing of the time that follows is ever concluded from before it.
 */
export function letGo(
  before: MachineState,
  { at, context, effects }: { at: number; context: MachineContext; effects: Effect[] },
): MachineState {
  const state = parkedLeft(ended(before, { at, context, effects }), at, effects);
  const { status, statusSince, spanId, installation, values } = state;
  if (spanId !== null && statusSince !== null) {
    const row = { id: spanId, status, startedAt: statusSince, endedAt: Math.max(at, statusSince) };
    effects.push({ kind: 'stateSpan', row });
  }
  effects.push({
    kind: 'vehicle',
    changes: { status: 'UNKNOWN', statusSince: at, connectivity: null },
  });
  if (status !== 'UNKNOWN') {
    const data = { status: 'UNKNOWN', previous: status };
    effects.push({ kind: 'event', type: 'vehicle.status_changed', occurredAt: at, data });
  }
  const { softwareVersion } = values;
  return {
    ...initialState,
    seenAt: at,
    statusSince: at,
    installation,
    values: softwareVersion === undefined ? {} : { softwareVersion },
  };
}

/** Ends the drive, the charge and the trip under way. */
function ended(
  state: MachineState,
  moment: { at: number; context: MachineContext; effects: Effect[] },
): MachineState {
  const { context, effects } = moment;
  let next = state;
  if (next.drive !== null) {
    const drive = closed(next, moment, next.drive.lastMovingAt, 'INCOMPLETE');
    next =
      drive.ended === null ? drive.state : withDrive(drive.state, drive.ended, context, effects);
  }
  if (next.charge !== null) {
    const charge = unplugged(next, moment, next.charge.lastAt, true);
    next = charge.ended === null ? charge.state : withCharge(charge.state, charge.ended, effects);
  }
  return endTrip(next, effects);
}

function parkedLeft(state: MachineState, at: number, effects: Effect[]): MachineState {
  const { parked, seenAt, values } = state;
  if (parked === null) return state;
  effects.push({ kind: 'parkedSpan', row: parkedUntil(parked, seenAt ?? at, values) });
  return { ...state, parked: null, losses: null };
}
