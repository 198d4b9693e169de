import { redacted } from '../base/redact.ts';
import { SECOND_MS } from '../base/units.ts';
import type { TelemetryTarget } from './connector.ts';
import { isObject } from './json.ts';
import { finiteNumber, flag, text } from './readers.ts';
import { telemetryFields } from './telemetry-wish.ts';

const reasonWord = /^[a-z][a-z_]{0,39}$/;
const longestError = 300;

/** Why vehicles were skipped when they were told to stream, by VIN: a word of the maker such as `missing_key`. */
export function skippedVehicles(value: unknown): ReadonlyMap<string, string> {
  const skipped = isObject(value) && isObject(value.skipped_vehicles) ? value.skipped_vehicles : {};
  const found = new Map<string, string>();
  for (const [reason, vins] of Object.entries(skipped)) {
    if (!Array.isArray(vins)) continue;
    const word = reasonWord.test(reason) ? reason : 'unknown';
    for (const vin of vins) if (typeof vin === 'string') found.set(vin, word);
  }
  return found;
}

/** How a vehicle stands with what it is told to stream. */
export type TelemetryStanding = {
  status: 'NOT_CONFIGURED' | 'PENDING' | 'SYNCED' | 'OTHER';
  /** Why it does not stream though it is told to; null where nothing stands against it. */
  reason: 'limit_reached' | 'missing_key' | null;
  /** Epoch milliseconds. */
  expiresAt: number | null;
};

/** How a vehicle stands, from the maker's answer; `OTHER` where it is told something else than what `target` wishes. */
export function telemetryStanding(value: unknown, target: TelemetryTarget): TelemetryStanding {
  const answer = isObject(value) ? value : {};
  const { config } = answer;
  if (!isObject(config) || text(config.hostname, 0) == null) {
    return { status: 'NOT_CONFIGURED', reason: null, expiresAt: null };
  }
  const expiresS = finiteNumber(config.exp);
  const expiresAt = expiresS === undefined ? null : expiresS * SECOND_MS;
  if (!isWished(config, target)) return { status: 'OTHER', reason: null, expiresAt };
  if (flag(answer.synced, 0) === true) return { status: 'SYNCED', reason: null, expiresAt };
  const reason =
    flag(answer.limit_reached, 0) === true
      ? 'limit_reached'
      : flag(answer.key_paired, 0) === false
        ? 'missing_key'
        : null;
  return { status: 'PENDING', reason, expiresAt };
}

function isWished(config: Readonly<Record<string, unknown>>, target: TelemetryTarget): boolean {
  const { hostname, port } = config;
  if (hostname !== target.hostname || finiteNumber(port) !== target.port) return false;
  const fields = isObject(config.fields) ? config.fields : {};
  const told = Object.entries(fields);
  return (
    told.length === telemetryFields.size &&
    told.every(
      ([field, how]) => isObject(how) && how.interval_seconds === telemetryFields.get(field),
    )
  );
}

/** What a vehicle reported of its telemetry. */
export type TelemetryError = { vin: string; name: string; error: string };

/** What vehicles reported, without what must not be told; what names no vehicle is left out. */
export function telemetryErrors(value: unknown): TelemetryError[] {
  const list = isObject(value) ? value.fleet_telemetry_errors : value;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const fields = isObject(item) ? item : {};
    const { vin } = fields;
    if (typeof vin !== 'string') return [];
    const plain = (word: unknown) => redacted(String(text(word, 0) ?? '')).slice(0, longestError);
    return [{ vin, name: plain(fields.name), error: plain(fields.error) }];
  });
}
