import { MINUTE_MS } from '../base/units.ts';
import { chargeOn, flows, plugIn, startCharging } from './charging.ts';
import { AWAKE_KW, board, wake } from './journey.ts';
import { chargingWish, nextLeg } from './script.ts';
import { actNow } from './showing.ts';
import { installIsDue, type Leisure, offer, releaseAt, updateOn } from './software.ts';
import { type Car, levelPct, placeOf } from './state.ts';

const ASLEEP_KW = 0.012;
const FROZEN_KW = 0.02;
const FAST_STOP_AT_MOST_MS = 45 * MINUTE_MS;
const SHORTEST_STOP_MS = 2 * MINUTE_MS;
const PRECONDITION_MS = 12 * MINUTE_MS;
const PRECONDITION_BELOW_C = 3;
const PRECONDITION_ABOVE_PCT = 30;

/** What standing still takes out of the pack; a cable at home feeds an awake car. */
function drain(car: Car, seconds: number): void {
  const { state } = car;
  if (state.charge.state === 'Charging') return;
  const frozenKw = state.packTempC < 0 ? FROZEN_KW : 0;
  const kw = state.awake ? AWAKE_KW + state.climateKw : ASLEEP_KW + frozenKw;
  state.powerKw = state.awake ? kw : 0;
  if (state.charge.cable !== 'ac' || !state.awake) state.energyKwh -= (kw * seconds) / 3600;
}

function tendCable(car: Car, seconds: number): void {
  const { charge } = car.state;
  if (charge.cable === null) return;
  const waiting = charge.state === 'Stopped';
  chargeOn(car, seconds);
  if (waiting && charge.state !== 'Stopped') wake(car);
}

/** True when the next drive may begin: its time has come, a fast charge is not cut short, no installation runs. */
function departureDue(car: Car, departAtMs: number): boolean {
  const { state } = car;
  const stoodMs = state.atMs - state.phaseSinceMs;
  if (state.software.status === 'installing') return false;
  if (state.charge.cable === 'dc') return !flows(state.charge) || stoodMs > FAST_STOP_AT_MOST_MS;
  return state.atMs >= departAtMs && stoodMs >= SHORTEST_STOP_MS;
}

function prepareCabin(car: Car, departAtMs: number): void {
  const { state } = car;
  const wanted =
    departAtMs > state.atMs &&
    departAtMs - state.atMs <= PRECONDITION_MS &&
    state.placeId === 'home' &&
    state.outsideTempC < PRECONDITION_BELOW_C &&
    levelPct(car) > PRECONDITION_ABOVE_PCT;
  if (wanted === state.preconditioning) return;
  if (wanted) wake(car);
  state.preconditioning = wanted;
  state.climateOn = wanted;
}

function grantWish(car: Car): void {
  const { state } = car;
  if (placeOf(car)?.charger !== 'ac' || state.plan.outing !== null) return;
  const wish = chargingWish(car);
  if (wish === null) return;
  wake(car);
  if (state.charge.cable === null) plugIn(car, { cable: 'ac', ...wish });
  else startCharging(car, wish.limitPct);
}

function tendSoftware(car: Car): void {
  const { state } = car;
  const { software, atMs } = state;
  const idle = state.plan.outing === null && !flows(state.charge);
  const calm = idle && (actNow(car)?.stage ?? 'before') === 'before';
  const leisure: Leisure = { atHome: state.placeId === 'home', idle: calm };
  if (!state.awake && installIsDue(software, atMs, leisure)) wake(car);
  if (!state.awake) return;
  if (software.status === '' && atMs % MINUTE_MS === 0) {
    offer(software, atMs, releaseAt(car.seed, atMs));
  }
  updateOn(software, atMs, leisure);
}

function fallAsleepWhenLeftAlone(car: Car): void {
  const { state } = car;
  const { status } = state.software;
  const busy =
    flows(state.charge) ||
    state.climateOn ||
    state.remote.sentry ||
    status === 'downloading' ||
    status === 'installing';
  if (busy) state.lastActivityMs = state.atMs;
  const aloneMs = state.atMs - Math.max(state.lastActivityMs, state.lastDataCallMs);
  if (aloneMs < car.spec.sleepAfterMs) return;
  state.awake = false;
  state.powerKw = 0;
}

/** Some seconds of standing with nobody in the car, awake or asleep. */
export function rest(car: Car, seconds: number): void {
  const { state } = car;
  if (state.wakeAtMs !== null && state.atMs >= state.wakeAtMs) wake(car);
  drain(car, seconds);
  tendCable(car, seconds);
  const leg = nextLeg(car);
  if (leg !== null && departureDue(car, leg.departAtMs)) {
    board(car);
    return;
  }
  prepareCabin(car, leg?.departAtMs ?? 0);
  grantWish(car);
  tendSoftware(car);
  if (state.awake) fallAsleepWhenLeftAlone(car);
}
