import { kmFromMiles } from '../base/units.ts';
import { type Fact, fact, keepRaw, tell } from './facts.ts';
import { isObject } from './json.ts';
import { isNothing, mapped, numberWithin, type Reader, text } from './readers.ts';
import { enumWord, type FieldFacts, factWhenKnown } from './telemetry-value.ts';

type Position = { latitude: number; longitude: number };

const latitude = numberWithin(-90, 90);
const longitude = numberWithin(-180, 180);
const minutes = numberWithin(0, 60_000);

/** Positions of older software: `(37.412374 N, 122.145867 W)`. */
const positionText = /^\(?\s*([\d.]+)\s*([NS])\s*,\s*([\d.]+)\s*([EW])\s*\)?$/i;

function fieldsOf(value: unknown): { latitude: unknown; longitude: unknown } | undefined {
  if (isObject(value)) return { latitude: value.latitude, longitude: value.longitude };
  const found = typeof value === 'string' ? positionText.exec(value.trim()) : null;
  if (found === null) return undefined;
  const [, north, ns, east, ew] = found;
  return {
    latitude: `${ns?.toUpperCase() === 'S' ? '-' : ''}${north}`,
    longitude: `${ew?.toUpperCase() === 'W' ? '-' : ''}${east}`,
  };
}

/** A position of both coordinates; that of no fix at all, 0 and 0, is not known. */
const position: Reader<Position> = (value, receivedAt) => {
  if (isNothing(value)) return null;
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const lat = latitude(fields.latitude, receivedAt);
  const lon = longitude(fields.longitude, receivedAt);
  if (typeof lat !== 'number' || typeof lon !== 'number') return undefined;
  return lat === 0 && lon === 0 ? null : { latitude: lat, longitude: lon };
};

/** A vehicle that has no fix now is still where it was: only a known position is news. */
const location: Fact = (value, into, path) => {
  const found = position(value, into.receivedAt);
  if (found === undefined) keepRaw(into, path, value);
  if (!found) return;
  tell(into, 'latitude', found.latitude);
  tell(into, 'longitude', found.longitude);
};

const destination: Fact = (value, into, path) => {
  const found = position(value, into.receivedAt);
  if (found === undefined) keepRaw(into, path, value);
  tell(into, 'routeLatitude', found?.latitude ?? null);
  tell(into, 'routeLongitude', found?.longitude ?? null);
};

/** Fields of movement and route: speeds in mph, distances in miles (maker.md §5.4). */
export const driveFields: FieldFacts = {
  // Invalid, SNA and unknown are no end of a drive (maker.md §3.3): they say nothing.
  Gear: factWhenKnown('gear', enumWord('ShiftState', { P: 'P', R: 'R', N: 'N', D: 'D' } as const)),
  VehicleSpeed: fact('speedKmh', numberWithin(0, 400, kmFromMiles)),
  Location: location,
  GpsHeading: fact(
    'headingDeg',
    mapped(numberWithin(-360, 720), (degrees) => (degrees + 360) % 360),
  ),
  Odometer: factWhenKnown('odometerKm', numberWithin(0, 10_000_000, kmFromMiles)),
  MilesSinceReset: fact('kmSinceReset', numberWithin(0, 10_000_000, kmFromMiles)),
  SelfDrivingMilesSinceReset: fact(
    'selfDrivingKmSinceReset',
    numberWithin(0, 10_000_000, kmFromMiles),
  ),
  DestinationName: fact('routeDestination', text),
  DestinationLocation: destination,
  MilesToArrival: fact('routeDistanceKm', numberWithin(0, 30_000, kmFromMiles)),
  MinutesToArrival: fact('routeMinutes', minutes),
  ExpectedEnergyPercentAtTripArrival: fact('routeEnergyAtArrivalPct', numberWithin(-100, 100)),
  RouteTrafficMinutesDelay: fact('routeTrafficDelayMin', numberWithin(-60_000, 60_000)),
};
