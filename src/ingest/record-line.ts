import { parsedJson } from '../maker/json.ts';
import { contentOfRecord, headOfRecord, type TelemetryRefusal } from '../maker/telemetry.ts';
import { contentKey } from './content-key.ts';

/**
 * A record of a stream as it goes into the journal: its vehicle, its own time [epoch ms], what tells it apart, and its JSON
 * text on one line.
 */
export type IntakeRecord = {
  vin: string;
  at: number;
  content: string;
  data: string;
  /** How many signals it carries. */
  signals: number;
};

/** Why a line is no record. */
export type LineRefusal = TelemetryRefusal | 'not_json' | 'too_long';

/** Longest record [characters]; the maker's server takes none above 1 MB (maker.md §5.1). */
const LONGEST_RECORD = 1_000_000;

/** Reads a line received at `receivedAt` (epoch ms) as far as keeping it needs. Never throws. */
export function readRecordLine(
  text: string,
  receivedAt: number,
): { ok: true; record: IntakeRecord } | { ok: false; reason: LineRefusal } {
  if (text.length > LONGEST_RECORD) return { ok: false, reason: 'too_long' };
  const json = parsedJson(text);
  if (json === undefined) return { ok: false, reason: 'not_json' };
  const head = headOfRecord(json, receivedAt);
  if (!head.ok) return head;
  const { vin, at, record } = head.value;
  const signals = Array.isArray(record.data) ? record.data.length : 0;
  const content = contentKey(contentOfRecord(head.value));
  return { ok: true, record: { vin, at, content, data: text.trim(), signals } };
}
