import { derivedUuid } from '../base/ids.ts';
import type { DriveRow, ParkedSpanRow } from '../contract/effects.ts';
import { positionOf } from './geodesy.ts';
import { placeAt } from './places.ts';
import { levelOf } from './sample.ts';
import type { MachineState, Moment } from './state.ts';

/**
 * Opens a parked span where a drive ended, or where the vehicle was first heard at rest, and ends it with the next drive:
 * the open one, or `drove`, which ended in the same step and may have been seen by nobody.
 */
export function followParked(
  before: MachineState,
  moment: Moment,
  drove: DriveRow | null,
): MachineState {
  let state = before;
  const left = state.drive?.row ?? (drove?.state === 'DISCARDED' ? null : drove);
  if (state.parked !== null && left !== null && left.startedAt >= state.parked.startedAt) {
    const row = ended(state.parked, left.startedAt, moment);
    moment.effects.push({ kind: 'parkedSpan', row });
    state = { ...state, parked: null };
  }
  if (state.drive !== null) return state;
  if (state.parked !== null) return state;
  const { values } = state;
  if (!('latitude' in values) && levelOf(values) === null && !('batteryLevelPct' in values))
    return state;
  const parked = opened(state, moment);
  moment.effects.push({ kind: 'parkedSpan', row: parked });
  return { ...state, parked };
}

/** The span with the energy of a charge that ended in it. */
export function withEnergy(
  state: MachineState,
  energyAddedKwh: number | null,
  moment: Moment,
): MachineState {
  if (state.parked === null || energyAddedKwh === null) return state;
  const parked = { ...state.parked, energyAddedKwh: state.parked.energyAddedKwh + energyAddedKwh };
  moment.effects.push({ kind: 'parkedSpan', row: parked });
  return { ...state, parked };
}

function opened(state: MachineState, moment: Moment): ParkedSpanRow {
  const { values } = state;
  const position = positionOf(values.latitude, values.longitude);
  return {
    id: derivedUuid(moment.at, moment.context.vehicleId, 'parked'),
    placeId: placeAt(moment.context.places, position)?.id ?? null,
    startedAt: moment.at,
    endedAt: null,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    startBatteryLevelPct: levelOf(values),
    endBatteryLevelPct: null,
    startRangeRatedKm: values.rangeRatedKm ?? null,
    endRangeRatedKm: null,
    energyAddedKwh: 0,
  };
}

/** The level at the end is the last one heard before the drive. */
function ended(parked: ParkedSpanRow, endedAt: number, moment: Moment): ParkedSpanRow {
  const { rangeRatedKm } = moment.before.values;
  return {
    ...parked,
    endedAt: Math.max(parked.startedAt, endedAt),
    endBatteryLevelPct: levelOf(moment.before.values),
    endRangeRatedKm: rangeRatedKm ?? null,
  };
}
