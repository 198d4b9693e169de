import { distanceKm, type Position } from './geodesy.ts';
import { type Corners, metresOutsidePolygon, polygonAreaM2 } from './polygon.ts';

/** A place as the reducer needs it: a circle, or a polygon. */
export type PlaceShape = {
  id: string;
  kind: 'HOME' | 'WORK' | 'FAVORITE' | 'CHARGER' | 'OTHER';
  latitude: number;
  longitude: number;
  radiusM: number | null;
  polygon: Corners | null;
  /** Whether entering and leaving it are events, and since when it is as it is (epoch ms). */
  watch?: { enter: boolean; exit: boolean };
};

/** What lies on the border to within a centimetre is inside: degrees are no finer. */
const BORDER_M = 0.01;

/** The place that holds a position, its border included: of several, the smallest. */
export function placeAt(
  places: readonly PlaceShape[],
  position: Position | null,
): PlaceShape | null {
  if (position === null) return null;
  const holding = places.filter((place) => metresOutside(place, position) <= BORDER_M);
  const [first, ...others] = holding;
  if (first === undefined || others.length === 0) return first ?? null;
  return others.reduce(
    (smallest, place) => (areaM2(place) < areaM2(smallest) ? place : smallest),
    first,
  );
}

/** How far outside a place a position lies [m]; inside it is negative. */
export function metresOutside(place: PlaceShape, position: Position): number {
  if (place.polygon !== null) return metresOutsidePolygon(place.polygon, position);
  if (place.radiusM === null) return Number.POSITIVE_INFINITY;
  return distanceKm(place, position) * 1000 - place.radiusM;
}

function areaM2({ polygon, radiusM }: PlaceShape): number {
  return polygon === null ? Math.PI * (radiusM ?? 0) ** 2 : polygonAreaM2(polygon);
}
