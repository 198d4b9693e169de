import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { drive, sitIn } from './journey.ts';
import { localDayIndex } from './local-time.ts';
import { warmThrough } from './power.ts';
import { untouched } from './remote.ts';
import { rest } from './rest.ts';
import { releaseAt } from './software.ts';
import type { CarSpec } from './spec.ts';
import type { Car, CarState, ChargeState, Showing } from './state.ts';
import { outsideTempC } from './weather.ts';

const STEP_MS = { moving: SECOND_MS, awake: 10 * SECOND_MS, asleep: MINUTE_MS };
const FIRST_LEVEL = 0.72;

function unplugged(limitPct: number): ChargeState {
  return {
    state: 'Disconnected',
    cable: null,
    limitPct,
    scheduledAtMs: null,
    startedAtMs: 0,
    addedKwh: 0,
    chargerKw: 0,
    currentA: 0,
  };
}

function stateAtHome(spec: CarSpec, seed: string, atMs: number): CarState {
  const home = spec.places.find((place) => place.id === 'home');
  const elevationM = home?.elevationM ?? 0;
  const outside = outsideTempC(seed, atMs, elevationM);
  return {
    atMs,
    phase: 'parked',
    phaseSinceMs: atMs,
    phaseUntilMs: atMs,
    awake: false,
    wakeAtMs: null,
    lastActivityMs: atMs,
    lastDataCallMs: 0,
    placeId: 'home',
    lat: home?.lat ?? 0,
    lon: home?.lon ?? 0,
    elevationM,
    headingDeg: 180,
    gear: 'P',
    speedMps: 0,
    powerKw: 0,
    odometerKm: spec.odometerStartKm,
    energyKwh: spec.capacityKwh * FIRST_LEVEL,
    packTempC: outside + 2,
    insideTempC: outside + 1,
    outsideTempC: outside,
    weatherAtMs: atMs,
    climateOn: false,
    preconditioning: false,
    climateKw: 0,
    locked: true,
    userPresent: false,
    driverDoorOpen: false,
    charge: unplugged(spec.charging.limitPct),
    fastCharges: [],
    plan: { outing: null, leg: 0, day: localDayIndex(atMs) - 1, upcoming: [] },
    run: null,
    software: {
      version: releaseAt(seed, atMs),
      status: '',
      target: null,
      sinceMs: atMs,
      startAtMs: null,
    },
    remote: untouched(),
  };
}

/** A car that stands at home, unplugged and asleep, at `atMs` (a whole minute). */
export function newCar(
  spec: CarSpec,
  options: { seed: string; atMs: number; showings: readonly Showing[] },
): Car {
  const { seed, atMs, showings } = options;
  return { spec, seed, showings, state: stateAtHome(spec, seed, atMs) };
}

/**
 * A car as it was when its state was kept as JSON, which goes on exactly as it would have; null for anything that has not
 * the form of a car's state. A drive under way is not kept.
 */
export function keptCar(
  spec: CarSpec,
  options: { seed: string; showings: readonly Showing[] },
  kept: unknown,
): Car | null {
  const state = newCar(spec, { ...options, atMs: 0 }).state;
  if (!hasFormOf(state, kept) || state.run !== null) return null;
  return { spec, ...options, state: { ...state, ...kept } };
}

/** Whether a JSON value has the fields of `model`, each with a value of its type where neither is null, at any depth. */
function hasFormOf<T extends object>(model: T, value: unknown): value is T {
  if (typeof value !== 'object' || value === null) return false;
  const told = new Map<string, unknown>(Object.entries(value));
  return Object.entries(model).every(([field, known]) => {
    const other = told.get(field);
    if (known === null || other === null) return told.has(field);
    if (Array.isArray(known) || typeof known !== 'object') {
      return typeof other === typeof known && Array.isArray(other) === Array.isArray(known);
    }
    return hasFormOf(known, other);
  });
}

/** The next moment at which the car changes; moments lie on whole seconds, so the way there does not matter. */
export function nextMomentMs(car: Car): number {
  const { phase, wakeAtMs, awake, atMs } = car.state;
  const moving = phase !== 'parked' || wakeAtMs !== null;
  const stepMs = moving ? STEP_MS.moving : awake ? STEP_MS.awake : STEP_MS.asleep;
  return (Math.floor(atMs / stepMs) + 1) * stepMs;
}

/** Moves the car on to its next moment. */
export function stepOn(car: Car): void {
  const { state } = car;
  const atMs = nextMomentMs(car);
  const seconds = (atMs - state.atMs) / SECOND_MS;
  state.atMs = atMs;
  if (atMs - state.weatherAtMs >= MINUTE_MS) {
    state.outsideTempC = outsideTempC(car.seed, atMs, state.elevationM);
    state.weatherAtMs = atMs;
  }
  if (state.phase === 'driving') drive(car);
  else if (state.phase === 'parked') rest(car, seconds);
  else sitIn(car, seconds);
  warmThrough(car, seconds);
}

/** Moves the car on to its last moment at or before `toMs`. */
export function advance(car: Car, toMs: number): void {
  while (nextMomentMs(car) <= toMs) stepOn(car);
}

/** The car as it is at `toMs`; the given car stays as it was. */
export function carAt(car: Car, toMs: number): Car {
  const copy = { ...car, state: structuredClone(car.state) };
  advance(copy, toMs);
  return copy;
}
