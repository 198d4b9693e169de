import { nextMomentMs } from './car.ts';
import { carryOut } from './command.ts';
import type { Car } from './state.ts';

/** A command that a car took at `atMs` (epoch ms), as it came. */
export type ToldCommand = { atMs: number; name: string; body: string };

/**
 * Tells a car, which moves along the same way once more, what it was told the first time. Call the result before its first
 * step and after each; what lies before the car's own time is in its state already. `told` is in the order of time.
 */
export function tellAgain(told: readonly ToldCommand[]): (car: Car) => void {
  let next = 0;
  return (car) => {
    const { state } = car;
    for (let one = told[next]; one !== undefined; one = told[next]) {
      if (one.atMs >= nextMomentMs(car)) return;
      next += 1;
      if (one.atMs < state.atMs) continue;
      // It was awake then, perhaps because somebody looked at it, which nobody does now.
      Object.assign(state, { awake: true, wakeAtMs: null });
      carryOut(car, one.name, { body: one.body, nowMs: one.atMs });
    }
  };
}
