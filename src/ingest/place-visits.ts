import type { Effect } from '../contract/effects.ts';
import { type Position, positionOf } from './geodesy.ts';
import { metresOutside, type PlaceShape } from './places.ts';
import type { MachineState, Moment } from './state.ts';

/** A place is left this far outside its border [m]: a parked vehicle's position wanders by less. */
export const LEAVING_M = 50;
/** Metres in a degree of latitude are at least so many. */
const M_PER_DEGREE = 110_000;

/**
 * Follows which places the vehicle is in, and tells of those it enters and leaves. A place that was not there, or had
 * another shape, when the vehicle was last seen, is held against where it was then: nothing was entered.
 */
export function followPlaces(state: MachineState, moment: Moment): MachineState {
  const { fresh, at, context, effects } = moment;
  if (!('latitude' in fresh) && !('longitude' in fresh)) return state;
  const position = positionOf(state.values.latitude, state.values.longitude);
  if (position === null) return state;
  const { places } = context;
  if (places.length === 0) return state.visits === null ? state : { ...state, visits: null };
  const before = state.visits;
  const last = positionOf(moment.before.values.latitude, moment.before.values.longitude);
  const inside: string[] = [];
  const entered: Effect[] = [];
  for (const place of places) {
    const was = before?.inside.includes(place.id) ?? false;
    const is = isIn(place, position, was);
    if (is) inside.push(place.id);
    const { watch } = place;
    if (was === is || before === null || watch === undefined) continue;
    if (last !== null && isIn(place, last, was) === is) continue;
    if (is && watch.enter) entered.push(visitEvent('place.entered', place, at));
    if (!is && watch.exit) effects.push(visitEvent('place.exited', place, at));
  }
  effects.push(...entered);
  state.visits = { inside, at };
  return state;
}

function isIn(place: PlaceShape, position: Position, was: boolean): boolean {
  if (isFarNorthOrSouth(place, position)) return false;
  return metresOutside(place, position) <= (was ? LEAVING_M : 0);
}

/** Whether the latitudes alone say that a circle is out of reach: most places are, and the exact distance costs more. */
function isFarNorthOrSouth({ latitude, radiusM, polygon }: PlaceShape, at: Position): boolean {
  if (polygon !== null || radiusM === null) return false;
  return Math.abs(latitude - at.latitude) * M_PER_DEGREE > radiusM + LEAVING_M;
}

function visitEvent(type: 'place.entered' | 'place.exited', place: PlaceShape, at: number): Effect {
  return { kind: 'event', type, occurredAt: at, data: { placeId: place.id } };
}
