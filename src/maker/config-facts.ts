import { each, type Facts, fact, factsOf, unused } from './facts.ts';
import { modelName } from './model-name.ts';
import { ajar, flag, text, word } from './readers.ts';
import type { GuiSettingsWire, VehicleConfigWire } from './wire.ts';

const table: Facts<VehicleConfigWire> = {
  car_type: each(fact('modelCode', text), fact('model', modelName)),
  trim_badging: fact('trim', text),
  exterior_color: fact('exteriorColor', text),
  wheel_type: fact('wheelType', text),
  spoiler_type: fact('spoilerType', text),
  roof_color: fact('roofColor', text),
  rhd: fact('rightHandDrive', flag),
  charge_port_type: fact('chargePortType', word({ US: 'US', EU: 'EU', CCS: 'CCS', GB: 'GB' })),
  driver_assist: fact('driverAssistHw', text),
  // Numbered by kind of roof; 0 is none.
  sun_roof_installed: fact('hasSunroof', ajar),
  has_seat_cooling: fact('hasSeatCooling', flag),
  can_actuate_trunks: fact('canActuateTrunks', flag),
  aux_park_lamps: unused,
  badge_version: unused,
  can_accept_navigation_requests: unused,
  car_special_type: unused,
  cop_user_set_temp_supported: unused,
  dashcam_clip_save_supported: unused,
  default_charge_to_max: unused,
  ece_restrictions: unused,
  efficiency_package: unused,
  eu_vehicle: unused,
  exterior_trim: unused,
  exterior_trim_override: unused,
  has_air_suspension: unused,
  has_ludicrous_mode: unused,
  headlamp_type: unused,
  interior_trim_type: unused,
  key_version: unused,
  motorized_charge_port: unused,
  paint_color_override: unused,
  performance_package: unused,
  plg: unused,
  pws: unused,
  rear_drive_unit: unused,
  rear_seat_heaters: unused,
  rear_seat_type: unused,
  seat_type: unused,
  supports_qr_pairing: unused,
  third_row_seats: unused,
  timestamp: unused,
  use_range_badging: unused,
  utc_offset: unused,
  webcam_selfie_supported: unused,
  webcam_supported: unused,
};

/** What `vehicle_config` tells. */
export const configFacts = factsOf(table);

/** `gui_settings` tells how the vehicle shows things, and nothing of the vehicle itself. */
export const guiFacts = factsOf<GuiSettingsWire>({
  gui_24_hour_time: unused,
  gui_charge_rate_units: unused,
  gui_distance_units: unused,
  gui_range_display: unused,
  gui_temperature_units: unused,
  gui_tirepressure_units: unused,
  show_range_units: unused,
  timestamp: unused,
});
