import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { plugIn, stopCharging, unplug } from './charging.ts';
import { drivingPowerKw } from './power.ts';
import { between, type Random, randomOf } from './random.ts';
import { driveOneSecond, startRun } from './run.ts';
import { outingFromHome } from './script.ts';
import { actNow } from './showing.ts';
import { type Car, type CarState, type Phase, placeOf } from './state.ts';

/** Power of an awake, standing car without climate [kW]. */
export const AWAKE_KW = 0.22;
const FAST_LIMIT_PCT = 78;
const usualTraffic = { haltShare: 0.45, longestHaltS: 38 };
/** While the car is shown it never stands long enough to look parked. */
const shownTraffic = { haltShare: 0.25, longestHaltS: 4 };

function enter(state: CarState, phase: Phase, forMs: number): void {
  state.phase = phase;
  state.phaseSinceMs = state.atMs;
  state.phaseUntilMs = state.atMs + forMs;
  state.lastActivityMs = state.atMs;
}

/** Wakes the car now; it stays awake for its usual time after an activity. */
export function wake(car: Car): void {
  car.state.awake = true;
  car.state.wakeAtMs = null;
  car.state.lastActivityMs = car.state.atMs;
}

/** The random source of what happens once, at this moment, to this car. */
function chance(car: Car, what: string): Random {
  return randomOf(car.seed, car.spec.key, what, car.state.atMs);
}

/** Somebody gets into a parked car to drive the next part of its script. */
export function board(car: Car): void {
  const { state } = car;
  const { plan } = state;
  wake(car);
  if (plan.outing === null) {
    plan.outing = outingFromHome(car);
    plan.leg = 0;
    if (plan.outing === plan.upcoming[0]) plan.upcoming.shift();
  }
  if (state.charge.state === 'Charging') stopCharging(car, 'Stopped');
  enter(state, 'boarding', Math.round(between(chance(car, 'board'), 35, 80)) * SECOND_MS);
  state.locked = false;
  state.userPresent = true;
  state.climateOn = true;
  state.preconditioning = false;
}

function setOff(car: Car): void {
  const { state } = car;
  const leg = state.plan.outing?.legs[state.plan.leg];
  const connection = leg && car.spec.connections.get(leg.connectionId);
  if (connection === undefined) {
    state.plan.outing = null;
    enter(state, 'alighting', MINUTE_MS);
    return;
  }
  if (state.charge.cable !== null) unplug(car);
  const traffic = actNow(car)?.stage === 'on' ? shownTraffic : usualTraffic;
  const random = chance(car, 'drive');
  state.run = startRun(connection.id, connection.way, { random, ...traffic });
  state.driverDoorOpen = false;
  state.placeId = null;
  state.plan.leg += 1;
  enter(state, 'driving', 0);
}

function arrive(car: Car, placeId: string): void {
  const { state } = car;
  state.run = null;
  state.gear = 'P';
  state.speedMps = 0;
  state.placeId = placeId;
  if (state.plan.leg >= (state.plan.outing?.legs.length ?? 0)) state.plan.outing = null;
  enter(state, 'alighting', Math.round(between(chance(car, 'alight'), 30, 70)) * SECOND_MS);
}

/** One second on the road. */
export function drive(car: Car): void {
  const { state } = car;
  const { run } = state;
  const connection = run === null ? undefined : car.spec.connections.get(run.connectionId);
  if (run === null || connection === undefined) {
    arrive(car, state.placeId ?? 'home');
    return;
  }
  const arrived = driveOneSecond(run, connection.way);
  state.powerKw = drivingPowerKw(car, run);
  state.energyKwh -= state.powerKw / 3600;
  state.odometerKm += run.movedM / 1000;
  state.lat = run.lat;
  state.lon = run.lon;
  state.elevationM = run.elevationM;
  state.headingDeg = run.headingDeg;
  state.speedMps = run.speedMps;
  state.gear = run.backingS > 0 ? 'R' : 'D';
  state.lastActivityMs = state.atMs;
  if (arrived) arrive(car, connection.to);
}

function leave(car: Car): void {
  const { state } = car;
  state.userPresent = false;
  state.driverDoorOpen = false;
  state.locked = true;
  state.climateOn = false;
  state.powerKw = 0;
  enter(state, 'parked', 0);
  if (placeOf(car)?.charger === 'dc' && state.plan.outing !== null) {
    plugIn(car, { cable: 'dc', limitPct: FAST_LIMIT_PCT, startAtMs: null });
  }
}

/** Some seconds of getting in or out: doors, locks, the cable. */
export function sitIn(car: Car, seconds: number): void {
  const { state } = car;
  const boarding = state.phase === 'boarding';
  const passedS = (state.atMs - state.phaseSinceMs) / SECOND_MS;
  state.driverDoorOpen = boarding ? passedS < 15 : passedS >= 8 && passedS < 24;
  state.powerKw = AWAKE_KW + state.climateKw;
  state.energyKwh -= (state.powerKw * seconds) / 3600;
  state.lastActivityMs = state.atMs;
  if (boarding && state.charge.cable !== null && passedS >= 20) unplug(car);
  if (state.atMs < state.phaseUntilMs) return;
  if (boarding) setOff(car);
  else leave(car);
}
