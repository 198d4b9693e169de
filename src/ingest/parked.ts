import { derivedUuid } from '../base/ids.ts';
import type { DriveRow, ParkedSpanRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { positionOf } from './geodesy.ts';
import { figuresOf, lossesAfter, lossesFrom, noFigures } from './parked-losses.ts';
import { placeAt } from './places.ts';
import { levelOf } from './sample.ts';
import type { MachineState, Moment } from './state.ts';

/**
 * Opens a parked span where a drive ended, or where the vehicle was first heard at rest, sums up what it loses meanwhile, and
 * ends it with the next drive: the open one, or `drove`, which ended in the same step and which nobody may have seen.
 */
export function followParked(
  before: MachineState,
  moment: Moment,
  drove: DriveRow | null,
): MachineState {
  let state = before;
  const left = state.drive?.row ?? unseenSince(state.parked, drove);
  if (state.parked !== null && left !== null) {
    const row = parkedUntil(state.parked, left.startedAt, moment.before.values);
    moment.effects.push({ kind: 'parkedSpan', row });
    state = { ...state, parked: null, losses: null };
  }
  if (state.drive !== null) return state;
  if (state.parked !== null) return lost(state, state.parked, moment);
  const { values } = state;
  if (!('latitude' in values) && levelOf(values) === null && !('batteryLevelPct' in values))
    return state;
  const parked = opened(state, moment);
  moment.effects.push({ kind: 'parkedSpan', row: parked });
  return { ...state, parked, losses: lossesFrom(state, moment.at) };
}

/** A drive since the span began that ended in the step in which it was found. */
function unseenSince(parked: ParkedSpanRow | null, drove: DriveRow | null): DriveRow | null {
  if (parked === null || drove === null || drove.state === 'DISCARDED') return null;
  return drove.startedAt >= parked.startedAt ? drove : null;
}

/** The span after one more observation; it is written when what it lost changed, its minutes with that or at its end. */
function lost(state: MachineState, before: ParkedSpanRow, moment: Moment): MachineState {
  // A span that an earlier version opened has no figures; they begin here.
  if (state.losses === null)
    return { ...state, parked: { ...noFigures, ...before }, losses: lossesFrom(state, moment.at) };
  const losses = lossesAfter(state.losses, state, moment);
  const parked = { ...before, ...figuresOf(losses) };
  if (parked.energyLostKwh !== before.energyLostKwh || `${parked.reasons}` !== `${before.reasons}`)
    moment.effects.push({ kind: 'parkedSpan', row: parked });
  return { ...state, parked, losses };
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
    ...noFigures,
  };
}

/** A span that ended at `endedAt` (epoch ms); its level is then the last one heard before. */
export function parkedUntil(
  parked: ParkedSpanRow,
  endedAt: number,
  before: SignalValues,
): ParkedSpanRow {
  return {
    ...noFigures,
    ...parked,
    endedAt: Math.max(parked.startedAt, endedAt),
    endBatteryLevelPct: levelOf(before),
    endRangeRatedKm: before.rangeRatedKm ?? null,
  };
}
