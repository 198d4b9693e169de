const EARTH_RADIUS_KM = 6371.0088;

export type Position = { latitude: number; longitude: number };

/** Great-circle distance [km] by the haversine formula on the mean earth radius (IUGG). */
export function distanceKm(from: Position, to: Position): number {
  const lat1 = radians(from.latitude);
  const lat2 = radians(to.latitude);
  const dLat = lat2 - lat1;
  const dLon = radians(to.longitude - from.longitude);
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(lat1) * Math.cos(lat2) * Math.sin(dLon / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** A position where both coordinates are known, else null. */
export function positionOf(
  latitude: number | null | undefined,
  longitude: number | null | undefined,
): Position | null {
  return latitude == null || longitude == null ? null : { latitude, longitude };
}
