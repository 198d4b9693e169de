import { isObject, parsedJson } from '../maker/json.ts';
import { observationOfListItem, observationOfVehicleData } from '../maker/parse-vehicle-data.ts';
import {
  contentOfRecord,
  headOfRecord,
  observationOfRecord,
  timeOfRecord,
  vinOfRecord,
} from '../maker/telemetry.ts';
import { contentKey } from './content-key.ts';
import type { Arrival } from './reorder.ts';
import type { IngestEvent } from './state.ts';

/** Which kind of line a trace holds: records of the maker's telemetry, what the maker answered, or either. */
export type TraceFormat = 'telemetry' | 'poll' | 'auto';

/** What a line of a trace is: events of vehicles, or the reason why it cannot be used, with its vehicle where it names one. */
export type ReadLine =
  | { ok: true; arrivals: Arrival<IngestEvent>[] }
  | { ok: false; vin: string | null; reason: string };

/** Reads one line; `number` tells lines of equal time apart, in their order. Never throws. */
export function readTraceLine(text: string, number: number, format: TraceFormat): ReadLine {
  const line = parsedJson(text);
  if (line === undefined) return refused('not_json');
  if (!isObject(line)) return refused('not_an_object');
  const kind = format === 'auto' ? kindOf(line) : format;
  return kind === 'poll' ? answerOf(line, number) : recordOf(line);
}

function refused(reason: string, vin: string | null = null): ReadLine {
  return { ok: false, vin, reason };
}

function kindOf(line: Readonly<Record<string, unknown>>): 'telemetry' | 'poll' {
  return Object.hasOwn(line, 'path') && !Object.hasOwn(line, 'createdAt') ? 'poll' : 'telemetry';
}

function recordOf(line: Readonly<Record<string, unknown>>): ReadLine {
  // A trace says no other time: the record's own stands for that of its reception.
  const receivedAt = timeOfRecord(line) ?? 0;
  const head = headOfRecord(line, receivedAt);
  const parsed = observationOfRecord(line, { receivedAt });
  if (!head.ok) return refused(head.reason, vinOfRecord(line));
  if (!parsed.ok) return refused(parsed.reason, vinOfRecord(line));
  const { vin, at } = head.value;
  const item: IngestEvent = { kind: 'observation', observation: parsed.value };
  return { ok: true, arrivals: [{ vin, at, key: contentKey(contentOfRecord(head.value)), item }] };
}

/** The maker takes a vehicle's number in the place of its VIN (maker.md §1.4); the answer then says whose it is. */
const vehiclePath = /\/vehicles\/([A-Za-z0-9]{17}|\d{1,20})(?:\/([a-z_]+))?\/?(?:\?.*)?$/;
const listPath = /\/(?:vehicles|products)\/?(?:\?.*)?$/;

function answerOf(line: Readonly<Record<string, unknown>>, number: number): ReadLine {
  const path = typeof line.path === 'string' ? line.path : '';
  const found = vehiclePath.exec(path);
  const vin = found === null ? null : vinOfPath(found[1]);
  const at = instantOfText(line.at);
  if (at === null) return refused('no_time', vin);
  if (found === null && !listPath.test(path)) return refused('unknown_path', vin);
  if (typeof line.status !== 'number' && typeof line.error !== 'string')
    return refused('no_status', vin);
  const key = String(number).padStart(12, '0');
  const about = (of: string, item: IngestEvent) => ({ vin: of, at, key, item });
  const reads = found === null ? observationOfListItem : readerOf(found[2]);
  // Nothing was learned, and time passed.
  if (line.status !== 200 || reads === null) {
    return { ok: true, arrivals: vin === null ? [] : [about(vin, { kind: 'tick', at })] };
  }
  const arrivals: Arrival<IngestEvent>[] = [];
  for (const body of found === null ? itemsOf(line.body) : [withVin(line.body, vin)]) {
    const parsed = reads(body, { receivedAt: at, source: 'POLL' });
    if (!parsed.ok) return refused(parsed.reason, vin);
    const { value: observation } = parsed;
    arrivals.push(about(observation.vin, { kind: 'observation', observation }));
  }
  return { ok: true, arrivals };
}

const numberText = /^\d+$/;

function vinOfPath(tag: string | undefined): string | null {
  return tag === undefined || numberText.test(tag) ? null : tag.toUpperCase();
}

/** An answer that does not name its vehicle is the answer for the vehicle that was asked for. */
function withVin(body: unknown, vin: string | null): unknown {
  const fields = isObject(body) && !Object.hasOwn(body, 'vin') ? body.response : body;
  if (vin === null || !isObject(fields) || fields.vin != null) return body;
  return { ...fields, vin };
}

const timeText = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:)(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Epoch milliseconds of an RFC 3339 time; null for other text, such as a time of nobody knows which zone. */
function instantOfText(text: unknown): number | null {
  const found = typeof text === 'string' ? timeText.exec(text) : null;
  if (found === null) return null;
  const [, date, minutes, seconds, fraction = '', zone = ''] = found;
  // A leap second has no number of its own: it is the second before once more (RFC 3339 5.7).
  const second = seconds === '60' ? '59' : seconds;
  const at = Date.parse(`${date}T${minutes}${second}${fraction}${zone.toUpperCase()}`);
  return Number.isFinite(at) ? at : null;
}

function readerOf(resource: string | undefined): typeof observationOfListItem | null {
  if (resource === undefined) return observationOfListItem;
  return resource === 'vehicle_data' ? observationOfVehicleData : null;
}

/** The vehicles of a list; other things an account owns have no VIN and are left out. */
function itemsOf(body: unknown): unknown[] {
  const list = isObject(body) ? body.response : body;
  return Array.isArray(list) ? list.filter((item) => isObject(item) && item.vin != null) : [];
}
