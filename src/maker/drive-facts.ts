import { kmFromMiles } from '../base/units.ts';
import { type Facts, fact, factIfUnderstood, factsOf, type Reading, unused } from './facts.ts';
import { mapped, numberWithin, type Reader, text } from './readers.ts';
import { observedTime } from './times.ts';
import type { DriveStateWire } from './wire.ts';

type Gear = 'P' | 'R' | 'N' | 'D';

/** Only null means that the vehicle says no gear; `"<invalid>"`, `SNA` and the like are no end of a drive (maker.md §3.3). */
const gear: Reader<Gear> = (value) => {
  if (value === null) return null;
  return value === 'P' || value === 'R' || value === 'N' || value === 'D' ? value : undefined;
};

const latitude = numberWithin(-90, 90);
const longitude = numberWithin(-180, 180);
const minutes = numberWithin(0, 60_000);
const distanceMiles = numberWithin(0, 30_000, kmFromMiles);

const table: Facts<DriveStateWire> = {
  shift_state: factIfUnderstood('gear', gear),
  speed: fact('speedKmh', numberWithin(0, 400, kmFromMiles)),
  power: fact('powerKw', numberWithin(-2_000, 2_000)),
  heading: fact(
    'headingDeg',
    mapped(numberWithin(0, 360), (degrees) => degrees % 360),
  ),
  latitude: fact('latitude', latitude),
  longitude: fact('longitude', longitude),
  gps_as_of: fact('locatedAt', observedTime),
  active_route_destination: fact('routeDestination', text),
  active_route_latitude: fact('routeLatitude', latitude),
  active_route_longitude: fact('routeLongitude', longitude),
  active_route_miles_to_arrival: fact('routeDistanceKm', distanceMiles),
  active_route_minutes_to_arrival: fact('routeMinutes', minutes),
  active_route_energy_at_arrival: fact('routeEnergyAtArrivalPct', numberWithin(-100, 100)),
  active_route_traffic_minutes_delay: fact('routeTrafficDelayMin', numberWithin(-60_000, 60_000)),
  native_latitude: unused,
  native_location_supported: unused,
  native_longitude: unused,
  native_type: unused,
  timestamp: unused,
};

/** What `drive_state` tells. */
export const driveFacts = factsOf(table, (into, fields) => {
  pairCoordinates(into);
  forgetRoute(into, fields);
});

/** Half a position is none. */
function pairCoordinates({ signals }: Reading) {
  if (typeof signals.latitude !== typeof signals.longitude) {
    signals.latitude = null;
    signals.longitude = null;
  }
  if (typeof signals.routeLatitude !== typeof signals.routeLongitude) {
    signals.routeLatitude = null;
    signals.routeLongitude = null;
  }
}

/**
 * Without a route its fields are absent. That says so only in an answer that may speak of places at all: without the
 * location scope or endpoint they are absent too.
 */
function forgetRoute({ signals }: Reading, fields: Readonly<Record<string, unknown>>) {
  if (!Object.hasOwn(fields, 'latitude')) return;
  if (Object.keys(fields).some((field) => field.startsWith('active_route_'))) return;
  signals.routeDestination = null;
  signals.routeLatitude = null;
  signals.routeLongitude = null;
  signals.routeDistanceKm = null;
  signals.routeMinutes = null;
  signals.routeEnergyAtArrivalPct = null;
  signals.routeTrafficDelayMin = null;
}
