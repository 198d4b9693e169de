import type { Field } from '../shape.ts';
import { told } from '../telling.ts';
import { type LocatedPoint, locatedPoints } from './located.ts';

/** Fields of a point that its coordinates tell. */
const inCoordinates = ['latitude', 'longitude', 'elevationM'];

function geometryOf(points: readonly LocatedPoint[]): object | null {
  // A position has its height or not, but not some of a line (RFC 7946 3.1.1 wants them alike).
  const high = points.every(({ elevationM }) => elevationM !== null);
  const positions = points.map(({ latitude, longitude, elevationM }) => [
    longitude,
    latitude,
    ...(high ? [elevationM] : []),
  ]);
  const [only] = positions;
  if (only === undefined) return null;
  return positions.length === 1
    ? { type: 'Point', coordinates: only }
    : { type: 'LineString', coordinates: positions };
}

/**
 * A path as a GeoJSON Feature (RFC 7946): a line, and beside it what was measured at each of its positions, in lists as
 * long as the line.
 */
export function geoJsonOf(
  id: string,
  columns: readonly Field[],
  points: readonly unknown[],
): string {
  const located = locatedPoints(points);
  const measured = columns
    .filter(({ name }) => !inCoordinates.includes(name))
    .map((column) => [column.key, located.map(({ point }) => told(column, point[column.name]))]);
  return JSON.stringify({
    type: 'Feature',
    id,
    geometry: geometryOf(located),
    properties: Object.fromEntries(measured),
  });
}
