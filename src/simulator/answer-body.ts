import { createHash } from 'node:crypto';
import { DAY_MS, milesFromKm, rounded } from '../base/units.ts';
import type { VehicleStateWire } from '../maker/wire.ts';
import { hashOf } from './random.ts';
import { VOLUME_MAX, VOLUME_STEP } from './remote.ts';
import { updateProgress } from './software.ts';
import type { Car } from './state.ts';

const RESTED_TYRE_BAR = 2.9;
/** Days from one refill of the tyres to the next. */
const REFILL_DAYS = 70;

/** Pressure of one tyre [bar], in steps of 0.025: it falls over weeks until refilled, and rises with warmth and driving. */
function tyreBar(car: Car, corner: string): number {
  const { atMs, outsideTempC, phase } = car.state;
  const offset = hashOf(car.seed, car.spec.vin, corner);
  const days = (atMs / DAY_MS + (offset % REFILL_DAYS)) % REFILL_DAYS;
  const warmth = (outsideTempC - 15) * 0.009 + (phase === 'driving' ? 0.15 : 0);
  return Math.round((RESTED_TYRE_BAR + warmth - days * 0.0025) * 40) / 40;
}

function tyresOf(car: Car): VehicleStateWire {
  const seenAt = Math.floor(car.state.atMs / 1000);
  return {
    tpms_hard_warning_fl: false,
    tpms_hard_warning_fr: false,
    tpms_hard_warning_rl: false,
    tpms_hard_warning_rr: false,
    tpms_last_seen_pressure_time_fl: seenAt,
    tpms_last_seen_pressure_time_fr: seenAt,
    tpms_last_seen_pressure_time_rl: seenAt,
    tpms_last_seen_pressure_time_rr: seenAt,
    tpms_pressure_fl: tyreBar(car, 'fl'),
    tpms_pressure_fr: tyreBar(car, 'fr'),
    tpms_pressure_rl: tyreBar(car, 'rl'),
    tpms_pressure_rr: tyreBar(car, 'rr'),
    tpms_rcp_front_value: RESTED_TYRE_BAR,
    tpms_rcp_rear_value: RESTED_TYRE_BAR,
    tpms_soft_warning_fl: false,
    tpms_soft_warning_fr: false,
    tpms_soft_warning_rl: false,
    tpms_soft_warning_rr: false,
  };
}

const builds = new Map<string, string>();

function buildOf(version: string): string {
  const known = builds.get(version);
  if (known !== undefined) return known;
  const build = createHash('sha256').update(version).digest('hex').slice(0, 12);
  builds.set(version, build);
  return build;
}

/** The part of `vehicle_state` that changes while the car drives or is left. */
export function vehicleProgress(car: Car): VehicleStateWire {
  const { state } = car;
  return {
    odometer: rounded(milesFromKm(state.odometerKm), 6),
    locked: state.locked,
    is_user_present: state.userPresent,
    df: state.driverDoorOpen ? 1 : 0,
    timestamp: state.atMs,
  };
}

/** Software on the car and on its way. */
function softwareOf(car: Car): VehicleStateWire {
  const { software, atMs } = car.state;
  const { downloadPct, installPct } = updateProgress(software, atMs);
  return {
    car_version: `${software.version} ${buildOf(software.version)}`,
    software_update: {
      download_perc: downloadPct,
      expected_duration_sec: 1500,
      install_perc: software.status === 'installing' ? installPct : 1,
      status: software.status,
      ...(software.startAtMs === null ? {} : { scheduled_time_ms: software.startAtMs }),
      version: software.target ?? ' ',
    },
  };
}

/** Body, security, tyres and software, whole. */
export function vehicleState(car: Car): VehicleStateWire {
  const { state } = car;
  const { remote } = state;
  const opened = remote.windowsOpen ? 1 : 0;
  const playing = remote.playing ?? state.phase === 'driving';
  return {
    api_version: 76,
    autopark_state_v2: 'unavailable',
    calendar_supported: true,
    ...vehicleProgress(car),
    ...softwareOf(car),
    center_display_state: state.userPresent ? 2 : 0,
    dashcam_clip_save_available: state.userPresent,
    dashcam_state: state.userPresent ? 'Recording' : 'Unavailable',
    dr: 0,
    pf: 0,
    pr: 0,
    fd_window: opened,
    fp_window: opened,
    rd_window: opened,
    rp_window: opened,
    ft: remote.frunkOpen ? 1 : 0,
    rt: remote.trunkOpen ? 1 : 0,
    homelink_device_count: 1,
    homelink_nearby: state.placeId === 'home',
    media_info: {
      audio_volume: remote.volume,
      audio_volume_increment: VOLUME_STEP,
      audio_volume_max: VOLUME_MAX,
      media_playback_status: playing ? 'Playing' : remote.playing === null ? 'Stopped' : 'Paused',
      now_playing_album: '',
      now_playing_artist: '',
      now_playing_duration: 0,
      now_playing_elapsed: 0,
      now_playing_source: playing ? 'Radio' : '',
      now_playing_station: remote.favourite === 0 ? '' : `Favourite ${remote.favourite}`,
      now_playing_title: remote.track === 0 ? '' : `Title ${remote.track}`,
    },
    media_state: { remote_control_enabled: true },
    notifications_supported: true,
    parsed_calendar_supported: true,
    remote_start: remote.remoteStartUntilMs > state.atMs,
    remote_start_enabled: true,
    remote_start_supported: true,
    santa_mode: 0,
    sentry_mode: remote.sentry,
    sentry_mode_available: true,
    service_mode: false,
    service_mode_plus: false,
    speed_limit_mode: {
      active: remote.speedLimit.on,
      current_limit_mph: remote.speedLimit.mph,
      max_limit_mph: 120,
      min_limit_mph: 50,
      pin_code_set: remote.speedLimit.pin !== null,
    },
    ...(remote.sunroof === null
      ? {}
      : {
          sun_roof_percent_open: remote.sunroof.percent,
          sun_roof_state: remote.sunroof.state,
        }),
    ...tyresOf(car),
    valet_mode: remote.valet.on,
    valet_pin_needed: remote.valet.pin === null,
    vehicle_name: remote.name ?? car.spec.name,
    webcam_available: true,
  };
}
