import { openGarage } from '../../src/simulator/garage.ts';
import { recordCar, type TraceLine } from '../../src/simulator/history.ts';
import type { Car } from '../../src/simulator/state.ts';

/** A Saturday morning, UTC. */
export const SHOWN_AT = Date.UTC(2026, 10, 21, 9, 30);

/** What one car's recorder got, and the car as it is at the end. */
export type Recording = { car: Car; lines: TraceLine[] };

/** The history of the whole garage over `days` before `untilMs`. */
export function recordings(options: {
  seed?: string;
  untilMs?: number;
  days: number;
}): Recording[] {
  const { seed = 'test', untilMs = SHOWN_AT, days } = options;
  const cars = openGarage({ seed, untilMs, days });
  return cars.map((car) => ({ car, lines: [...recordCar(car, untilMs)] }));
}

/** The sections of a line's answer; empty where it has none. */
export function sectionsOf(line: TraceLine) {
  const answer = line.body.response ?? {};
  return {
    drive: answer.drive_state ?? {},
    charge: answer.charge_state ?? {},
    vehicle: answer.vehicle_state ?? {},
    climate: answer.climate_state ?? {},
  };
}

/** True for an answer with data, false for a list item. */
export function hasData(line: TraceLine): boolean {
  return line.path.endsWith('/vehicle_data');
}
