import type { Source } from '../contract/effects.ts';
import { emptyReading, type Fact, keepRaw, type Reading } from './facts.ts';
import { isObject } from './json.ts';
import type { Connectivity, Observation } from './observation.ts';
import type { Reception } from './parse-vehicle-data.ts';
import { flag, text, word } from './readers.ts';
import { bodyFieldsLeftHand, bodyFieldsRightHand } from './telemetry-body.ts';
import { chargeFields } from './telemetry-charge.ts';
import { climateFields } from './telemetry-climate.ts';
import { driveFields } from './telemetry-drive.ts';
import { softwareFields } from './telemetry-software.ts';
import { unusedFields } from './telemetry-unused.ts';
import { type FieldFacts, valueOfDatum } from './telemetry-value.ts';
import { observedTime } from './times.ts';
import { isVin } from './vehicle-identity.ts';

/** Why a record cannot be used at all. */
export type TelemetryRefusal = 'not_an_object' | 'no_vin' | 'no_time' | 'unknown_record';

/** What a record told, or why nothing could be read. */
export type TelemetryParsed =
  | { ok: true; value: Observation }
  | { ok: false; reason: TelemetryRefusal };

/** How a record came in; the source of an observation made from a record is always the stream. */
export type RecordReception = Omit<Reception, 'source'>;

function byName(body: FieldFacts): ReadonlyMap<string, Fact> {
  return new Map(
    Object.entries({
      ...unusedFields,
      ...chargeFields,
      ...driveFields,
      ...climateFields,
      ...softwareFields,
      ...body,
    }),
  );
}

const factsLeftHand = byName(bodyFieldsLeftHand);
const factsRightHand = byName(bodyFieldsRightHand);

const source: Source = 'STREAM';

const linkWord = word<Connectivity>({ CONNECTED: 'online', DISCONNECTED: 'offline' });

/**
 * What one decoded record of the maker's telemetry server tells (maker.md §5.3); never throws, whatever the record is.
 *
 * Its time is `createdAt`, in milliseconds. A record of data says that the vehicle is online, unless it is sent again;
 * alerts and errors are known and tell no signal.
 */
export function observationOfRecord(record: unknown, reception: RecordReception): TelemetryParsed {
  const head = headOfRecord(record, reception.receivedAt);
  if (!head.ok) return head;
  return { ok: true, value: observationOf(head.value, reception) };
}

/** A record whose vehicle, time [epoch ms] and kind are known; what it tells is not read yet. */
export type RecordHead = {
  vin: string;
  at: number;
  kind: RecordKind;
  record: Readonly<Record<string, unknown>>;
};

/** What a record speaks of. */
export type RecordKind = 'data' | 'alerts' | 'errors' | 'connectivity';

/** The head of a decoded record received at `receivedAt` (epoch ms), which is all that keeping it needs; never throws. */
export function headOfRecord(
  record: unknown,
  receivedAt: number,
): { ok: true; value: RecordHead } | { ok: false; reason: TelemetryRefusal } {
  if (!isObject(record)) return { ok: false, reason: 'not_an_object' };
  const vin = vinOfRecord(record);
  if (vin === null) return { ok: false, reason: 'no_vin' };
  const at = observedTime(record.createdAt, receivedAt) ?? null;
  if (at === null) return { ok: false, reason: 'no_time' };
  const kind = kindOfRecord(record);
  if (kind === null) return { ok: false, reason: 'unknown_record' };
  return { ok: true, value: { vin, at, kind, record } };
}

/**
 * What a record tells, as text that is equal for one that is sent again: without its vehicle, its time and the mark of
 * being sent again.
 */
export function contentOfRecord({ record }: RecordHead): string {
  const { vin: _vin, createdAt: _createdAt, isResend: _isResend, ...told } = record;
  return JSON.stringify(told);
}

function kindOfRecord(record: Readonly<Record<string, unknown>>): RecordKind | null {
  if (Array.isArray(record.data)) return 'data';
  if (Array.isArray(record.alerts)) return 'alerts';
  if (Array.isArray(record.errors)) return 'errors';
  return Object.hasOwn(record, 'status') ? 'connectivity' : null;
}

function observationOf(head: RecordHead, reception: RecordReception): Observation {
  const { vin, at, record } = head;
  const into = emptyReading(reception.receivedAt);
  const connectivity = connectivityOf(head, into);
  if (Array.isArray(record.data)) readData(record.data, into, reception.rightHandDrive ?? false);
  const connectionId = head.kind === 'connectivity' ? text(record.connectionId, at) : null;
  return {
    vin,
    at,
    receivedAt: reception.receivedAt,
    source,
    connectivity,
    ...(connectionId ? { connectionId } : {}),
    inService: null,
    signals: into.signals,
    sectionAt: Object.fromEntries([...into.sections].map((section) => [section, at])),
    raw: Object.fromEntries(into.raw),
  };
}

/** When a record was made by its own account [epoch ms]; null without a plausible time. */
export function timeOfRecord(record: unknown): number | null {
  if (!isObject(record)) return null;
  return observedTime(record.createdAt, Number.POSITIVE_INFINITY) ?? null;
}

/** The vehicle a record names, or null. */
export function vinOfRecord(record: Readonly<Record<string, unknown>>): string | null {
  const vin = text(record.vin, 0)?.toUpperCase();
  return vin !== undefined && isVin(vin) ? vin : null;
}

/** What the record says of the link. */
function connectivityOf({ kind, record }: RecordHead, into: Reading): Connectivity | null {
  if (kind === 'data') return flag(record.isResend, into.receivedAt) === true ? null : 'online';
  if (kind !== 'connectivity') return null;
  const link = linkWord(record.status, into.receivedAt);
  if (link === undefined) keepRaw(into, 'status', record.status);
  return link ?? null;
}

function readData(data: readonly unknown[], into: Reading, driverOnRight: boolean): void {
  const facts = driverOnRight ? factsRightHand : factsLeftHand;
  for (const datum of data) {
    if (!isObject(datum) || typeof datum.key !== 'string') continue;
    const value = valueOfDatum(datum.value);
    const take = facts.get(datum.key);
    if (take !== undefined) take(value, into, datum.key);
    else if (value !== null) keepRaw(into, datum.key, value);
  }
}
