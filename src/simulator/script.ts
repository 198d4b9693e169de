import { HOUR_MS, MINUTE_MS } from '../base/units.ts';
import { flows } from './charging.ts';
import { localDay, localDayIndex, localHour } from './local-time.ts';
import { randomOf } from './random.ts';
import { actNow } from './showing.ts';
import { connectionId, type PlannedOuting } from './spec.ts';
import { type Car, type Leg, levelPct, type Outing } from './state.ts';

/** An outing that could not begin this long after its time is dropped. */
const LATEST_START_MS = 45 * MINUTE_MS;
const ROUND_PAUSE_MS = 4 * MINUTE_MS;
const ROUND_LEAST_PCT = 25;
const ROUND_REFILL_PCT = 60;
const EVENING_FROM_HOUR = 15;
const MORNING_TO_HOUR = 5;
const CAREFUL_MPS = 12;
const STOP_ON_THE_WAY_MS = 45 * MINUTE_MS;

function outingOf(car: Car, planned: PlannedOuting, midnightMs: number): Outing | null {
  const legs: Leg[] = [];
  let from = 'home';
  let backByMs = 0;
  for (const { to, minute } of planned) {
    const connection = car.spec.connections.get(connectionId(from, to));
    if (connection === undefined) return null;
    const departAtMs = midnightMs + Math.round(minute * 60) * 1000;
    legs.push({ connectionId: connection.id, departAtMs });
    const drivingMs = (connection.way.lengthM / CAREFUL_MPS) * 1000;
    const stopMs = car.spec.places.find((place) => place.id === to)?.charger === 'dc';
    backByMs = Math.max(backByMs, departAtMs) + drivingMs + (stopMs ? STOP_ON_THE_WAY_MS : 0);
    from = to;
  }
  return { legs, backByMs };
}

/** The outings that the car's habits give for one local day, in order. */
function outingsOf(car: Car, dayIndex: number): Outing[] {
  const day = localDay(dayIndex);
  const random = randomOf(car.seed, car.spec.key, 'day', dayIndex);
  return car.spec
    .habits(day, random)
    .map((planned) => outingOf(car, planned, day.midnightMs))
    .filter((outing) => outing !== null)
    .sort((a, b) => (a.legs[0]?.departAtMs ?? 0) - (b.legs[0]?.departAtMs ?? 0));
}

function nextOuting(car: Car): Outing | null {
  const { plan, atMs } = car.state;
  const today = localDayIndex(atMs);
  for (;;) {
    const outing = plan.upcoming[0];
    if (outing !== undefined) {
      if ((outing.legs[0]?.departAtMs ?? 0) + LATEST_START_MS >= atMs) return outing;
      plan.upcoming.shift();
    } else if (plan.day <= today) {
      plan.day += 1;
      plan.upcoming = outingsOf(car, plan.day);
    } else {
      return null;
    }
  }
}

function round(car: Car): Outing {
  const departAtMs = car.state.phaseSinceMs + ROUND_PAUSE_MS;
  return {
    legs: [{ connectionId: car.spec.roundConnection, departAtMs }],
    backByMs: departAtMs + 2 * HOUR_MS,
  };
}

/** The outing that a car at home will begin next, or null while it has to stay. */
export function outingFromHome(car: Car): Outing | null {
  const act = actNow(car);
  if (act?.stage === 'on' && car.spec.whenShown === 'drives') {
    const wanted = car.state.charge.cable === null ? ROUND_LEAST_PCT : ROUND_REFILL_PCT - 1;
    return levelPct(car) >= wanted ? round(car) : null;
  }
  const outing = nextOuting(car);
  return outing !== null && act !== null && outing.backByMs > act.homeByMs ? null : outing;
}

/** The drive a parked car will begin next, wherever it is; a showing calls it home at once. */
export function nextLeg(car: Car): Leg | null {
  const { outing, leg } = car.state.plan;
  if (outing === null) return outingFromHome(car)?.legs[0] ?? null;
  const next = outing.legs[leg] ?? null;
  const act = next === null ? null : actNow(car);
  const hurried = act !== null && car.state.atMs >= act.homeByMs;
  return hurried && next !== null ? { ...next, departAtMs: car.state.phaseSinceMs } : next;
}

/** How a parked car at home is to be charged; `startAtMs` null is at once. */
type ChargingWish = { limitPct: number; startAtMs: number | null };

function nextHourMs(atMs: number, hour: number): number {
  const hours = (hour - localHour(atMs) + 24) % 24;
  return atMs + Math.round(hours * 60) * MINUTE_MS;
}

function habitWish(car: Car): ChargingWish | null {
  const { charging } = car.spec;
  const { atMs } = car.state;
  const hour = localHour(atMs);
  const evening = hour >= EVENING_FROM_HOUR || hour < MORNING_TO_HOUR;
  const day = localDay(localDayIndex(atMs - MORNING_TO_HOUR * HOUR_MS));
  const usual = evening && charging.everyEveningOf.includes(day.weekday);
  if (!usual && levelPct(car) >= charging.plugInBelowPct) return null;
  const limitPct = evening && day.weekday === 4 ? charging.limitBeforeTripPct : charging.limitPct;
  const waits = charging.startHour !== null && evening && hour >= EVENING_FROM_HOUR;
  return {
    limitPct,
    startAtMs: waits && charging.startHour !== null ? nextHourMs(atMs, charging.startHour) : null,
  };
}

/** What the car's driver wants of a charger at home now, or null to leave it as it is. */
export function chargingWish(car: Car): ChargingWish | null {
  const act = actNow(car);
  const level = levelPct(car);
  const { charge } = car.state;
  if (act === null || act.stage === 'before') return charge.cable === null ? habitWish(car) : null;
  if (act.stage === 'fill_up') {
    return charge.cable === null || charge.limitPct < 90 ? { limitPct: 90, startAtMs: null } : null;
  }
  if (act.stage === 'run_down') {
    const empty = charge.cable === null && level < 25;
    return empty ? { limitPct: 50, startAtMs: null } : null;
  }
  if (flows(charge)) return null;
  if (car.spec.whenShown === 'drives') {
    const wanted = charge.cable === null ? ROUND_LEAST_PCT : ROUND_REFILL_PCT - 1;
    return level < wanted ? { limitPct: ROUND_REFILL_PCT, startAtMs: null } : null;
  }
  if (charge.cable !== null && charge.startedAtMs >= act.sinceMs) return null;
  return { limitPct: level < 50 ? 80 : level < 65 ? 90 : 100, startAtMs: null };
}
