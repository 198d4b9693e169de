import { derivedUuid } from '../base/ids.ts';
import { MINUTE_MS } from '../base/units.ts';
import type { Effect, VehicleStatus } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import type { MachineContext, MachineState } from './state.ts';

/** A vehicle at rest for so long is left alone, so that it can fall asleep (contract §0 Ingest). */
export const IDLE_BEFORE_SLEEP_MS = 15 * MINUTE_MS;

/** Whether something keeps the vehicle awake, whatever the service does (maker.md §3.1, sleep blockers). */
export function keepsAwake(values: SignalValues): boolean {
  return (
    values.userPresent === true ||
    values.preconditioning === true ||
    values.climateOn === true ||
    (values.climateKeeperMode ?? 'OFF') !== 'OFF' ||
    (values.sentry ?? 'OFF') !== 'OFF' ||
    values.updateStatus === 'DOWNLOADING' ||
    values.updateStatus === 'INSTALLING' ||
    [
      values.doorFrontLeft,
      values.doorFrontRight,
      values.doorRearLeft,
      values.doorRearRight,
    ].includes(true) ||
    values.frunkOpen === true ||
    values.trunkOpen === true
  );
}

/** What the vehicle is doing, by the strongest evidence first. */
export function statusOf(state: MachineState, at: number): VehicleStatus {
  if (state.inService) return 'IN_SERVICE';
  if (state.drive !== null) return 'DRIVING';
  if (state.installation?.state === 'INSTALLING') return 'UPDATING';
  if (state.charge?.flowing === true) return 'CHARGING';
  if (state.connectivity === 'asleep') return 'ASLEEP';
  if (state.connectivity === 'offline') return sleepsLikely(state) ? 'ASLEEP' : 'OFFLINE';
  if (state.connectivity === null && state.activeAt === null) return 'UNKNOWN';
  const idleMs = state.activeAt === null ? 0 : at - state.activeAt;
  return idleMs >= IDLE_BEFORE_SLEEP_MS ? 'WAITING_FOR_SLEEP' : 'ONLINE';
}

/** Many vehicles that sleep are said to be offline: those that were left alone to fall asleep (maker.md §0, finding 6). */
function sleepsLikely({ status, values }: MachineState): boolean {
  return (status === 'WAITING_FOR_SLEEP' || status === 'ASLEEP') && !keepsAwake(values);
}

/** Moves the status and its span on, when it changed. */
export function followStatus(
  state: MachineState,
  at: number,
  context: MachineContext,
  effects: Effect[],
): MachineState {
  const status = statusOf(state, at);
  if (status === state.status && state.spanId !== null) return state;
  const since = Math.max(at, state.statusSince ?? at);
  if (state.spanId !== null && state.statusSince !== null) {
    const row = {
      id: state.spanId,
      status: state.status,
      startedAt: state.statusSince,
      endedAt: since,
    };
    effects.push({ kind: 'stateSpan', row });
  }
  const spanId = derivedUuid(since, context.vehicleId, 'state', status);
  effects.push({ kind: 'stateSpan', row: { id: spanId, status, startedAt: since, endedAt: null } });
  effects.push({ kind: 'vehicle', changes: { status, statusSince: since } });
  effects.push({
    kind: 'event',
    type: 'vehicle.status_changed',
    occurredAt: since,
    data: { status, previous: state.status },
  });
  return { ...state, status, statusSince: since, spanId };
}
