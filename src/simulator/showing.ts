import { HOUR_MS, MINUTE_MS } from '../base/units.ts';
import type { Car, Showing } from './state.ts';

/** A car on the road is shown some minutes into its round, one on the charger some time into its charge. */
const ROUND_BEFORE_MS = 14 * MINUTE_MS;
const CHARGE_BEFORE_MS = 40 * MINUTE_MS;
const ROUNDS_GO_ON_MS = 8 * HOUR_MS;
const CHARGE_STAYS_MS = 2 * HOUR_MS;
const CHARGE_FULL_FIRST_MS = 4 * HOUR_MS;
const RUN_DOWN_FIRST_MS = 36 * HOUR_MS;

/**
 * What a showing asks of a car at a moment.
 *
 * `homeByMs` is when it has to be back from ordinary outings, `stage` how far the showing has come: `before` nothing but being
 * home in time, `run_down` no charging, `fill_up` charging for the rounds, `on` the rounds or the charge themselves.
 */
export type Act = {
  showing: Showing;
  homeByMs: number;
  /** When the stage `on` begins or began. */
  sinceMs: number;
  stage: 'before' | 'run_down' | 'fill_up' | 'on';
};

function actOf(car: Car, showing: Showing): Act | null {
  const atMs = car.state.atMs;
  if (atMs < showing.preparedFromMs || atMs < showing.atMs - RUN_DOWN_FIRST_MS) return null;
  const toGoMs = showing.atMs - atMs;
  const drives = car.spec.whenShown === 'drives';
  if (-toGoMs > (drives ? ROUNDS_GO_ON_MS : CHARGE_STAYS_MS)) return null;
  const sinceMs = showing.atMs - (drives ? ROUND_BEFORE_MS : CHARGE_BEFORE_MS);
  const homeByMs = drives ? showing.atMs - CHARGE_FULL_FIRST_MS : sinceMs - 20 * MINUTE_MS;
  const act = { showing, homeByMs, sinceMs };
  if (atMs >= sinceMs) return { ...act, stage: 'on' };
  if (!drives) return { ...act, stage: 'run_down' };
  return { ...act, stage: atMs >= homeByMs ? 'fill_up' : 'before' };
}

/** What the next or present showing asks of the car now, or null far from any. */
export function actNow(car: Car): Act | null {
  for (let index = car.showings.length - 1; index >= 0; index -= 1) {
    const showing = car.showings[index];
    const act = showing === undefined ? null : actOf(car, showing);
    if (act !== null) return act;
  }
  return null;
}
