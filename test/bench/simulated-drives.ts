import type { Sample } from '../../src/contract/samples.ts';
import { newCar, nextMomentMs, stepOn } from '../../src/simulator/car.ts';
import { between, randomOf } from '../../src/simulator/random.ts';
import type { CarSpec } from '../../src/simulator/spec.ts';
import { levelPct } from '../../src/simulator/state.ts';
import { aSample } from '../support/rows.ts';

const START = Date.parse('2026-05-04T00:00:00Z');
const M_PER_DEGREE = 111_195;

/** How the drives of a car are sampled. */
export type Sampling = { seconds: number; days: number; noiseM: number };

/**
 * The drives of a simulated car as samples of eleven signals (time, position, speed, power, level, odometer, elevation, both
 * temperatures, range), with noise of `noiseM` (one standard deviation, each axis) on every position.
 */
export function simulatedDrives(spec: CarSpec, { seconds, days, noiseM }: Sampling): Sample[][] {
  const car = newCar(spec, { seed: 'bench', atMs: START, showings: [] });
  const random = randomOf('bench', spec.key, 'noise', seconds);
  const metres = () => {
    // Twelve uniform draws make a normal one, near enough.
    let sum = -6;
    for (let n = 0; n < 12; n += 1) sum += between(random, 0, 1);
    return sum * noiseM;
  };
  const drives: Sample[][] = [];
  let moving = false;
  while (nextMomentMs(car) < START + days * 86_400_000) {
    stepOn(car);
    const { state } = car;
    const before = moving;
    moving = state.phase === 'driving';
    if (!moving) continue;
    if (!before) drives.push([]);
    if ((state.atMs / 1_000) % seconds !== 0) continue;
    const latitude = state.lat + metres() / M_PER_DEGREE;
    const narrow = Math.cos((state.lat * Math.PI) / 180);
    drives.at(-1)?.push(
      aSample(state.atMs, {
        latitude,
        longitude: state.lon + metres() / M_PER_DEGREE / narrow,
        speedKmh: state.speedMps * 3.6,
        powerKw: state.powerKw,
        batteryLevelPct: Math.round(levelPct(car)),
        odometerKm: state.odometerKm,
        elevationM: state.elevationM,
        insideTempC: state.insideTempC,
        outsideTempC: state.outsideTempC,
        rangeRatedKm: (state.energyKwh / spec.ratedWhPerKm) * 1_000,
      }),
    );
  }
  return drives.filter((drive) => drive.length > 1);
}
