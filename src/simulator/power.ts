import type { Run } from './run.ts';
import type { Car } from './state.ts';

const GRAVITY_MPS2 = 9.81;
const AIR_KG_M3 = 1.18;
const DRAG_AREA_M2 = 0.54;
const ROLLING = 0.0095;
const DRIVE_EFFICIENCY = 0.89;
const RECUPERATION_EFFICIENCY = 0.74;
const ELECTRONICS_KW = 0.35;
const SET_TEMP_C = 21;
const STRONGEST_RECUPERATION_KW = 62;

/** Power out of the pack for motion, electronics and climate [kW]; negative flows back. A cold pack takes little back. */
export function drivingPowerKw(car: Car, run: Run): number {
  const { accelerationMps2, grade } = run;
  // Metres gone in one second are the mean speed of that second.
  const speedMps = run.movedM;
  const inertia = car.spec.massKg * (accelerationMps2 * 1.04 + GRAVITY_MPS2 * (grade + ROLLING));
  const drag = 0.5 * AIR_KG_M3 * DRAG_AREA_M2 * speedMps * speedMps;
  const wheelKw = ((inertia + drag) * speedMps) / 1000;
  const warmth = Math.min(1, Math.max(0.15, (car.state.packTempC + 5) / 20));
  const room = car.state.energyKwh < car.spec.capacityKwh * 0.995 ? 1 : 0;
  const motorKw =
    wheelKw > 0
      ? wheelKw / DRIVE_EFFICIENCY
      : Math.max(wheelKw * RECUPERATION_EFFICIENCY, -STRONGEST_RECUPERATION_KW * warmth * room);
  return motorKw + ELECTRONICS_KW + car.state.climateKw;
}

/** Power that heating or cooling takes [kW]: much while the cabin is far from 21 °C, then what the weather takes. */
function climatePowerKw(insideTempC: number, outsideTempC: number): number {
  const gap = Math.abs(SET_TEMP_C - insideTempC);
  const weather = SET_TEMP_C - outsideTempC;
  const holding = weather > 0 ? weather * 0.045 : -weather * 0.05;
  return Math.min(5, 0.15 + holding + Math.max(0, gap - 1) * 0.12);
}

function drift(value: number, target: number, seconds: number, slownessS: number): number {
  return target + (value - target) * Math.exp(-seconds / slownessS);
}

/** Lets cabin and pack follow climate, weather and load for `seconds`. */
export function warmThrough(car: Car, seconds: number): void {
  const { state } = car;
  const sun = state.phase === 'parked' ? 2 : 1;
  const target = state.climateOn ? SET_TEMP_C : state.outsideTempC + sun;
  state.insideTempC = drift(state.insideTempC, target, seconds, state.climateOn ? 300 : 2700);
  const loadKw = Math.abs(state.powerKw) + state.charge.chargerKw;
  const packTarget = state.outsideTempC + Math.min(32, loadKw * 0.75);
  state.packTempC = drift(state.packTempC, packTarget, seconds, loadKw > 1 ? 5400 : 30_000);
  state.climateKw = state.climateOn ? climatePowerKw(state.insideTempC, state.outsideTempC) : 0;
}

/** Share of the level that a cold pack cannot give now [percentage points]. */
export function coldLossPct(packTempC: number): number {
  return Math.min(12, Math.max(0, (6 - packTempC) * 0.3));
}
