import type { Field } from '../shape.ts';
import { told } from '../telling.ts';
import { type LocatedPoint, locatedPoints } from './located.ts';
import type { RowWriter } from './row-writer.ts';
import { stretchCutter } from './stretches.ts';

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

function featureOf(columns: readonly Field[], points: readonly LocatedPoint[]): object {
  const measured = columns
    .filter(({ name }) => !inCoordinates.includes(name))
    .map((column) => [column.key, points.map(({ point }) => told(column, point[column.name]))]);
  return {
    type: 'Feature',
    geometry: geometryOf(points),
    properties: Object.fromEntries(measured),
  };
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
  return JSON.stringify({ id, ...featureOf(columns, locatedPoints(points)) });
}

/** Paths of any length as a GeoJSON FeatureCollection: a feature for each stretch, and for each piece that is written. */
export function geoJsonWriter(columns: readonly Field[]): RowWriter {
  const cutter = stretchCutter();
  let count = 0;
  return {
    head: () => '{"type":"FeatureCollection","features":[',
    rows: (rows) => {
      const before = cutter.last();
      return cutter
        .cut(rows)
        .map(({ points, goesOn }) => {
          count += 1;
          // The line of a piece begins where that of the piece before ended, so that no gap shows.
          const line = goesOn && before !== null ? [before, ...points] : points;
          return `${count === 1 ? '' : ','}${JSON.stringify(featureOf(columns, line))}`;
        })
        .join('');
    },
    tail: () => ']}',
  };
}
