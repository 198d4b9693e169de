import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import type { DriveStateWire, EnvelopeWire, VehicleDataWire } from '../maker/wire.ts';
import {
  climateProgress,
  climateState,
  guiSettings,
  listItem,
  motionOf,
  positionOf,
  routeOf,
  vehicleConfig,
} from './answer.ts';
import { vehicleProgress, vehicleState } from './answer-body.ts';
import { chargeProgress, chargeState } from './answer-charge.ts';
import { nextMomentMs, stepOn } from './car.ts';
import type { Car } from './state.ts';

/** One answer of the maker as a recorder keeps it: `at` in epoch ms, the path asked, and the parsed body. */
export type TraceLine = {
  at: number;
  status: number;
  path: string;
  body: EnvelopeWire<VehicleDataWire>;
};

/** Time between two samples (issue numbers of experience §3): of a moving, a charging and an idle car. */
const SAMPLE_MS = { moving: 10 * SECOND_MS, charging: MINUTE_MS, idle: 10 * MINUTE_MS };

function answered(response: VehicleDataWire): EnvelopeWire<VehicleDataWire> {
  return { response, error: null, error_description: null };
}

/** Everything the maker says of an online car with its position, in one answer. */
function fullAnswer(car: Car): VehicleDataWire {
  return {
    ...listItem(car, 'online'),
    charge_state: chargeState(car),
    climate_state: climateState(car),
    drive_state: { ...motionOf(car), ...positionOf(car), ...routeOf(car, true) },
    gui_settings: guiSettings(car),
    vehicle_config: vehicleConfig(car),
    vehicle_state: vehicleState(car),
  };
}

function driveProgress(car: Car): DriveStateWire {
  const drive = motionOf(car);
  const { gps_as_of, heading, latitude, longitude } = positionOf(car);
  drive.gps_as_of = gps_as_of;
  drive.heading = heading;
  drive.latitude = latitude;
  drive.longitude = longitude;
  return drive;
}

/** What changes between two full answers; a reader takes a missing field as unchanged. */
function progressAnswer(car: Car): VehicleDataWire {
  return {
    vin: car.spec.vin,
    id_s: car.spec.id.toString(),
    state: 'online',
    charge_state: chargeProgress(car),
    climate_state: climateProgress(car),
    drive_state: driveProgress(car),
    vehicle_state: vehicleProgress(car),
  };
}

function intervalMs(car: Car): number {
  const { state } = car;
  if (state.phase !== 'parked') return SAMPLE_MS.moving;
  const { status } = state.software;
  const busy = status === 'installing' || status === 'downloading';
  return state.charge.state === 'Charging' || busy ? SAMPLE_MS.charging : SAMPLE_MS.idle;
}

/** What was going on at a sample; a change of it makes the next one due at once. */
type Situation = {
  awake: boolean;
  phase: string;
  charging: string;
  update: string;
  gear: string;
};

const before: Situation = { awake: false, phase: '', charging: '', update: '', gear: '' };

function changed(last: Situation, car: Car): boolean {
  const { awake, phase, charge, software, gear } = car.state;
  if (awake !== last.awake) return true;
  return (
    phase !== last.phase ||
    gear !== last.gear ||
    charge.state !== last.charging ||
    software.status !== last.update
  );
}

function situationOf(car: Car): Situation {
  const { awake, phase, charge, software, gear } = car.state;
  return { awake, phase, charging: charge.state, update: software.status, gear };
}

function dataLine(car: Car, whole: boolean): TraceLine {
  const path = `/api/1/vehicles/${car.spec.vin}/vehicle_data`;
  const response = whole ? fullAnswer(car) : progressAnswer(car);
  return { at: car.state.atMs, status: 200, path, body: answered(response) };
}

function listLine(car: Car): TraceLine {
  const path = `/api/1/vehicles/${car.spec.vin}`;
  const link = car.state.awake ? 'online' : 'asleep';
  return { at: car.state.atMs, status: 200, path, body: answered(listItem(car, link)) };
}

/**
 * Moves the car on to `untilMs` and yields what a patient recorder would have got on the way, in time order: every 10 s
 * on the road, every 60 s on a charger, every 10 min idle, a full answer when something begins, a list item when the car
 * falls asleep or wakes. Lines up to `afterMs` are counted with and left out, so that the others are the same as with them.
 * `onStep` sees the car after each of its steps.
 */
export function* recordCar(
  car: Car,
  untilMs: number,
  afterMs = Number.NEGATIVE_INFINITY,
  onStep?: (car: Car) => void,
): Generator<TraceLine> {
  let last = before;
  let lastMs = Number.NEGATIVE_INFINITY;
  while (nextMomentMs(car) <= untilMs) {
    stepOn(car);
    onStep?.(car);
    const { state } = car;
    const changes = changed(last, car);
    if (!changes && (!state.awake || state.atMs - lastMs < intervalMs(car))) continue;
    const linkChanges = last === before || state.awake !== last.awake;
    const whole = linkChanges || (changes && state.phase === 'parked');
    if (changes) last = situationOf(car);
    lastMs = state.atMs;
    if (state.atMs <= afterMs) continue;
    if (linkChanges) yield listLine(car);
    if (state.awake) yield dataLine(car, whole);
  }
}

/** The history of all cars up to `untilMs`, one car after the other; afterwards the cars are as they are then. */
export function* recordGarage(cars: readonly Car[], untilMs: number): Generator<TraceLine> {
  for (const car of cars) yield* recordCar(car, untilMs);
}
