import type { LocalDay } from './local-time.ts';
import type { Random } from './random.ts';
import type { Stretch, Way } from './route.ts';

/** Somewhere a simulated car goes; `charger` says what it can plug into there. */
export type Place = {
  id: string;
  name: string;
  lat: number;
  lon: number;
  elevationM: number;
  charger: 'ac' | 'dc' | null;
};

/** A way between two of a car's places. */
export type Connection = { id: string; from: string; to: string; way: Way };

/** One drive of an outing: where to, and at which minute after local midnight at the earliest. */
type PlannedLeg = { to: string; minute: number };

/** A round from home and back to it. */
export type PlannedOuting = readonly PlannedLeg[];

/** When and how far a car is charged at home. */
type HomeCharging = {
  /** Level below which it is always plugged in when it comes home [%]. */
  plugInBelowPct: number;
  limitPct: number;
  /** Limit on the evening before a day of the week with a long trip [%]. */
  limitBeforeTripPct: number;
  /** Weekdays (Monday is 0) on whose evenings it is plugged in whatever the level. */
  everyEveningOf: readonly number[];
  /** Local hour at which scheduled charging starts, or null to charge at once. */
  startHour: number | null;
};

/** What never changes about a simulated car. */
export type CarSpec = {
  key: string;
  vin: string;
  name: string;
  /** The maker's number for it, as digits: one of them is above 2^53. */
  id: bigint;
  vehicleId: number;
  carType: string;
  trim: string;
  color: string;
  wheels: string;
  massKg: number;
  capacityKwh: number;
  ratedWhPerKm: number;
  odometerStartKm: number;
  sleepAfterMs: number;
  /** What it does when somebody looks at the garage for the first time. */
  whenShown: 'drives' | 'charges';
  places: readonly Place[];
  connections: ReadonlyMap<string, Connection>;
  /** Place to drive a round from home to home on, when shown driving. */
  roundConnection: string;
  charging: HomeCharging;
  habits: (day: LocalDay, random: Random) => PlannedOuting[];
};

/** The key of the way between two places in `CarSpec.connections`. */
export function connectionId(from: string, to: string): string {
  return `${from}>${to}`;
}

/** The stretches driven the other way round. */
export function reversed(stretches: readonly Stretch[]): Stretch[] {
  return stretches
    .map((stretch) => ({ road: stretch.road, backwards: !stretch.backwards }))
    .reverse();
}
