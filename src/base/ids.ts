import { createHash } from 'node:crypto';
import { TypeID, typeid } from 'typeid-js';

/** The kinds of things that have an id, by the prefix of their TypeID (architecture §4.11). */
export const idPrefixes = {
  Account: 'acc',
  MakerAccount: 'mka',
  Vehicle: 'veh',
  Drive: 'drv',
  Charge: 'chg',
  Trip: 'trp',
  Place: 'plc',
  Tariff: 'trf',
  HistoryEdit: 'edt',
  StateSpan: 'sts',
  ParkedSpan: 'prk',
  SoftwareUpdate: 'swu',
  SoftwareInstallation: 'swi',
  Command: 'cmd',
  Alert: 'alr',
  Event: 'evt',
  Token: 'tok',
  ApiKey: 'key',
  IngestToken: 'igt',
  AuditEntry: 'aud',
  Webhook: 'whk',
  WebhookDelivery: 'whd',
} as const;

export type IdType = keyof typeof idPrefixes;

const typeByPrefix = new Map<string, IdType>(
  Object.entries(idPrefixes).map(([type, prefix]) => [prefix, type as IdType]),
);

/** A new UUIDv7, the form in which ids are stored. */
export function newUuid(): string {
  return typeid().toUUID();
}

/** The public form of a stored id, such as `drv_01h45ytscbebyvny4gc8cr8ma2`. */
export function typeIdOf(type: IdType, uuid: string): string {
  return TypeID.fromUUID(idPrefixes[type], uuid).toString();
}

/** Type and stored form of a public id, or null when it is no id of ours. */
export function parseTypeId(id: string): { type: IdType; uuid: string } | null {
  try {
    const parsed = TypeID.fromString(id);
    const type = typeByPrefix.get(parsed.getType());
    return type === undefined ? null : { type, uuid: parsed.toUUID() };
  } catch {
    return null;
  }
}

/** Stored form of a public id of one type, or null when it is anything else. */
export function uuidOf(type: IdType, id: string): string | null {
  const parsed = parseTypeId(id);
  return parsed?.type === type ? parsed.uuid : null;
}

/**
 * The UUIDv7 that always belongs to `parts` at `at` (epoch ms): a replay of the same events makes the same ids
 * (RFC 9562 5.7 layout, the random bits taken from SHA-256).
 */
export function derivedUuid(at: number, ...parts: string[]): string {
  const bytes = createHash('sha256')
    .update(parts.join('\0'))
    .update(`\0${at}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUIntBE(Math.max(0, Math.floor(at)), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** The time that a UUIDv7 holds (epoch ms; RFC 9562 5.7). */
export function timeOfUuid(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}
