import type { Effect } from '../contract/effects.ts';
import { type Position, positionOf } from './geodesy.ts';
import { metresOutside, type PlaceShape } from './places.ts';
import type { MachineState, Moment } from './state.ts';

/** A place is left this far outside its border [m]: a parked vehicle's position wanders by less. */
export const LEAVING_M = 50;

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
  return { ...state, visits: { inside, at } };
}

function isIn(place: PlaceShape, position: Position, was: boolean): boolean {
  return metresOutside(place, position) <= (was ? LEAVING_M : 0);
}

function visitEvent(type: 'place.entered' | 'place.exited', place: PlaceShape, at: number): Effect {
  return { kind: 'event', type, occurredAt: at, data: { placeId: place.id } };
}
