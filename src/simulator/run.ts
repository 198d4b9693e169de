import type { Random } from './random.ts';
import { indexAt, valueAt, type Way } from './route.ts';

/** Comfortable braking, as the speed allowed ahead of a slower point is planned. */
const BRAKING_MPS2 = 1.2;
const HARDEST_BRAKING_MPS2 = 3;
const SLOWEST_MPS = 1.2;
const SLOW_POINT_MPS = 7;
const BACKING_MPS = 0.8;

/** A drive under way: how far along it is, how fast, and where it will halt. */
export type Run = {
  connectionId: string;
  /** Highest speed at each point of the way, with room to brake. */
  allowedMps: Float64Array;
  /** Distances along the way of the halts that this drive makes, and how long each takes. */
  halts: readonly { alongM: number; seconds: number }[];
  nextHalt: number;
  haltedS: number;
  index: number;
  alongM: number;
  speedMps: number;
  /** Seconds that the car still backs out of its parking space. */
  backingS: number;
  briskness: number;
  lat: number;
  lon: number;
  elevationM: number;
  headingDeg: number;
  /** Rise of the road, metres per metre. */
  grade: number;
  /** What the last second did: metres gone and change of speed. */
  movedM: number;
  accelerationMps2: number;
};

/** How much the traffic of one drive holds it up; halts of at most `longestHaltS`. */
export type Traffic = { random: Random; haltShare: number; longestHaltS: number };

function allowedOn(way: Way, pace: number, haltsM: readonly number[], slowsM: readonly number[]) {
  const allowed = Float64Array.from(way.limitMps, (limit) => limit * pace);
  const count = allowed.length;
  const cap = (distances: readonly number[], mps: number) => {
    let index = 0;
    for (const distance of distances) {
      while (index < count - 1 && (way.alongM[index + 1] ?? 0) <= distance) index += 1;
      allowed[index] = Math.min(allowed[index] ?? 0, mps);
    }
  };
  cap(haltsM, SLOWEST_MPS);
  cap(slowsM, SLOW_POINT_MPS);
  allowed[count - 1] = SLOWEST_MPS;
  for (let index = count - 2; index >= 0; index -= 1) {
    const ahead = allowed[index + 1] ?? 0;
    const lengthM = (way.alongM[index + 1] ?? 0) - (way.alongM[index] ?? 0);
    const reachable = Math.sqrt(ahead * ahead + 2 * BRAKING_MPS2 * lengthM);
    allowed[index] = Math.max(SLOWEST_MPS, Math.min(allowed[index] ?? 0, reachable));
  }
  return allowed;
}

/** Begins a drive over `way`, whose traffic, pace and halts follow from `traffic.random`. */
export function startRun(connectionId: string, way: Way, traffic: Traffic): Run {
  const { random, haltShare, longestHaltS } = traffic;
  const pace = 0.93 + random() * 0.12;
  const halts = way.signalsM
    .filter((distance) => random() < haltShare && distance < way.lengthM - 60)
    .map((alongM) => ({ alongM, seconds: 3 + Math.floor(random() * (longestHaltS - 3)) }));
  const haltsM = halts.map((halt) => halt.alongM);
  return {
    connectionId,
    allowedMps: allowedOn(way, pace, haltsM, way.slowsM),
    halts: [...halts, { alongM: way.lengthM, seconds: 0 }],
    nextHalt: 0,
    haltedS: 0,
    index: 0,
    alongM: 0,
    speedMps: 0,
    backingS: random() < 0.5 ? 6 : 0,
    briskness: 0.85 + random() * 0.3,
    lat: way.lat[0] ?? 0,
    lon: way.lon[0] ?? 0,
    elevationM: way.elevationM[0] ?? 0,
    headingDeg: way.headingDeg[0] ?? 0,
    grade: 0,
    movedM: 0,
    accelerationMps2: 0,
  };
}

function targetMps(run: Run, way: Way): number {
  if (run.backingS > 0) return BACKING_MPS;
  const here = run.allowedMps[run.index] ?? SLOWEST_MPS;
  let ahead = run.index;
  const reachM = run.alongM + run.speedMps;
  while (ahead < way.alongM.length - 1 && (way.alongM[ahead] ?? 0) < reachM) ahead += 1;
  return Math.min(here, run.allowedMps[ahead] ?? here);
}

function locate(run: Run, way: Way): void {
  const index = indexAt(way, run.alongM, run.index);
  const from = way.alongM[index] ?? 0;
  const lengthM = Math.max(0.001, (way.alongM[index + 1] ?? from) - from);
  const share = Math.min(1, (run.alongM - from) / lengthM);
  run.index = index;
  run.lat = valueAt(way.lat, index, share);
  run.lon = valueAt(way.lon, index, share);
  run.elevationM = valueAt(way.elevationM, index, share);
  run.headingDeg = way.headingDeg[index] ?? 0;
  run.grade = ((way.elevationM[index + 1] ?? 0) - (way.elevationM[index] ?? 0)) / lengthM;
}

function waitAtHalt(run: Run, seconds: number): void {
  run.movedM = 0;
  run.haltedS += 1;
  if (run.haltedS < seconds) return;
  run.nextHalt += 1;
  run.haltedS = 0;
}

function move(run: Run, way: Way, haltM: number): void {
  const before = run.speedMps;
  const rise = Math.max(0.5, (1.9 - before * 0.04) * run.briskness);
  const wanted = targetMps(run, way) - before;
  run.speedMps = Math.max(0, before + Math.max(-HARDEST_BRAKING_MPS2, Math.min(rise, wanted)));
  run.movedM = (before + run.speedMps) / 2;
  if (run.alongM + run.movedM >= haltM - 0.6) {
    run.movedM = Math.max(0, haltM - run.alongM);
    run.speedMps = 0;
  }
  run.alongM += run.movedM;
  if (run.backingS > 0) run.backingS -= 1;
}

/** Drives on for one second; true when that was the last one. */
export function driveOneSecond(run: Run, way: Way): boolean {
  const before = run.speedMps;
  const halt = run.halts[run.nextHalt];
  const haltM = halt?.alongM ?? way.lengthM;
  if (halt !== undefined && before === 0 && run.alongM >= haltM) waitAtHalt(run, halt.seconds);
  else move(run, way, haltM);
  run.accelerationMps2 = run.speedMps - before;
  locate(run, way);
  return run.nextHalt >= run.halts.length - 1 && run.alongM >= way.lengthM;
}
