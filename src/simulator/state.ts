import type { Remote } from './remote.ts';
import type { Run } from './run.ts';
import type { SoftwareState } from './software.ts';
import type { CarSpec, Place } from './spec.ts';

type Gear = 'P' | 'R' | 'D';

/** What a car does: nobody in it, somebody getting in, under way, somebody getting out. */
export type Phase = 'parked' | 'boarding' | 'driving' | 'alighting';

/** Charging in the maker's words. */
type ChargingState = 'Disconnected' | 'Starting' | 'Charging' | 'Complete' | 'Stopped';

/** Cable, charger and battery session; powers in kW (at the charger), energy in kWh (into the pack). */
export type ChargeState = {
  state: ChargingState;
  cable: 'ac' | 'dc' | null;
  limitPct: number;
  /** When charging is to begin, while it waits for its hour. */
  scheduledAtMs: number | null;
  startedAtMs: number;
  addedKwh: number;
  chargerKw: number;
  currentA: number;
};

/** A stay at a fast charger as its operator counts it: energy from the charger [kWh], times in epoch ms. */
export type FastCharge = {
  site: string;
  fromMs: number;
  /** When energy last flowed. */
  untilMs: number;
  /** Null while the cable is in. */
  unpluggedMs: number | null;
  kwh: number;
};

/** One drive of an outing, due at the earliest at `departAtMs`. */
export type Leg = { connectionId: string; departAtMs: number };

/** A round from home to home; `backByMs` is a careful guess. */
export type Outing = { legs: readonly Leg[]; backByMs: number };

/** Where the car stands in its script: the outing under way, and the outings of one local day still to come. */
type Plan = { outing: Outing | null; leg: number; day: number; upcoming: Outing[] };

/** Everything that changes about a simulated car; plain data, so that it can be copied. */
export type CarState = {
  atMs: number;
  phase: Phase;
  phaseSinceMs: number;
  phaseUntilMs: number;
  awake: boolean;
  /** When a wake-up that was asked for takes effect. */
  wakeAtMs: number | null;
  lastActivityMs: number;
  lastDataCallMs: number;
  placeId: string | null;
  lat: number;
  lon: number;
  elevationM: number;
  headingDeg: number;
  gear: Gear;
  speedMps: number;
  powerKw: number;
  odometerKm: number;
  energyKwh: number;
  packTempC: number;
  insideTempC: number;
  outsideTempC: number;
  weatherAtMs: number;
  climateOn: boolean;
  preconditioning: boolean;
  climateKw: number;
  locked: boolean;
  userPresent: boolean;
  driverDoorOpen: boolean;
  charge: ChargeState;
  /** Its last stays at fast chargers, the newest last. */
  fastCharges: FastCharge[];
  plan: Plan;
  run: Run | null;
  software: SoftwareState;
  remote: Remote;
};

/** A moment at which the garage is looked at first; the script may prepare for it from `preparedFromMs` on. */
export type Showing = { atMs: number; preparedFromMs: number };

/** A simulated car: what it is, what it will do, and how it is now. `advance` moves `state` on. */
export type Car = {
  spec: CarSpec;
  seed: string;
  showings: readonly Showing[];
  state: CarState;
};

/** State of charge [%]. */
export function levelPct(car: Car): number {
  return (100 * car.state.energyKwh) / car.spec.capacityKwh;
}

/** The place at which the car stands, or null on the road. */
export function placeOf(car: Car): Place | null {
  const { placeId } = car.state;
  return placeId === null ? null : (car.spec.places.find((place) => place.id === placeId) ?? null);
}
