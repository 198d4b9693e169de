const EARTH_M = 6_371_008.8;
const RAD = Math.PI / 180;

/** Distance over ground between two positions in degrees, in metres (haversine, mean radius of the earth). */
export function distanceM(latA: number, lonA: number, latB: number, lonB: number): number {
  const lat = Math.sin(((latB - latA) * RAD) / 2);
  const lon = Math.sin(((lonB - lonA) * RAD) / 2);
  const chord = lat * lat + Math.cos(latA * RAD) * Math.cos(latB * RAD) * lon * lon;
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** Direction from the first position to the second, clockwise from north, 0 to 360 degrees (flat for short distances). */
export function bearingDeg(latA: number, lonA: number, latB: number, lonB: number): number {
  const east = (lonB - lonA) * Math.cos(((latA + latB) / 2) * RAD);
  const bearing = Math.atan2(east, latB - latA) / RAD;
  return bearing < 0 ? bearing + 360 : bearing;
}

/** The smooth curve through `b` and `c` that knows their neighbours, at `share` of the way (Catmull-Rom). */
export function curveAt(points: [number, number, number, number], share: number): number {
  const [a, b, c, d] = points;
  const square = share * share;
  return (
    0.5 *
    (2 * b +
      (c - a) * share +
      (2 * a - 5 * b + 4 * c - d) * square +
      (3 * b - a - 3 * c + d) * square * share)
  );
}
