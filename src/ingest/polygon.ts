import type { Position } from './geodesy.ts';

/** Corners as `[longitude, latitude]` pairs, as in GeoJSON (RFC 7946 3.1.1); the last one is not the first again. */
export type Corners = readonly (readonly [number, number])[];

/** A point on a plane that touches the earth at a polygon [m]. */
type Point = { x: number; y: number };

type Plane = { corners: readonly Point[]; pointOf: (position: Position) => Point };

/** Metres in a degree of a great circle on the mean earth radius (IUGG). */
const M_PER_DEGREE = 111_195.08;

const planes = new WeakMap<Corners, Plane>();

/**
 * The polygon on a plane in metres. Longitudes are measured from its first corner the short way round, so that a polygon
 * may lie across the antimeridian; over its 100 km the plane is off by less than a thousandth.
 */
function planeOf(corners: Corners): Plane {
  const known = planes.get(corners);
  if (known !== undefined) return known;
  const [originLongitude, originLatitude] = corners[0] ?? [0, 0];
  const shrink = Math.cos((originLatitude * Math.PI) / 180);
  const pointOf = ({ latitude, longitude }: Position): Point => ({
    x: shortWay(longitude - originLongitude) * shrink * M_PER_DEGREE,
    y: (latitude - originLatitude) * M_PER_DEGREE,
  });
  const points = corners.map(([longitude, latitude]) => pointOf({ latitude, longitude }));
  const plane = { corners: points, pointOf };
  planes.set(corners, plane);
  return plane;
}

function shortWay(degrees: number): number {
  return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
}

/** How far outside a polygon a position lies [m]; inside it is negative, and on the border zero. */
export function metresOutsidePolygon(polygon: Corners, position: Position): number {
  const { corners, pointOf } = planeOf(polygon);
  const at = pointOf(position);
  let inside = false;
  let nearestM = Number.POSITIVE_INFINITY;
  for (const [a, b] of edgesOf(corners)) {
    if (a.y > at.y !== b.y > at.y && at.x < a.x + ((at.y - a.y) / (b.y - a.y)) * (b.x - a.x)) {
      inside = !inside;
    }
    nearestM = Math.min(nearestM, distanceToEdge(at, a, b));
  }
  return inside ? -nearestM : nearestM;
}

function edgesOf(corners: readonly Point[]): [Point, Point][] {
  return corners.map((corner, index) => [corner, corners[(index + 1) % corners.length] ?? corner]);
}

function distanceToEdge(at: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const lengthSquared = dx * dx + dy * dy;
  const share = lengthSquared === 0 ? 0 : ((at.x - a.x) * dx + (at.y - a.y) * dy) / lengthSquared;
  const along = Math.min(1, Math.max(0, share));
  return Math.hypot(at.x - a.x - along * dx, at.y - a.y - along * dy);
}

/** Area of a polygon [m²]. */
export function polygonAreaM2(polygon: Corners): number {
  return Math.abs(signedArea(planeOf(polygon).corners));
}

function signedArea(corners: readonly Point[]): number {
  return edgesOf(corners).reduce((sum, [a, b]) => sum + (a.x * b.y - b.x * a.y) / 2, 0);
}

/** The middle of a polygon's area; of one without an area, the middle of its corners. */
export function centreOf(polygon: Corners): Position {
  const { corners } = planeOf(polygon);
  const area = signedArea(corners);
  const sum = edgesOf(corners).reduce(
    (total, [a, b]) => {
      const cross = a.x * b.y - b.x * a.y;
      return { x: total.x + (a.x + b.x) * cross, y: total.y + (a.y + b.y) * cross };
    },
    { x: 0, y: 0 },
  );
  const count = corners.length;
  const point =
    area === 0
      ? {
          x: corners.reduce((total, { x }) => total + x, 0) / count,
          y: corners.reduce((total, { y }) => total + y, 0) / count,
        }
      : { x: sum.x / (6 * area), y: sum.y / (6 * area) };
  const [longitude, latitude] = polygon[0] ?? [0, 0];
  const shrink = Math.cos((latitude * Math.PI) / 180);
  return {
    latitude: latitude + point.y / M_PER_DEGREE,
    longitude: shortWay(longitude + point.x / (shrink * M_PER_DEGREE)),
  };
}

/** Length of the longer side of the box around a polygon [m]. */
export function polygonSpanM(polygon: Corners): number {
  const { corners } = planeOf(polygon);
  const side = (values: number[]) => Math.max(...values) - Math.min(...values);
  return Math.max(side(corners.map(({ x }) => x)), side(corners.map(({ y }) => y)));
}

/** Whether two edges of a polygon meet anywhere but at a corner they share. */
export function crossesItself(polygon: Corners): boolean {
  const edges = edgesOf(planeOf(polygon).corners);
  return edges.some(([a, b], first) =>
    edges.some(([c, d], second) => {
      const apart = Math.abs(first - second);
      if (apart === 0) return false;
      const neighbours = apart === 1 || apart === edges.length - 1;
      return neighbours ? foldsBack(a, b, c, d) : meet(a, b, c, d);
    }),
  );
}

/** Whether two edges that share a corner lie on each other. */
function foldsBack(a: Point, b: Point, c: Point, d: Point): boolean {
  const [shared, one, other] = b === c ? [b, a, d] : [a, b, c];
  const cross = turn(one, shared, other);
  const dot = (one.x - shared.x) * (other.x - shared.x) + (one.y - shared.y) * (other.y - shared.y);
  return cross === 0 && dot > 0;
}

function turn(a: Point, b: Point, c: Point): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function meet(a: Point, b: Point, c: Point, d: Point): boolean {
  const [abc, abd] = [Math.sign(turn(a, b, c)), Math.sign(turn(a, b, d))];
  const [cda, cdb] = [Math.sign(turn(c, d, a)), Math.sign(turn(c, d, b))];
  if (abc !== abd && cda !== cdb) return true;
  return (
    (abc === 0 && between(a, b, c)) ||
    (abd === 0 && between(a, b, d)) ||
    (cda === 0 && between(c, d, a)) ||
    (cdb === 0 && between(c, d, b))
  );
}

/** Whether a point of the line through `a` and `b` lies between them. */
function between(a: Point, b: Point, at: Point): boolean {
  return (
    at.x >= Math.min(a.x, b.x) &&
    at.x <= Math.max(a.x, b.x) &&
    at.y >= Math.min(a.y, b.y) &&
    at.y <= Math.max(a.y, b.y)
  );
}
