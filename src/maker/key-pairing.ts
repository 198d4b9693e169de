import { isObject } from './json.ts';
import { finiteNumber, flag, text } from './readers.ts';

/** Whether the service's key is on a vehicle, and what the vehicle asks of it (maker.md §1.3); null where it is not said. */
export type KeyPairing = {
  paired: boolean | null;
  /** Whether the vehicle takes only signed commands. */
  commandProtocolRequired: boolean | null;
  firmwareVersion: string | null;
  telemetryVersion: string | null;
  totalKeys: number | null;
};

/** Pairing by VIN, from an answer of `fleet_status`; VINs that it does not name are absent. */
export function keyPairings(value: unknown): ReadonlyMap<string, KeyPairing> {
  const fields = isObject(value) ? value : {};
  const info = isObject(fields.vehicle_info) ? fields.vehicle_info : {};
  const paired = new Set(vins(fields.key_paired_vins));
  const unpaired = new Set(vins(fields.unpaired_vins));
  const named = new Set([...paired, ...unpaired, ...Object.keys(info)]);
  return new Map(
    [...named].map((vin) => {
      const about = isObject(info[vin]) ? info[vin] : {};
      return [
        vin,
        {
          paired: paired.has(vin) ? true : unpaired.has(vin) ? false : null,
          commandProtocolRequired: flag(about.vehicle_command_protocol_required, 0) ?? null,
          firmwareVersion: text(about.firmware_version, 0) ?? null,
          telemetryVersion: text(about.fleet_telemetry_version, 0) ?? null,
          totalKeys: finiteNumber(about.total_number_of_keys) ?? null,
        },
      ];
    }),
  );
}

function vins(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((vin) => typeof vin === 'string') : [];
}
