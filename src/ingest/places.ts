import { distanceKm, type Position } from './geodesy.ts';

/** A place as the reducer needs it: a circle, or a polygon of `[longitude, latitude]` corners. */
export type PlaceShape = {
  id: string;
  kind: 'HOME' | 'WORK' | 'FAVORITE' | 'CHARGER' | 'OTHER';
  latitude: number;
  longitude: number;
  radiusM: number | null;
  polygon: readonly (readonly [number, number])[] | null;
};

/** The place that holds a position: of several, the one whose centre is nearest (maker.md §3.1, geofence). */
export function placeAt(
  places: readonly PlaceShape[],
  position: Position | null,
): PlaceShape | null {
  if (position === null) return null;
  let nearest: { place: PlaceShape; km: number } | null = null;
  for (const place of places) {
    const km = distanceKm(place, position);
    if (!holds(place, position, km)) continue;
    if (nearest === null || km < nearest.km) nearest = { place, km };
  }
  return nearest?.place ?? null;
}

function holds(place: PlaceShape, position: Position, km: number): boolean {
  if (place.polygon !== null) return insidePolygon(place.polygon, position);
  return place.radiusM !== null && km * 1000 < place.radiusM;
}

/** Even-odd rule on longitude and latitude; a polygon does not cross the antimeridian. */
function insidePolygon(polygon: readonly (readonly [number, number])[], at: Position): boolean {
  let inside = false;
  let previous = polygon.at(-1);
  for (const corner of polygon) {
    if (previous !== undefined && crosses(previous, corner, at)) inside = !inside;
    previous = corner;
  }
  return inside;
}

function crosses(
  a: readonly [number, number],
  b: readonly [number, number],
  at: Position,
): boolean {
  if (a[1] > at.latitude === b[1] > at.latitude) return false;
  const longitude = a[0] + ((at.latitude - a[1]) / (b[1] - a[1])) * (b[0] - a[0]);
  return at.longitude < longitude;
}
