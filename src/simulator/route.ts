import { bearingDeg, curveAt, distanceM } from './geometry.ts';
import { type RoadName, type RoadPoint, roads } from './roads.ts';

/** One stretch of a way: a road in the direction it was laid out, or backwards. */
export type Stretch = { road: RoadName; backwards: boolean };

/** Distance between two neighbouring points of a way, about, in metres. */
const STEP_M = 25;
const SIDEWAYS_MPS2 = 2.4;
const SLOWEST_BEND_MPS = 5;
const MPS_PER_KMH = 1 / 3.6;

/**
 * A way from one place to another as a car drives it, in points about 25 m apart; the arrays run in parallel.
 *
 * `alongM` is the distance from the start; `limitMps` the speed of a calm driver; `signalsM` and `slowsM` say how far
 * along a car may have to halt or to slow down.
 */
export type Way = {
  lengthM: number;
  alongM: Float64Array;
  lat: Float64Array;
  lon: Float64Array;
  elevationM: Float64Array;
  headingDeg: Float64Array;
  limitMps: Float64Array;
  signalsM: readonly number[];
  slowsM: readonly number[];
};

function pointsOf(stretch: Stretch): RoadPoint[] {
  const laid: readonly RoadPoint[] = roads[stretch.road];
  if (!stretch.backwards) return [...laid];
  // A point's speed holds from it onwards, so driven backwards it is the speed of the point ahead.
  return laid
    .map((point, index): RoadPoint => {
      const [lat, lon, elevationM, limit, mark] = point;
      const onwards = laid[index - 1]?.[3] ?? limit;
      return mark === undefined
        ? [lat, lon, elevationM, onwards]
        : [lat, lon, elevationM, onwards, mark];
    })
    .reverse();
}

function joined(stretches: readonly Stretch[]): RoadPoint[] {
  const points: RoadPoint[] = [];
  for (const stretch of stretches) {
    const next = pointsOf(stretch);
    if (points.length > 0) points.pop();
    points.push(...next);
  }
  return points;
}

type Fine = { lat: number; lon: number; elevationM: number; limitMps: number; mark: RoadPoint[4] };

function smoothed(points: readonly RoadPoint[]): Fine[] {
  const fine: Fine[] = [];
  const at = (index: number) => points[Math.min(points.length - 1, Math.max(0, index))];
  for (let index = 0; index < points.length - 1; index += 1) {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    if (!a || !b || !c || !d) continue;
    const steps = Math.max(1, Math.round(distanceM(b[0], b[1], c[0], c[1]) / STEP_M));
    for (let step = 0; step < steps; step += 1) {
      const share = step / steps;
      fine.push({
        lat: curveAt([a[0], b[0], c[0], d[0]], share),
        lon: curveAt([a[1], b[1], c[1], d[1]], share),
        elevationM: b[2] + (c[2] - b[2]) * share * share * (3 - 2 * share),
        limitMps: b[3] * MPS_PER_KMH,
        mark: step === 0 ? b[4] : undefined,
      });
    }
  }
  const last = points.at(-1);
  if (last) {
    const [lat, lon, elevationM, limit] = last;
    fine.push({ lat, lon, elevationM, limitMps: limit * MPS_PER_KMH, mark: undefined });
  }
  return fine;
}

function bendLimitMps(turnDeg: number, lengthM: number): number {
  const turn = (Math.abs(((turnDeg + 540) % 360) - 180) * Math.PI) / 180;
  return turn < 1e-6
    ? Number.POSITIVE_INFINITY
    : Math.max(SLOWEST_BEND_MPS, Math.sqrt((SIDEWAYS_MPS2 * lengthM) / turn));
}

/** Lays out the way over `stretches`, each beginning where the one before ends. */
export function wayOver(stretches: readonly Stretch[]): Way {
  const fine = smoothed(joined(stretches));
  const count = fine.length;
  const fill = (of: (point: Fine) => number) => Float64Array.from(fine, of);
  const [lat, lon] = [fill((point) => point.lat), fill((point) => point.lon)];
  const alongM = new Float64Array(count);
  const headingDeg = new Float64Array(count);
  const limitMps = fill((point) => point.limitMps);
  for (let index = 0; index < count - 1; index += 1) {
    const [latA, lonA] = [lat[index] ?? 0, lon[index] ?? 0];
    const [latB, lonB] = [lat[index + 1] ?? 0, lon[index + 1] ?? 0];
    const lengthM = distanceM(latA, lonA, latB, lonB);
    alongM[index + 1] = (alongM[index] ?? 0) + lengthM;
    const heading = bearingDeg(latA, lonA, latB, lonB);
    headingDeg[index] = heading;
    const turn = index === 0 ? 0 : heading - (headingDeg[index - 1] ?? 0);
    limitMps[index] = Math.min(limitMps[index] ?? 0, bendLimitMps(turn, lengthM));
  }
  headingDeg[count - 1] = headingDeg[count - 2] ?? 0;
  const marked = (mark: RoadPoint[4]) =>
    fine.flatMap((point, index) => (point.mark === mark ? [alongM[index] ?? 0] : []));
  return {
    lengthM: alongM[count - 1] ?? 0,
    alongM,
    lat,
    lon,
    elevationM: fill((point) => point.elevationM),
    headingDeg,
    limitMps,
    signalsM: marked('signal').filter((distance) => distance > 0),
    slowsM: marked('slow').filter((distance) => distance > 0),
  };
}

/** Index of the last point of the way at or before `alongM`, searched onwards from `hint`. */
export function indexAt(way: Way, alongM: number, hint: number): number {
  const last = way.alongM.length - 2;
  let index = hint;
  while (index < last && (way.alongM[index + 1] ?? 0) <= alongM) index += 1;
  return index;
}

/** The value between point `index` and the next, at `share` of the distance. */
export function valueAt(values: Float64Array, index: number, share: number): number {
  const start = values[index] ?? 0;
  return start + ((values[index + 1] ?? start) - start) * share;
}
