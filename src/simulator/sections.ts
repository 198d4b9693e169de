import type { VehicleDataWire } from '../maker/wire.ts';
import {
  climateState,
  guiSettings,
  motionOf,
  positionOf,
  routeOf,
  vehicleConfig,
} from './answer.ts';
import { vehicleState } from './answer-body.ts';
import { chargeState } from './answer-charge.ts';
import { planTold } from './notices.ts';
import type { Car } from './state.ts';

/** Sections by the word that asks for them; `location_data` is not one but fills `drive_state`. */
const sections = {
  charge_state: (car: Car) => ({ charge_state: chargeState(car) }),
  climate_state: (car: Car) => ({ climate_state: climateState(car) }),
  closures_state: (car: Car) => ({ vehicle_state: vehicleState(car) }),
  drive_state: (car: Car) => ({ drive_state: { ...motionOf(car), ...routeOf(car, false) } }),
  gui_settings: (car: Car) => ({ gui_settings: guiSettings(car) }),
  vehicle_config: (car: Car) => ({ vehicle_config: vehicleConfig(car) }),
  vehicle_state: (car: Car) => ({ vehicle_state: vehicleState(car) }),
  charge_schedule_data: ({ state }: Car) => ({
    charge_schedule_data: { charge_schedules: state.remote.chargePlans.map(planTold) },
  }),
  preconditioning_schedule_data: ({ state }: Car) => ({
    preconditioning_schedule_data: {
      precondition_schedules: state.remote.preconditionPlans.map(planTold),
    },
  }),
} as const satisfies Record<string, (car: Car) => VehicleDataWire & PlansWire>;

/** Plans, which are no part of the vehicle's state. */
type PlansWire = { charge_schedule_data?: object; preconditioning_schedule_data?: object };

/**
 * The sections that `endpoints` names, separated by semicolons; a comma makes one unknown word of a list, and unknown
 * words give nothing. Without it, or with `vehicle_data_combo`, all are given but the position.
 */
export function sectionsOf(car: Car, endpoints: string | null, located: boolean): VehicleDataWire {
  const words = endpoints?.split(';') ?? ['vehicle_data_combo'];
  const all = words.includes('vehicle_data_combo');
  const answer: VehicleDataWire = {};
  for (const [word, section] of Object.entries(sections)) {
    if (all || words.includes(word)) Object.assign(answer, section(car));
  }
  if (located && words.includes('location_data')) {
    const timestamp = car.state.atMs;
    const route = answer.drive_state === undefined ? {} : routeOf(car, true);
    answer.drive_state = { timestamp, ...answer.drive_state, ...route, ...positionOf(car) };
  }
  return timed(answer, Math.max(car.state.atMs, car.state.remote.changedAtMs));
}

/** The sections with the time of what they tell. */
function timed(answer: VehicleDataWire, timestamp: number): VehicleDataWire {
  const sections = Object.entries(answer).map(([name, section]) => [
    name,
    typeof section === 'object' && section !== null && 'timestamp' in section
      ? { ...section, timestamp }
      : section,
  ]);
  return Object.fromEntries(sections);
}
