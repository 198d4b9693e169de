import { DAY_MS } from '../base/units.ts';
import { carSpecs } from '../simulator/garage.ts';
import type { Car, CarState } from '../simulator/state.ts';
import type { GarageBook } from './garage-book.ts';

/** How long before the newest recorded moment a car is kept: it has driven since, so its lines follow from what it does. */
const KEPT_BEFORE_MS = 2 * DAY_MS;

/** What was kept of the cars whose record reaches well beyond it. */
export function keptBeforeSeen(
  cars: GarageBook['cars'],
  vehicles: readonly { vin: string; seenMs: number | null }[],
  nowMs: number,
): GarageBook['cars'] {
  const usable = carSpecs.flatMap(({ key, vin }) => {
    const seenMs = vehicles.find((vehicle) => vehicle.vin === vin)?.seenMs ?? 0;
    const kept = cars[key];
    // A clock that ran ahead must not leave a car standing until it is true.
    const latestMs = Math.min(seenMs - DAY_MS, nowMs);
    return kept !== undefined && kept.atMs <= latestMs ? [[key, kept]] : [];
  });
  return Object.fromEntries(usable);
}

/** Keeps how a car is the first time it stands still in the two days before `recordedMs`. */
export function keepingInto(kept: Map<string, CarState>, recordedMs: number): (car: Car) => void {
  return ({ spec, state }) => {
    if (state.atMs < recordedMs - KEPT_BEFORE_MS || state.run !== null || kept.has(spec.key))
      return;
    kept.set(spec.key, structuredClone(state));
  };
}
