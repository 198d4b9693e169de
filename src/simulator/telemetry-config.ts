import { createPublicKey, verify } from 'node:crypto';
import { failure, ok, type Reply } from './reply.ts';
import type { Car } from './state.ts';

/** What a vehicle was told to stream, and whether it has taken it. */
type Told = { config: Readonly<Record<string, unknown>>; synced: boolean };

/** What vehicles are told to stream, and what they report of it. */
export type TelemetryDesk = {
  told: Map<string, Told>;
  /** Why vehicles are skipped, by VIN, beside a missing key. */
  refusals: Map<string, string>;
  errors: { name: string; error: string; vin: string }[];
};

type Request = { own: readonly Car[]; body: string };
type Keys = { keyed: ReadonlySet<string>; registered: Iterable<string> };

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}

/** The claims of a token that one of the registered keys has signed (RFC 7515, ES256); null for any other. */
function signedClaims(token: string, registered: Iterable<string>): Record<string, unknown> | null {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const claims = parsed(Buffer.from(payload, 'base64url').toString());
  if (!isRecord(claims)) return null;
  const signed = [...registered].some((point) => {
    const raw = Buffer.from(point, 'hex');
    const [x, y] = [raw.subarray(1, 33), raw.subarray(33)].map((part) =>
      part.toString('base64url'),
    );
    const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    const data = Buffer.from(`${head}.${payload}`);
    const how = { key, dsaEncoding: 'ieee-p1363' } as const;
    return verify('sha256', data, how, Buffer.from(signature, 'base64url'));
  });
  return signed ? claims : null;
}

/** Tells vehicles what to stream; the token is what the signing proxy made of it (maker.md §1.4). */
export function tellSigned(
  { told, refusals }: TelemetryDesk,
  { own, body }: Request,
  { keyed, registered }: Keys,
): Reply {
  const asked = parsed(body);
  if (!isRecord(asked) || !Array.isArray(asked.vins) || typeof asked.token !== 'string') {
    return failure(400, 'invalid_request');
  }
  const config = signedClaims(asked.token, registered);
  if (config === null) return failure(400, 'invalid_request: the token is not signed by a key');
  const skipped: Record<string, string[]> = {
    missing_key: [],
    unsupported_hardware: [],
    unsupported_firmware: [],
    max_configs: [],
  };
  let updated = 0;
  for (const { spec } of own.filter((car) => isAmong(asked.vins, car.spec.vin))) {
    const { vin } = spec;
    const reason = keyed.has(vin) ? refusals.get(vin) : 'missing_key';
    if (reason === undefined) {
      told.set(vin, { config, synced: false });
      updated += 1;
    } else skipped[reason] = [...(skipped[reason] ?? []), vin];
  }
  return ok({ updated_vehicles: updated, skipped_vehicles: skipped });
}

function isAmong(vins: unknown, vin: string): boolean {
  return Array.isArray(vins) && vins.includes(vin);
}

/** What a vehicle is told; a vehicle that is awake takes it. */
export function toldOf(
  { told }: TelemetryDesk,
  { spec, state }: Car,
  keyed: ReadonlySet<string>,
): Reply {
  const found = told.get(spec.vin);
  if (found !== undefined && state.awake) found.synced = true;
  return ok({
    synced: found?.synced ?? false,
    config: found?.config ?? null,
    limit_reached: false,
    key_paired: keyed.has(spec.vin),
    update_available: false,
  });
}

/** Tells a vehicle nothing any more. */
export function endTold({ told }: TelemetryDesk, { spec }: Car): Reply {
  return ok({ updated_vehicles: told.delete(spec.vin) ? 1 : 0 });
}
