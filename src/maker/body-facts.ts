import { kmFromMiles } from '../base/units.ts';
import { each, type Fact, type Facts, fact, factsOf, unused } from './facts.ts';
import { mediaFacts } from './media-facts.ts';
import { ajar, flag, mapped, numberWithin, text, wholeWithin } from './readers.ts';
import { installedCommit, installedVersion, softwareUpdateFacts } from './software-facts.ts';
import { observedTime } from './times.ts';
import type { SpeedLimitModeWire, VehicleStateWire } from './wire.ts';

/** Zero is what a vehicle says that does not know: none leaves the works without a test. */
const odometer = mapped(numberWithin(0, 10_000_000, kmFromMiles), (km) => km || null);
const percent = numberWithin(0, 100);
const bar = numberWithin(0, 10);
const limit = numberWithin(0, 400, kmFromMiles);

/** A window that is not closed: this protocol does not tell a gap from open. */
const windowPosition = mapped(ajar, (open) => (open ? 'OPEN' : 'CLOSED'));

/** This protocol tells only on and off. */
const sentry = mapped(flag, (on) => (on ? 'ARMED' : 'OFF'));

/** The maker's word for a display state is its number. */
const displayState = mapped(wholeWithin(0, 255), (state) => String(state));

const roof = mapped(text, (state) => (state.toLowerCase() === 'unknown' ? null : state));

const speedLimitTable: Facts<SpeedLimitModeWire> = {
  active: fact('speedLimitActive', flag),
  current_limit_mph: fact('speedLimitKmh', limit),
  min_limit_mph: fact('speedLimitMinKmh', limit),
  max_limit_mph: fact('speedLimitMaxKmh', limit),
  pin_code_set: fact('speedLimitPinSet', flag),
};

/** Doors and windows are told by driver and passenger; left and right depend on where the wheel is. */
function sides(driverOnRight: boolean) {
  const left = {
    door: fact('doorFrontLeft', ajar),
    rearDoor: fact('doorRearLeft', ajar),
    window: fact('windowFrontLeft', windowPosition),
    rearWindow: fact('windowRearLeft', windowPosition),
  };
  const right = {
    door: fact('doorFrontRight', ajar),
    rearDoor: fact('doorRearRight', ajar),
    window: fact('windowFrontRight', windowPosition),
    rearWindow: fact('windowRearRight', windowPosition),
  };
  return driverOnRight ? { driver: right, passenger: left } : { driver: left, passenger: right };
}

function table(driverOnRight: boolean): Facts<VehicleStateWire> {
  const { driver, passenger } = sides(driverOnRight);
  return {
    odometer: fact('odometerKm', odometer),
    locked: fact('locked', flag),
    df: driver.door,
    dr: driver.rearDoor,
    pf: passenger.door,
    pr: passenger.rearDoor,
    fd_window: driver.window,
    rd_window: driver.rearWindow,
    fp_window: passenger.window,
    rp_window: passenger.rearWindow,
    ft: fact('frunkOpen', ajar),
    rt: fact('trunkOpen', ajar),
    sun_roof_state: fact('sunroofState', roof),
    sun_roof_percent_open: fact('sunroofOpenPct', percent),
    sentry_mode: fact('sentry', sentry),
    valet_mode: fact('valetMode', flag),
    speed_limit_mode: factsOf(speedLimitTable),
    is_user_present: fact('userPresent', flag),
    homelink_nearby: fact('homelinkNearby', flag),
    homelink_device_count: fact('homelinkDeviceCount', wholeWithin(0, 255)),
    center_display_state: fact('centerDisplay', displayState),
    service_mode: fact('serviceMode', flag),
    remote_start: fact('remoteStartActive', flag),
    tpms_pressure_fl: fact('tyrePressureFlBar', bar),
    tpms_pressure_fr: fact('tyrePressureFrBar', bar),
    tpms_pressure_rl: fact('tyrePressureRlBar', bar),
    tpms_pressure_rr: fact('tyrePressureRrBar', bar),
    tpms_soft_warning_fl: fact('tyreSoftWarningFl', flag),
    tpms_soft_warning_fr: fact('tyreSoftWarningFr', flag),
    tpms_soft_warning_rl: fact('tyreSoftWarningRl', flag),
    tpms_soft_warning_rr: fact('tyreSoftWarningRr', flag),
    tpms_hard_warning_fl: fact('tyreHardWarningFl', flag),
    tpms_hard_warning_fr: fact('tyreHardWarningFr', flag),
    tpms_hard_warning_rl: fact('tyreHardWarningRl', flag),
    tpms_hard_warning_rr: fact('tyreHardWarningRr', flag),
    tpms_last_seen_pressure_time_fl: fact('tyreObservedAtFl', observedTime),
    tpms_last_seen_pressure_time_fr: fact('tyreObservedAtFr', observedTime),
    tpms_last_seen_pressure_time_rl: fact('tyreObservedAtRl', observedTime),
    tpms_last_seen_pressure_time_rr: fact('tyreObservedAtRr', observedTime),
    tpms_rcp_front_value: fact('tyreRecommendedFrontBar', bar),
    tpms_rcp_rear_value: fact('tyreRecommendedRearBar', bar),
    car_version: each(
      fact('softwareVersion', installedVersion),
      fact('softwareCommit', installedCommit),
    ),
    software_update: softwareUpdateFacts,
    media_info: mediaFacts,
    vehicle_name: fact('vehicleName', text),
    sentry_mode_available: fact('sentryAvailable', flag),
    remote_start_supported: fact('remoteStartSupported', flag),
    api_version: unused,
    autopark_state_v2: unused,
    autopark_style: unused,
    calendar_supported: unused,
    dashcam_clip_save_available: unused,
    dashcam_state: unused,
    feature_bitmask: unused,
    last_autopark_error: unused,
    media_state: unused,
    notifications_supported: unused,
    parsed_calendar_supported: unused,
    remote_start_enabled: unused,
    santa_mode: unused,
    service_mode_plus: unused,
    smart_summon_available: unused,
    summon_standby_mode_enabled: unused,
    timestamp: unused,
    valet_pin_needed: unused,
    vehicle_self_test_progress: unused,
    vehicle_self_test_requested: unused,
    webcam_available: unused,
  };
}

/** What `vehicle_state` tells of a vehicle with the wheel on the left. */
export const bodyFactsLeftHand: Fact = factsOf(table(false));

/** What `vehicle_state` tells of a vehicle with the wheel on the right. */
export const bodyFactsRightHand: Fact = factsOf(table(true));
