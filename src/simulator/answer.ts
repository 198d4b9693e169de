import { milesFromKm, rounded } from '../base/units.ts';
import type {
  ClimateStateWire,
  DriveStateWire,
  GuiSettingsWire,
  ListItemWire,
  VehicleConfigWire,
} from '../maker/wire.ts';
import { localOffsetMs } from './local-time.ts';
import type { Remote } from './remote.ts';
import { type Car, levelPct } from './state.ts';

const MPH_PER_MPS = milesFromKm(3.6);
/** A way this long is driven with navigation. */
const NAVIGATED_M = 18_000;
const NAVIGATED_MPS = 17;

/** What the maker's list says of the car's link. */
export type Link = 'online' | 'asleep' | 'offline';

/** One vehicle of the maker's list, without the number `id`, which JavaScript's numbers do not hold. */
export function listItem(car: Car, link: Link): ListItemWire {
  const { spec } = car;
  return {
    vehicle_id: spec.vehicleId,
    vin: spec.vin,
    color: null,
    access_type: 'OWNER',
    display_name: car.state.remote.name ?? spec.name,
    option_codes: null,
    granular_access: { hide_private: false },
    tokens: ['0000000000000000', '0000000000000000'],
    state: link,
    in_service: false,
    id_s: spec.id.toString(),
    calendar_enabled: true,
    api_version: 76,
    backseat_token: null,
    backseat_token_updated_at: null,
    ble_autopair_enrolled: false,
  };
}

const microDegrees = (value: number) => Math.round(value * 1e6) / 1e6;

/** Motion of the car. */
export function motionOf(car: Car): DriveStateWire {
  const { state } = car;
  const moving = state.phase === 'driving';
  return {
    power: Math.round(state.powerKw) || 0,
    shift_state: moving || state.userPresent ? state.gear : null,
    speed: moving ? Math.round(state.speedMps * MPH_PER_MPS) : null,
    timestamp: state.atMs,
  };
}

/** Where the car is: the part of `drive_state` that the maker guards with a scope and an endpoint of its own. */
export function positionOf(car: Car): DriveStateWire {
  const { state } = car;
  const [latitude, longitude] = [microDegrees(state.lat), microDegrees(state.lon)];
  return {
    gps_as_of: Math.floor(state.atMs / 1000),
    heading: Math.round(state.headingDeg) % 360,
    latitude,
    longitude,
    native_latitude: latitude,
    native_location_supported: 1,
    native_longitude: longitude,
    native_type: 'wgs',
  };
}

/** Where the navigation leads, on longer ways; `located` adds the destination's position. */
export function routeOf(car: Car, located: boolean): DriveStateWire {
  const { run, atMs, remote } = car.state;
  if (remote.destination !== null) return sentRoute(remote.destination, located);
  const connection = run === null ? undefined : car.spec.connections.get(run.connectionId);
  if (run === null || connection === undefined) return {};
  const { lengthM } = connection.way;
  const place = car.spec.places.find(({ id }) => id === connection.to);
  if (lengthM < NAVIGATED_M || place === undefined) return {};
  const restM = lengthM - run.alongM;
  const neededKwh = (restM / 1e6) * car.spec.ratedWhPerKm;
  const where = located
    ? { active_route_latitude: place.lat, active_route_longitude: place.lon }
    : {};
  return {
    active_route_destination: place.name,
    ...where,
    active_route_miles_to_arrival: rounded(milesFromKm(restM / 1000), 2),
    active_route_minutes_to_arrival: rounded(restM / NAVIGATED_MPS / 60, 2),
    active_route_traffic_minutes_delay: 0,
    active_route_energy_at_arrival: Math.max(
      0,
      Math.round(levelPct(car) - (100 * neededKwh) / car.spec.capacityKwh),
    ),
    timestamp: atMs,
  };
}

/** Where somebody sent the navigation from afar. */
function sentRoute(
  { name, lat, lon }: NonNullable<Remote['destination']>,
  located: boolean,
): DriveStateWire {
  const where = located ? { active_route_latitude: lat, active_route_longitude: lon } : {};
  return { active_route_destination: name, ...where };
}

/** The part of `climate_state` that changes while the car drives. */
export function climateProgress(car: Car): ClimateStateWire {
  const { state } = car;
  return {
    inside_temp: rounded(state.insideTempC, 1),
    outside_temp: Math.round(state.outsideTempC * 2) / 2,
    is_climate_on: state.climateOn,
    is_preconditioning: state.preconditioning,
    timestamp: state.atMs,
  };
}

/** Heating and cooling, whole. */
export function climateState(car: Car): ClimateStateWire {
  const { climateOn, climateKw, outsideTempC, remote } = car.state;
  const heat = (seat: number) => remote.seatHeat[seat];
  const cold = climateOn && outsideTempC < 2;
  return {
    ...climateProgress(car),
    allow_cabin_overheat_protection: true,
    auto_seat_climate_left: remote.seatAuto[1] ?? true,
    auto_seat_climate_right: remote.seatAuto[2] ?? true,
    auto_steering_wheel_heat: remote.wheelAuto,
    battery_heater: false,
    battery_heater_no_power: null,
    bioweapon_mode: remote.bioweapon,
    cabin_overheat_protection: remote.overheat,
    cabin_overheat_protection_actively_cooling: false,
    climate_keeper_mode: remote.keeper,
    cop_activation_temperature: remote.overheatLimit,
    defrost_mode: remote.defrost ? 2 : 0,
    driver_temp_setting: remote.driverTempC,
    fan_status: climateOn ? Math.min(7, 2 + Math.round(climateKw)) : 0,
    hvac_auto_request: 'On',
    is_auto_conditioning_on: climateOn,
    is_front_defroster_on: remote.defrost,
    is_rear_defroster_on: cold || remote.defrost,
    max_avail_temp: 28,
    min_avail_temp: 15,
    passenger_temp_setting: remote.passengerTempC,
    remote_heater_control_enabled: climateOn,
    seat_fan_front_left: remote.seatCool[1] ?? 0,
    seat_fan_front_right: remote.seatCool[2] ?? 0,
    seat_heater_left: heat(0) ?? (cold ? 2 : 0),
    seat_heater_rear_center: heat(4) ?? 0,
    seat_heater_rear_left: heat(2) ?? 0,
    seat_heater_rear_right: heat(5) ?? 0,
    seat_heater_right: heat(1) ?? 0,
    seat_heater_third_row_left: heat(7) ?? 0,
    seat_heater_third_row_right: heat(8) ?? 0,
    side_mirror_heaters: cold,
    steering_wheel_heat_level: remote.wheelLevel,
    steering_wheel_heater: remote.wheelLevel > 0,
    supports_fan_only_cabin_overheat_protection: true,
    wiper_blade_heater: false,
  };
}

/** How the car is built, and its offset from UTC in seconds. */
export function vehicleConfig(car: Car): VehicleConfigWire {
  const { spec, state } = car;
  return {
    can_accept_navigation_requests: true,
    can_actuate_trunks: true,
    car_special_type: 'base',
    car_type: spec.carType,
    charge_port_type: 'CCS',
    cop_user_set_temp_supported: true,
    default_charge_to_max: false,
    ece_restrictions: true,
    efficiency_package: 'Default',
    eu_vehicle: true,
    exterior_color: spec.color,
    has_air_suspension: false,
    has_ludicrous_mode: false,
    has_seat_cooling: false,
    motorized_charge_port: true,
    plg: true,
    rear_seat_heaters: 1,
    rear_seat_type: 0,
    rhd: false,
    roof_color: 'RoofColorGlass',
    spoiler_type: 'None',
    sun_roof_installed: null,
    third_row_seats: 'None',
    timestamp: state.atMs,
    trim_badging: spec.trim,
    use_range_badging: true,
    utc_offset: localOffsetMs(state.atMs) / 1000,
    wheel_type: spec.wheels,
  };
}

/** How the car shows things on its own screen. */
export function guiSettings(car: Car): GuiSettingsWire {
  return {
    gui_24_hour_time: true,
    gui_charge_rate_units: 'kW',
    gui_distance_units: 'km/hr',
    gui_range_display: 'Rated',
    gui_temperature_units: 'C',
    gui_tirepressure_units: 'Bar',
    show_range_units: false,
    timestamp: car.state.atMs,
  };
}
