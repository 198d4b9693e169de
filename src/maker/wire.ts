/**
 * What the maker's vehicle API says, in its own spelling and units (Fleet API; maker.md §1.4 and §1.5).
 *
 * The types name every field that has been seen and how it is documented. What arrives is `unknown` until
 * `parse-vehicle-data.ts` has read it: any field may be missing, null, `"<invalid>"` or a string where a number belongs.
 *
 * Units never follow the settings of the vehicle: ranges and odometer in miles, speeds in mph, temperatures in °C,
 * tyres in bar. A `timestamp` is epoch milliseconds; other times are epoch seconds unless the name says minutes.
 */

/** A documented number; text such as `"12.5"` or `"<invalid>"` is met too. */
type WireNumber = number | string | null;

/** A documented flag; 0, 1 and text are met too. */
type WireFlag = boolean | number | string | null;

/** Text; `"<invalid>"`, `""` and `" "` stand for none. */
type WireText = string | null;

/** One of the documented words; others are met on newer and older vehicles. */
type WireWord<W extends string> = W | (string & Record<never, never>) | null;

/** Sections that can be asked for in `endpoints`, joined by semicolons (maker.md §1.4). */
export const dataEndpoints = [
  'charge_state',
  'climate_state',
  'closures_state',
  'drive_state',
  'gui_settings',
  'location_data',
  'charge_schedule_data',
  'preconditioning_schedule_data',
  'vehicle_config',
  'vehicle_state',
  'vehicle_data_combo',
] as const;

/** One of the sections that can be asked for. */
export type DataEndpoint = (typeof dataEndpoints)[number];

/** Battery and charger; `power` in kW, currents in A, `charge_energy_added` in kWh, `time_to_full_charge` in hours. */
export type ChargeStateWire = {
  battery_heater_on?: WireFlag;
  battery_level?: WireNumber;
  battery_range?: WireNumber;
  charge_amps?: WireNumber;
  charge_current_request?: WireNumber;
  charge_current_request_max?: WireNumber;
  charge_enable_request?: WireFlag;
  charge_energy_added?: WireNumber;
  charge_limit_soc?: WireNumber;
  charge_limit_soc_max?: WireNumber;
  charge_limit_soc_min?: WireNumber;
  charge_limit_soc_std?: WireNumber;
  charge_miles_added_ideal?: WireNumber;
  charge_miles_added_rated?: WireNumber;
  charge_port_cold_weather_mode?: WireFlag;
  charge_port_color?: WireText;
  charge_port_door_open?: WireFlag;
  charge_port_latch?: WireWord<'Engaged' | 'Disengaged' | 'Blocking'>;
  charge_rate?: WireNumber;
  charge_to_max_range?: WireFlag;
  charger_actual_current?: WireNumber;
  charger_phases?: WireNumber;
  charger_pilot_current?: WireNumber;
  charger_power?: WireNumber;
  charger_voltage?: WireNumber;
  charging_schedule_override?: WireFlag;
  charging_state?: WireWord<
    'Disconnected' | 'NoPower' | 'Starting' | 'Charging' | 'Complete' | 'Stopped' | 'Calibrating'
  >;
  conn_charge_cable?: WireWord<'IEC' | 'SAE' | '<invalid>'>;
  energy_remaining?: WireNumber;
  est_battery_range?: WireNumber;
  fast_charger_brand?: WireText;
  fast_charger_present?: WireFlag;
  fast_charger_type?: WireWord<'Tesla' | 'Combo' | 'ACSingleWireCAN' | '<invalid>'>;
  ideal_battery_range?: WireNumber;
  lifetime_energy_used?: WireNumber;
  managed_charging_active?: WireFlag;
  managed_charging_start_time?: WireNumber;
  managed_charging_user_canceled?: WireFlag;
  max_range_charge_counter?: WireNumber;
  minutes_to_full_charge?: WireNumber;
  module_temp_max?: WireNumber;
  module_temp_min?: WireNumber;
  not_enough_power_to_heat?: WireFlag;
  off_peak_charging_enabled?: WireFlag;
  off_peak_charging_times?: WireText;
  off_peak_hours_end_time?: WireNumber;
  preconditioning_enabled?: WireFlag;
  preconditioning_times?: WireWord<'all_week' | 'weekdays'>;
  scheduled_charging_mode?: WireWord<'Off' | 'StartAt' | 'DepartBy'>;
  scheduled_charging_pending?: WireFlag;
  scheduled_charging_start_time?: WireNumber;
  scheduled_charging_start_time_app?: WireNumber;
  scheduled_departure_time?: WireNumber;
  scheduled_departure_time_minutes?: WireNumber;
  supercharger_session_trip_planner?: WireFlag;
  time_to_full_charge?: WireNumber;
  timestamp?: WireNumber;
  trip_charging?: WireFlag;
  usable_battery_level?: WireNumber;
  user_charge_enable_request?: WireFlag;
};

/** Heating and cooling; seat levels 0 to 3, `defrost_mode` 0 off, 1 normal, 2 highest. */
export type ClimateStateWire = {
  allow_cabin_overheat_protection?: WireFlag;
  auto_seat_climate_left?: WireFlag;
  auto_seat_climate_right?: WireFlag;
  auto_steering_wheel_heat?: WireFlag;
  battery_heater?: WireFlag;
  battery_heater_no_power?: WireFlag;
  bioweapon_mode?: WireFlag;
  cabin_overheat_protection?: WireWord<'Off' | 'On' | 'FanOnly'>;
  cabin_overheat_protection_actively_cooling?: WireFlag;
  climate_keeper_mode?: WireWord<'off' | 'on' | 'keep' | 'dog' | 'camp' | 'party' | 'unknown'>;
  cop_activation_temperature?: WireWord<'Low' | 'Medium' | 'High'>;
  defrost_mode?: WireNumber;
  driver_temp_setting?: WireNumber;
  fan_status?: WireNumber;
  hvac_auto_request?: WireWord<'On' | 'Override'>;
  inside_temp?: WireNumber;
  is_auto_conditioning_on?: WireFlag;
  is_climate_on?: WireFlag;
  is_front_defroster_on?: WireFlag;
  is_preconditioning?: WireFlag;
  is_rear_defroster_on?: WireFlag;
  left_temp_direction?: WireNumber;
  max_avail_temp?: WireNumber;
  min_avail_temp?: WireNumber;
  outside_temp?: WireNumber;
  passenger_temp_setting?: WireNumber;
  remote_heater_control_enabled?: WireFlag;
  right_temp_direction?: WireNumber;
  seat_fan_front_left?: WireNumber;
  seat_fan_front_right?: WireNumber;
  seat_heater_left?: WireNumber;
  seat_heater_rear_center?: WireNumber;
  seat_heater_rear_left?: WireNumber;
  seat_heater_rear_right?: WireNumber;
  seat_heater_right?: WireNumber;
  seat_heater_third_row_left?: WireNumber;
  seat_heater_third_row_right?: WireNumber;
  side_mirror_heaters?: WireFlag;
  steering_wheel_heat_level?: WireNumber;
  steering_wheel_heater?: WireFlag;
  supports_fan_only_cabin_overheat_protection?: WireFlag;
  timestamp?: WireNumber;
  wiper_blade_heater?: WireFlag;
};

/** Motion and place; `power` in kW, negative into the battery; coordinates only with the `location_data` endpoint and scope. */
export type DriveStateWire = {
  active_route_destination?: WireText;
  active_route_energy_at_arrival?: WireNumber;
  active_route_latitude?: WireNumber;
  active_route_longitude?: WireNumber;
  active_route_miles_to_arrival?: WireNumber;
  active_route_minutes_to_arrival?: WireNumber;
  active_route_traffic_minutes_delay?: WireNumber;
  gps_as_of?: WireNumber;
  heading?: WireNumber;
  latitude?: WireNumber;
  longitude?: WireNumber;
  native_latitude?: WireNumber;
  native_location_supported?: WireFlag;
  native_longitude?: WireNumber;
  native_type?: WireText;
  power?: WireNumber;
  shift_state?: WireWord<'P' | 'R' | 'N' | 'D'>;
  speed?: WireNumber;
  timestamp?: WireNumber;
};

/** What plays; the volume goes from 0 to `audio_volume_max` (10.333). */
export type MediaInfoWire = {
  a2dp_source_name?: WireText;
  audio_volume?: WireNumber;
  audio_volume_increment?: WireNumber;
  audio_volume_max?: WireNumber;
  media_playback_status?: WireWord<'Playing' | 'Paused' | 'Stopped'>;
  now_playing_album?: WireText;
  now_playing_artist?: WireText;
  now_playing_duration?: WireNumber;
  now_playing_elapsed?: WireNumber;
  now_playing_source?: WireText;
  now_playing_station?: WireText;
  now_playing_title?: WireText;
};

/** The pending update; at rest `status` is `""`, `version` `""` or `" "`, `install_perc` 1 and the duration 2700 s. */
export type SoftwareUpdateWire = {
  download_perc?: WireNumber;
  expected_duration_sec?: WireNumber;
  install_perc?: WireNumber;
  scheduled_time_ms?: WireNumber;
  status?: WireWord<
    '' | 'available' | 'scheduled' | 'downloading' | 'downloading_wifi_wait' | 'installing'
  >;
  version?: WireText;
  warning_time_remaining_ms?: WireNumber;
};

/** Limits in mph. */
export type SpeedLimitModeWire = {
  active?: WireFlag;
  current_limit_mph?: WireNumber;
  max_limit_mph?: WireNumber;
  min_limit_mph?: WireNumber;
  pin_code_set?: WireFlag;
};

/** Body, security, tyres and software; doors, trunks and windows are 0 when closed and at least 1 otherwise. */
export type VehicleStateWire = {
  api_version?: WireNumber;
  autopark_state_v2?: WireText;
  autopark_style?: WireText;
  calendar_supported?: WireFlag;
  car_version?: WireText;
  center_display_state?: WireNumber;
  dashcam_clip_save_available?: WireFlag;
  dashcam_state?: WireText;
  df?: WireNumber;
  dr?: WireNumber;
  fd_window?: WireNumber;
  feature_bitmask?: WireText;
  fp_window?: WireNumber;
  ft?: WireNumber;
  homelink_device_count?: WireNumber;
  homelink_nearby?: WireFlag;
  is_user_present?: WireFlag;
  last_autopark_error?: WireText;
  locked?: WireFlag;
  media_info?: MediaInfoWire | null;
  media_state?: { remote_control_enabled?: WireFlag } | null;
  notifications_supported?: WireFlag;
  odometer?: WireNumber;
  parsed_calendar_supported?: WireFlag;
  pf?: WireNumber;
  pr?: WireNumber;
  rd_window?: WireNumber;
  remote_start?: WireFlag;
  remote_start_enabled?: WireFlag;
  remote_start_supported?: WireFlag;
  rp_window?: WireNumber;
  rt?: WireNumber;
  santa_mode?: WireNumber;
  sentry_mode?: WireFlag;
  sentry_mode_available?: WireFlag;
  service_mode?: WireFlag;
  service_mode_plus?: WireFlag;
  smart_summon_available?: WireFlag;
  software_update?: SoftwareUpdateWire | null;
  speed_limit_mode?: SpeedLimitModeWire | null;
  summon_standby_mode_enabled?: WireFlag;
  sun_roof_percent_open?: WireNumber;
  sun_roof_state?: WireText;
  timestamp?: WireNumber;
  tpms_hard_warning_fl?: WireFlag;
  tpms_hard_warning_fr?: WireFlag;
  tpms_hard_warning_rl?: WireFlag;
  tpms_hard_warning_rr?: WireFlag;
  tpms_last_seen_pressure_time_fl?: WireNumber;
  tpms_last_seen_pressure_time_fr?: WireNumber;
  tpms_last_seen_pressure_time_rl?: WireNumber;
  tpms_last_seen_pressure_time_rr?: WireNumber;
  tpms_pressure_fl?: WireNumber;
  tpms_pressure_fr?: WireNumber;
  tpms_pressure_rl?: WireNumber;
  tpms_pressure_rr?: WireNumber;
  tpms_rcp_front_value?: WireNumber;
  tpms_rcp_rear_value?: WireNumber;
  tpms_soft_warning_fl?: WireFlag;
  tpms_soft_warning_fr?: WireFlag;
  tpms_soft_warning_rl?: WireFlag;
  tpms_soft_warning_rr?: WireFlag;
  valet_mode?: WireFlag;
  valet_pin_needed?: WireFlag;
  vehicle_name?: WireText;
  vehicle_self_test_progress?: WireNumber;
  vehicle_self_test_requested?: WireFlag;
  webcam_available?: WireFlag;
};

/** How the vehicle is built; `utc_offset` in seconds. */
export type VehicleConfigWire = {
  aux_park_lamps?: WireText;
  badge_version?: WireNumber;
  can_accept_navigation_requests?: WireFlag;
  can_actuate_trunks?: WireFlag;
  car_special_type?: WireText;
  car_type?: WireWord<
    'models' | 'models2' | 'modelx' | 'model3' | 'modely' | 'lychee' | 'tamarind' | 'cybertruck'
  >;
  charge_port_type?: WireWord<'US' | 'EU' | 'CCS' | 'GB'>;
  cop_user_set_temp_supported?: WireFlag;
  dashcam_clip_save_supported?: WireFlag;
  default_charge_to_max?: WireFlag;
  driver_assist?: WireText;
  ece_restrictions?: WireFlag;
  efficiency_package?: WireText;
  eu_vehicle?: WireFlag;
  exterior_color?: WireText;
  exterior_trim?: WireText;
  exterior_trim_override?: WireText;
  has_air_suspension?: WireFlag;
  has_ludicrous_mode?: WireFlag;
  has_seat_cooling?: WireFlag;
  headlamp_type?: WireText;
  interior_trim_type?: WireText;
  key_version?: WireNumber;
  motorized_charge_port?: WireFlag;
  paint_color_override?: WireText;
  performance_package?: WireText;
  plg?: WireFlag;
  pws?: WireFlag;
  rear_drive_unit?: WireText;
  rear_seat_heaters?: WireNumber;
  rear_seat_type?: WireNumber;
  rhd?: WireFlag;
  roof_color?: WireText;
  seat_type?: WireNumber;
  spoiler_type?: WireText;
  sun_roof_installed?: WireNumber | boolean;
  supports_qr_pairing?: WireFlag;
  third_row_seats?: WireText;
  timestamp?: WireNumber;
  trim_badging?: WireText;
  use_range_badging?: WireFlag;
  utc_offset?: WireNumber;
  webcam_selfie_supported?: WireFlag;
  webcam_supported?: WireFlag;
  wheel_type?: WireText;
};

/** How the vehicle shows things; never how it reports them. */
export type GuiSettingsWire = {
  gui_24_hour_time?: WireFlag;
  gui_charge_rate_units?: WireText;
  gui_distance_units?: WireWord<'km/hr' | 'mi/hr'>;
  gui_range_display?: WireWord<'Rated' | 'Ideal'>;
  gui_temperature_units?: WireWord<'C' | 'F'>;
  gui_tirepressure_units?: WireText;
  show_range_units?: WireFlag;
  timestamp?: WireNumber;
};

/** One vehicle of the list; `id` can exceed 2^53, so `id_s` is the one to keep; `tokens` are secrets. */
export type ListItemWire = {
  access_type?: WireWord<'OWNER' | 'DRIVER'>;
  api_version?: WireNumber;
  backseat_token?: WireText;
  backseat_token_updated_at?: WireNumber;
  ble_autopair_enrolled?: WireFlag;
  calendar_enabled?: WireFlag;
  color?: WireText;
  command_signing?: WireText;
  display_name?: WireText;
  granular_access?: { hide_private?: WireFlag } | null;
  id?: WireNumber;
  id_s?: WireText;
  in_service?: WireFlag;
  option_codes?: WireText;
  release_notes_supported?: WireFlag;
  state?: WireWord<'online' | 'asleep' | 'offline'>;
  tokens?: readonly string[] | null;
  user_id?: WireNumber;
  vehicle_id?: WireNumber;
  vin?: WireText;
};

/** The answer of `vehicle_data`: the list item with the sections that were asked for. */
export type VehicleDataWire = ListItemWire & {
  charge_state?: ChargeStateWire | null;
  climate_state?: ClimateStateWire | null;
  drive_state?: DriveStateWire | null;
  gui_settings?: GuiSettingsWire | null;
  vehicle_config?: VehicleConfigWire | null;
  vehicle_state?: VehicleStateWire | null;
};

/** Where a page stands in its list. */
type PaginationWire = {
  previous?: number | null;
  next?: number | null;
  current?: number;
  per_page?: number;
  count?: number;
  pages?: number;
};

/** What every answer is wrapped in; on failure `response` is null and `error` says why. */
export type EnvelopeWire<R> = {
  response?: R | null;
  error?: string | null;
  error_description?: string | null;
  messages?: unknown;
  txid?: string;
  pagination?: PaginationWire;
  count?: number;
};

/** The answer of the token endpoint (maker.md §1.2); `expires_in` in seconds. */
export type TokenAnswerWire = {
  access_token?: string;
  refresh_token?: string;
  id_token?: string;
  expires_in?: number;
  token_type?: string;
};
