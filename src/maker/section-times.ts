import { MINUTE_MS } from '../base/units.ts';
import type { Section, SignalValues } from '../contract/signals.ts';
import { isObject } from './json.ts';
import { observedTime } from './times.ts';

/** A vehicle's clock and ours may differ by so much. */
const CLOCK_AHEAD_MS = MINUTE_MS;

/** The parts of an answer that carry a time of their own. */
const timedParts = [
  'charge_state',
  'climate_state',
  'drive_state',
  'vehicle_state',
  'vehicle_config',
  'gui_settings',
] as const;

type TimedPart = (typeof timedParts)[number];

/** The part that a section of ours is as old as: the first of them that is in the answer. */
const homes: Record<Section, readonly TimedPart[]> = {
  charge: ['charge_state'],
  climate: ['climate_state'],
  drive: ['drive_state', 'vehicle_state'],
  closures: ['vehicle_state'],
  tyres: ['vehicle_state'],
  software: ['vehicle_state'],
  media: ['vehicle_state'],
  config: ['vehicle_config', 'vehicle_state'],
};

/** Times of the parts that are in the answer; null where a part's own time is missing or absurd (maker.md §1.5). */
type PartTimes = ReadonlyMap<TimedPart, number | null>;

/**
 * When each part of an answer was observed, in epoch milliseconds. Nothing is observed later than it is received: a clock
 * that runs ahead is not believed, or all that follows would look older than it.
 */
export function timesOfParts(
  fields: Readonly<Record<string, unknown>>,
  receivedAt: number,
): PartTimes {
  const times = new Map<TimedPart, number | null>();
  for (const part of timedParts) {
    const section = fields[part];
    if (!isObject(section)) continue;
    const at = observedTime(section.timestamp, receivedAt) ?? null;
    times.set(part, at !== null && at - receivedAt > CLOCK_AHEAD_MS ? receivedAt : at);
  }
  return times;
}

/** The newest of the times, or null where no part has one. */
export function newestOf(times: PartTimes): number | null {
  let newest: number | null = null;
  for (const at of times.values()) {
    if (at !== null && (newest === null || at > newest)) newest = at;
  }
  return newest;
}

/** When each of the sections told was observed; `at` where its part has no time of its own. */
export function timesOfSections(
  times: PartTimes,
  told: ReadonlySet<Section>,
  at: number,
): Partial<Record<Section, number>> {
  const sectionAt: Partial<Record<Section, number>> = {};
  for (const section of told) {
    const home = homes[section].find((part) => times.has(part));
    sectionAt[section] = (home === undefined ? null : times.get(home)) ?? at;
  }
  return sectionAt;
}

/**
 * Forgets the odometer, which travels with the body, where the body is more than a minute older than the drive it would
 * be told with: in a cached part it would make a distance that was not driven then.
 */
export function dropStaleOdometer(times: PartTimes, told: SignalValues): void {
  const drivenAt = times.get('drive_state') ?? null;
  const bodyAt = times.get('vehicle_state') ?? null;
  if (drivenAt === null || bodyAt === null || drivenAt - bodyAt <= MINUTE_MS) return;
  delete told.odometerKm;
}
