import { KM_PER_MILE, MINUTE_MS } from '../../src/base/units.ts';
import { replay } from '../../src/ingest/replay.ts';
import type { ReplayedVehicle } from '../../src/ingest/replay-report.ts';

/** VIN of a trace's vehicle. */
export const POLLED_VIN = 'TEST0000000000001';

const startAt = Date.parse('2026-03-01T08:00:00Z');

/** What an answer of a trace says, in the maker's words and units; a section that is null is null in the answer. */
export type Told = {
  gear?: unknown;
  speed?: unknown;
  /** Miles since the trace began; also where the vehicle is, northwards. */
  mile?: number;
  odometer?: unknown;
  latitude?: unknown;
  level?: unknown;
  charging?: unknown;
  added?: unknown;
  charger?: Readonly<Record<string, unknown>>;
  version?: unknown;
  update?: unknown;
  /** Minute that the sections are from; null for none. */
  from?: number | null;
  without?: readonly string[];
};

/** The instant of a minute of the trace (epoch ms). */
export function atMinute(minute: number): number {
  return startAt + Math.round(minute * MINUTE_MS);
}

/** A line of a trace, `minute` minutes after its begin. */
export function traceLine(minute: number, line: Readonly<Record<string, unknown>>): string {
  const path = `/api/1/vehicles/${POLLED_VIN}/vehicle_data`;
  return JSON.stringify({ at: new Date(atMinute(minute)).toISOString(), path, ...line });
}

/** An answer of `vehicle_data`, of a vehicle that is parked, unplugged and up to date where nothing else is said. */
export function answer(minute: number, told: Told = {}): string {
  const { mile = 0, odometer = 1000 + mile, latitude = 52 + mile * 0.014473 } = told;
  const from = told.from === undefined ? minute : told.from;
  const timestamp = from === null ? undefined : atMinute(from);
  const sections = {
    drive_state: {
      ...{ shift_state: told.gear ?? null, speed: told.speed ?? null, power: 0 },
      ...{ latitude, longitude: 13, timestamp },
    },
    charge_state: {
      ...{ charging_state: told.charging ?? 'Disconnected', battery_level: told.level ?? 60 },
      ...{
        charge_energy_added: told.added ?? 0,
        charge_limit_soc: 90,
        fast_charger_present: false,
      },
      ...{ ...told.charger, timestamp },
    },
    vehicle_state: {
      ...{ odometer, car_version: told.version ?? '2026.8.1 abcdef012345', timestamp },
      software_update: told.update ?? { status: '', version: ' ' },
    },
  };
  const left = Object.entries(sections).map(([name, section]) =>
    told.without?.includes(name) ? [name, null] : [name, section],
  );
  const response = { vin: POLLED_VIN, state: 'online', ...Object.fromEntries(left) };
  return traceLine(minute, { status: 200, body: { response } });
}

/** The item of the list for the vehicle. */
export function listed(minute: number, state: string): string {
  const path = `/api/1/vehicles/${POLLED_VIN}`;
  return traceLine(minute, { status: 200, path, body: { response: { vin: POLLED_VIN, state } } });
}

/** A mile a minute in D, at each minute from `first` to `last`; `more` is said besides. */
export function miles(first: number, last: number, more: Told = {}): string[] {
  return minutes(first, last).map((minute) =>
    answer(minute, { gear: 'D', speed: 60, mile: minute - first, ...more }),
  );
}

/** Charging at 11 kW at each minute from `first` to `last`, from a counter of `base` kWh on. */
export function charging(first: number, last: number, base = 0, more: Told = {}): string[] {
  return minutes(first, last).map((minute) =>
    answer(minute, {
      charging: 'Charging',
      added: Math.round((base + ((minute - first) * 11) / 60) * 100) / 100,
      level: 50,
      ...more,
      charger: {
        ...{ charger_power: 11, charger_voltage: 230, charger_actual_current: 16 },
        ...{ charger_phases: 3, ...more.charger },
      },
    }),
  );
}

/** The whole minutes from `first` to `last`. */
export function minutes(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** What a replay makes of the trace's only vehicle. */
export function replayed(lines: readonly string[]): ReplayedVehicle {
  const { vehicles } = replay(lines, { format: 'poll' });
  const [vehicle, ...others] = vehicles;
  if (vehicle === undefined || others.length > 0) throw new Error('Not one vehicle.');
  return vehicle;
}

/** Minutes since the trace began; null for none. */
export function minuteOf(text: string | null | undefined): number | null {
  return text == null ? null : (Date.parse(text) - startAt) / MINUTE_MS;
}

/** Each drive in short: from and to [min], distance [miles]. */
export function drivesOf({ drives }: ReplayedVehicle): [number | null, number | null, number][] {
  return drives.map((drive) => [
    minuteOf(drive.started_at),
    minuteOf(drive.ended_at),
    Math.round(((drive.distance_km ?? Number.NaN) / KM_PER_MILE) * 100) / 100,
  ]);
}
