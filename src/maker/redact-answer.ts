import { createHmac } from 'node:crypto';
import { rounded } from '../base/units.ts';
import { answerFactsLeftHand } from './answer-facts.ts';
import { type Fact, fieldsOf } from './facts.ts';
import { isObject } from './json.ts';
import { type Turn, turnFrom } from './turned-globe.ts';
import { isVin } from './vehicle-identity.ts';

/** Makes what the maker answered fit to be shown to others. */
export type Redaction = {
  /** The stand-in of a VIN: the same for the same one, and of the same form. */
  vin: (vin: string) => string;
  /** A path of the maker's API with its VIN replaced and without its query. */
  path: (path: string) => string;
  /**
   * An answer without names, ids, secrets and whatever the parser does not know; VINs have stand-ins, and positions lie
   * elsewhere on the globe.
   */
  body: (body: unknown) => unknown;
};

/** Texts that say what a vehicle is or does; every other text may say who drives it, and where. */
const harmless = new Set(
  [
    'state access_type charging_state conn_charge_cable fast_charger_type fast_charger_brand scheduled_charging_mode',
    'preconditioning_times off_peak_charging_times charge_port_color charge_port_latch climate_keeper_mode shift_state',
    'cabin_overheat_protection cop_activation_temperature hvac_auto_request car_version version status dashcam_state',
    'media_playback_status sun_roof_state center_display_state car_type car_special_type trim_badging exterior_color',
    'exterior_trim wheel_type spoiler_type roof_color charge_port_type efficiency_package driver_assist rear_drive_unit',
    'front_drive_unit headlamp_type interior_trim_type performance_package third_row_seats timestamp sentry_mode',
    'gui_charge_rate_units gui_distance_units gui_range_display gui_temperature_units gui_tirepressure_units error',
  ].flatMap((line) => line.split(' ')),
);

/** What names a vehicle, its person or a secret, whatever its type. */
const hidden =
  /^(id|id_s|user_id|vehicle_id|tokens|backseat_token.*|display_name|vehicle_name|option_codes|ble_.*)$/;

/** Pairs of fields that are a position. */
const positions = [
  ['latitude', 'longitude'],
  ['native_latitude', 'native_longitude'],
  ['active_route_latitude', 'active_route_longitude'],
] as const;

/** A redaction by a secret of the instance: recordings of one instance agree with each other, and tell nobody what was. */
export function redactionWith(secret: Buffer): Redaction {
  const digest = (of: string) => createHmac('sha256', secret).update(`trace ${of}`).digest();
  const turn = turnFrom(digest('globe'));
  const vin = (of: string) => standIn(digest(`vin ${of.toUpperCase()}`));
  return {
    vin,
    path: (path) =>
      (path.split('?')[0] ?? '')
        .split('/')
        .map((part) => (isVin(part.toUpperCase()) ? vin(part) : part))
        .join('/'),
    body: (body) => redacted(body, answerFactsLeftHand, { vin, turn }),
  };
}

/** Seventeen characters of those that a VIN may have. */
function standIn(bytes: Buffer): string {
  const letters = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789';
  const rest = [...bytes.subarray(0, 12)].map((byte) => letters[byte % letters.length]);
  return `TRACE${rest.join('')}`;
}

type Means = { vin: (vin: string) => string; turn: Turn };

/** What is left of a value; `known` is what the parser does with it, and nothing where it has never heard of it. */
function redacted(value: unknown, known: Fact | undefined, means: Means): unknown {
  // Nobody knows what stands in a list: of its objects the positions alone are told.
  if (Array.isArray(value)) return value.map((item) => redacted(item, undefined, means));
  if (!isObject(value)) return known === undefined || typeof value === 'string' ? null : value;
  const fields = fieldsOf(known);
  const kept = Object.entries(value).flatMap(([name, of]): [string, unknown][] => {
    if (hidden.test(name)) return [];
    if (typeof of !== 'string') return [[name, redacted(of, fields.get(name), means)]];
    if (name === 'vin') return [[name, means.vin(of)]];
    return [[name, harmless.has(name) && !holdsVin(of) ? of : null]];
  });
  return { ...Object.fromEntries(kept), ...turned(value, means.turn) };
}

function holdsVin(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).some((word) => /\d/.test(word) && isVin(word.toUpperCase()));
}

/** The positions among fields, and the heading that belongs to them, turned with the globe; without it there is none. */
function turned(fields: Readonly<Record<string, unknown>>, turn: Turn): Record<string, unknown> {
  const next: Record<string, unknown> = 'heading' in fields ? { heading: null } : {};
  for (const [latitude, longitude] of positions) {
    if (!(latitude in fields) && !(longitude in fields)) continue;
    const at = numbers(fields[latitude], fields[longitude]);
    const place = at === null ? null : turn.position(at);
    next[latitude] = place && rounded(place.latitude, 6);
    next[longitude] = place && rounded(place.longitude, 6);
    if (latitude !== 'latitude' || at === null || typeof fields.heading !== 'number') continue;
    next.heading = Math.round(turn.heading(at, fields.heading)) % 360;
  }
  return next;
}

function numbers(
  latitude: unknown,
  longitude: unknown,
): { latitude: number; longitude: number } | null {
  return typeof latitude === 'number' && typeof longitude === 'number'
    ? { latitude, longitude }
    : null;
}
