import type { BodyReader } from '../command-params.ts';
import type { Car } from '../state.ts';

/** What a command does to a car at simulated `nowMs`: changes it, or gives the reason for which it refuses. */
export type CommandEffect = (car: Car, body: BodyReader, nowMs: number) => string | undefined;

/** A command that only writes something down. */
export function noting(write: (car: Car, body: BodyReader, nowMs: number) => void): CommandEffect {
  return (car, body, nowMs) => {
    write(car, body, nowMs);
    return undefined;
  };
}

/** A command that a moving car refuses. */
export function parked(effect: CommandEffect): CommandEffect {
  return (car, body, nowMs) =>
    car.state.gear === 'P' && car.state.phase !== 'driving'
      ? effect(car, body, nowMs)
      : 'VEHICLE_NOT_IN_PARK';
}
