import { type Car, type ChargeState, levelPct, placeOf } from './state.ts';

export const MAINS_V = 230;
export const MAINS_PHASES = 3;
const LOWEST_CURRENT_A = 5;
const TAPER_BELOW_LIMIT_PCT = 2;
const AC_EFFICIENCY = 0.92;
const DC_EFFICIENCY = 0.97;
const STARTING_MS = 20_000;
/** Stays at fast chargers that a car remembers. */
const MOST_FAST_CHARGES = 20;

/** Power a warm pack takes from a fast charger by its level: [%, kW], straight lines between. */
const fastCurve = [
  [0, 90],
  [6, 125],
  [12, 170],
  [25, 160],
  [35, 132],
  [50, 100],
  [60, 82],
  [70, 63],
  [80, 46],
  [90, 25],
  [100, 6],
] as const satisfies readonly (readonly [number, number])[];

/** Power that the pack takes from a fast charger [kW]. */
function fastPowerKw(level: number, packTempC: number): number {
  const warmth = Math.min(1, Math.max(0.3, (packTempC + 10) / 28));
  for (let index = 1; index < fastCurve.length; index += 1) {
    const [fromPct, fromKw] = fastCurve[index - 1] ?? [0, 0];
    const [toPct, toKw] = fastCurve[index] ?? [100, 0];
    if (level <= toPct) {
      return (fromKw + ((toKw - fromKw) * (level - fromPct)) / (toPct - fromPct)) * warmth;
    }
  }
  return 0;
}

/** Voltage of the pack by its level [V]. */
export function packVoltageV(level: number): number {
  return 330 + level * 0.7;
}

/** True while a charge runs or begins. */
export function flows(charge: ChargeState): boolean {
  return charge.state === 'Charging' || charge.state === 'Starting';
}

/** Connects a cable; charging begins at `startAtMs`, or at once. */
export function plugIn(
  car: Car,
  options: { cable: 'ac' | 'dc'; limitPct: number; startAtMs: number | null },
): void {
  const { charge, atMs } = car.state;
  charge.cable = options.cable;
  car.state.lastActivityMs = atMs;
  if (options.cable === 'dc') beginFastCharge(car);
  if (options.startAtMs !== null && options.startAtMs > atMs) {
    charge.limitPct = options.limitPct;
    charge.state = 'Stopped';
    charge.scheduledAtMs = options.startAtMs;
  } else {
    startCharging(car, options.limitPct);
  }
}

function beginFastCharge(car: Car): void {
  const { fastCharges, atMs } = car.state;
  const site = placeOf(car)?.name ?? '';
  fastCharges.push({ site, fromMs: atMs, untilMs: atMs, unpluggedMs: null, kwh: 0 });
  if (fastCharges.length > MOST_FAST_CHARGES) fastCharges.shift();
}

/** Begins a charge up to `limitPct` on the cable that is connected; the counter starts from zero. */
export function startCharging(car: Car, limitPct: number): void {
  const { charge, atMs } = car.state;
  charge.limitPct = limitPct;
  charge.scheduledAtMs = null;
  charge.addedKwh = 0;
  charge.state = levelPct(car) < limitPct - 0.05 ? 'Starting' : 'Complete';
  charge.startedAtMs = atMs;
  car.state.lastActivityMs = atMs;
}

/** Ends the flow and leaves the cable connected. */
export function stopCharging(car: Car, state: 'Stopped' | 'Complete'): void {
  const { charge } = car.state;
  charge.state = state;
  charge.scheduledAtMs = null;
  charge.chargerKw = 0;
  charge.currentA = 0;
  car.state.powerKw = 0;
}

/** Takes the cable out. */
export function unplug(car: Car): void {
  const { charge, fastCharges, atMs } = car.state;
  const stay = charge.cable === 'dc' ? fastCharges.at(-1) : undefined;
  if (stay !== undefined) stay.unpluggedMs = atMs;
  stopCharging(car, 'Stopped');
  charge.state = 'Disconnected';
  charge.cable = null;
  car.state.remote.portOpen = false;
  car.state.remote.cableLoose = false;
}

function mainsCurrentA(car: Car): number {
  const missing = car.state.charge.limitPct - levelPct(car);
  const share = Math.min(1, Math.max(0, missing / TAPER_BELOW_LIMIT_PCT));
  return Math.max(LOWEST_CURRENT_A, Math.round(car.state.remote.chargeAmps * (0.3 + 0.7 * share)));
}

function draw(car: Car, seconds: number): void {
  const { charge } = car.state;
  const level = levelPct(car);
  let packKw = 0;
  if (charge.cable === 'dc') {
    packKw = fastPowerKw(level, car.state.packTempC);
    charge.chargerKw = packKw / DC_EFFICIENCY;
    charge.currentA = (charge.chargerKw * 1000) / packVoltageV(level);
  } else {
    charge.currentA = mainsCurrentA(car);
    charge.chargerKw = (charge.currentA * MAINS_V * MAINS_PHASES) / 1000;
    packKw = charge.chargerKw * AC_EFFICIENCY - car.state.climateKw;
  }
  const roomKwh = (car.spec.capacityKwh * charge.limitPct) / 100 - car.state.energyKwh;
  const gainKwh = Math.min(roomKwh, (packKw * seconds) / 3600);
  car.state.energyKwh += gainKwh;
  charge.addedKwh = Math.max(0, charge.addedKwh + gainKwh);
  if (charge.cable === 'dc') countFast(car, gainKwh / DC_EFFICIENCY);
  car.state.powerKw = -packKw;
  car.state.lastActivityMs = car.state.atMs;
  if (gainKwh >= roomKwh) stopCharging(car, 'Complete');
}

function countFast({ state: { fastCharges, atMs } }: Car, kwh: number): void {
  const stay = fastCharges.at(-1);
  if (stay === undefined || kwh <= 0) return;
  stay.kwh += kwh;
  stay.untilMs = atMs;
}

/** Moves a connected cable's session on by `seconds`: waiting, starting, charging, complete. */
export function chargeOn(car: Car, seconds: number): void {
  const { charge, atMs } = car.state;
  if (charge.state === 'Charging') draw(car, seconds);
  else if (charge.state === 'Starting' && atMs >= charge.startedAtMs + STARTING_MS)
    charge.state = 'Charging';
  else if (charge.scheduledAtMs !== null && atMs >= charge.scheduledAtMs) {
    startCharging(car, charge.limitPct);
  }
}

/** Minutes until the limit is reached at the present power, or 0 when nothing flows. */
export function minutesToLimit(car: Car): number {
  const { charge, energyKwh } = car.state;
  if (charge.state !== 'Charging' || charge.chargerKw <= 0) return 0;
  const missingKwh = (car.spec.capacityKwh * charge.limitPct) / 100 - energyKwh;
  return Math.max(0, (missingKwh / (charge.chargerKw * AC_EFFICIENCY)) * 60);
}
