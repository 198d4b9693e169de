import { failure, ok, type Reply } from './reply.ts';
import type { Car } from './state.ts';

function vinsIn(body: string): string[] | null {
  try {
    const asked: unknown = JSON.parse(body);
    const vins = typeof asked === 'object' && asked !== null ? Reflect.get(asked, 'vins') : null;
    return Array.isArray(vins) ? vins.filter((vin) => typeof vin === 'string') : null;
  } catch {
    return null;
  }
}

/** What `fleet_status` answers for those of the cars that the body asks for (maker.md §1.3). */
export function keysAmong(own: readonly Car[], body: string, keyed: ReadonlySet<string>): Reply {
  const vins = vinsIn(body);
  if (vins === null) return failure(400, 'invalid_request');
  const cars = own.filter(({ spec }) => vins.includes(spec.vin));
  const named = (paired: boolean) =>
    cars.map(({ spec }) => spec.vin).filter((vin) => keyed.has(vin) === paired);
  const info = cars.map(({ spec, state }) => [
    spec.vin,
    {
      firmware_version: state.software.version,
      vehicle_command_protocol_required: true,
      discounted_device_data: false,
      fleet_telemetry_version: null,
      total_number_of_keys: keyed.has(spec.vin) ? 2 : 1,
      safety_screen_streaming_toggle_enabled: null,
    },
  ]);
  return ok({
    key_paired_vins: named(true),
    unpaired_vins: named(false),
    vehicle_info: Object.fromEntries(info),
  });
}
