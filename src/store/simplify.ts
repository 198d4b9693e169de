/** Metres in a degree of latitude, on the mean earth radius. */
const M_PER_DEGREE = 111_195;

type Placed = { latitude: number; longitude: number };

/** Distance of a point from the line between two others, on the plane around them [m]. */
function distanceFrom(point: Placed, from: Placed, to: Placed): number {
  const scale = Math.cos((from.latitude * Math.PI) / 180);
  const x = (place: Placed) => (place.longitude - from.longitude) * scale * M_PER_DEGREE;
  const y = (place: Placed) => (place.latitude - from.latitude) * M_PER_DEGREE;
  const length = x(to) ** 2 + y(to) ** 2;
  const along = length === 0 ? 0 : (x(point) * x(to) + y(point) * y(to)) / length;
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(x(point) - t * x(to), y(point) - t * y(to));
}

type Span = { first: number; last: number; aboveM: number };

/**
 * The tolerance up to which each point is kept of a line (Douglas and Peucker, 1973) [m]: infinite at both ends, 0 for points
 * that no tolerance of `leastM` or more keeps. Points kept at a tolerance are kept at every smaller one.
 */
export function keptUpTo(points: readonly Placed[], leastM: number): Float64Array {
  const upTo = new Float64Array(points.length);
  if (points.length === 0) return upTo;
  const last = points.length - 1;
  upTo[0] = Number.POSITIVE_INFINITY;
  upTo[last] = Number.POSITIVE_INFINITY;
  const spans: Span[] = [{ first: 0, last, aboveM: Number.POSITIVE_INFINITY }];
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const farthest = farthestBetween(points, span);
    if (farthest.distanceM <= leastM) continue;
    const aboveM = Math.min(span.aboveM, farthest.distanceM);
    upTo[farthest.index] = aboveM;
    spans.push(
      { first: span.first, last: farthest.index, aboveM },
      { first: farthest.index, last: span.last, aboveM },
    );
  }
  return upTo;
}

/** The points without those that lie less than `toleranceM` from the line that is left. */
export function simplified<P extends Placed>(points: readonly P[], toleranceM: number): P[] {
  const upTo = keptUpTo(points, toleranceM);
  return points.filter((_, index) => (upTo[index] ?? 0) > toleranceM);
}

function farthestBetween(points: readonly Placed[], { first, last }: Span) {
  const from = points[first];
  const to = points[last];
  let farthest = { index: first, distanceM: -1 };
  for (let index = first + 1; index < last; index++) {
    const point = points[index];
    if (point === undefined || from === undefined || to === undefined) continue;
    const distanceM = distanceFrom(point, from, to);
    if (distanceM > farthest.distanceM) farthest = { index, distanceM };
  }
  return farthest;
}

/** At most `max` of the items, spread evenly, the first and the last among them. */
export function thinned<T>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items];
  const step = (items.length - 1) / Math.max(1, max - 1);
  return Array.from({ length: max }, (_, index) => items[Math.round(index * step)]).filter(
    (item) => item !== undefined,
  );
}

/** The items in time order without those that follow one that is kept within less than `intervalMs`. */
export function spaced<T extends { at: number }>(items: readonly T[], intervalMs: number): T[] {
  let kept = Number.NEGATIVE_INFINITY;
  return items.filter(({ at }) => {
    if (at - kept < intervalMs) return false;
    kept = at;
    return true;
  });
}
