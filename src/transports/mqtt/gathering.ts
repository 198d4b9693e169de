import type { Clock } from '../../base/clock.ts';
import { type IntakeRecord, readRecordLine } from '../../ingest/record-line.ts';
import { type MqttTold, recordOfFields } from '../../maker/telemetry-mqtt.ts';

/** Turns what messages told into records of one time each. */
export type Gathering = {
  /** The records of what was told since the last call, in order. */
  recordsOf: (told: readonly MqttTold[]) => { records: IntakeRecord[]; rejected: number };
};

/**
 * Fields have no time of their own: they get that of their arrival. What came together is one record, as it was when the
 * vehicle sent it; a field that came again begins the next one, a millisecond later, so that their order stays.
 */
export function gathering(clock: Clock): Gathering {
  const lastAt = new Map<string, number>();
  const nextAt = (vin: string) => {
    const at = Math.max(clock(), (lastAt.get(vin) ?? 0) + 1);
    lastAt.set(vin, at);
    return at;
  };
  return {
    recordsOf: (told) => {
      const lines = linesOf(told, nextAt);
      const read = lines.map(({ json, at }) => readRecordLine(JSON.stringify(json), at));
      const records = read.flatMap((one) => (one.ok ? [one.record] : []));
      const refused = told.filter(({ kind }) => kind === 'refused').length;
      return { records, rejected: refused + read.length - records.length };
    },
  };
}

type Line = { json: Record<string, unknown>; at: number };

function linesOf(told: readonly MqttTold[], nextAt: (vin: string) => number): Line[] {
  const lines: Line[] = [];
  const open = new Map<string, Map<string, unknown>>();
  const close = (vin: string) => {
    const fields = open.get(vin);
    if (fields === undefined) return;
    const at = nextAt(vin);
    lines.push({ json: recordOfFields(vin, at, fields), at });
    open.delete(vin);
  };
  for (const one of told) {
    if (one.kind === 'field') {
      if (open.get(one.vin)?.has(one.field)) close(one.vin);
      const fields = open.get(one.vin) ?? new Map<string, unknown>();
      open.set(one.vin, fields.set(one.field, one.value));
    } else if (one.kind === 'record') {
      close(one.vin);
      const at = nextAt(one.vin);
      const createdAt = one.createdAt ?? new Date(at).toISOString();
      lines.push({ json: { vin: one.vin, createdAt, ...one.told }, at });
    }
  }
  for (const vin of [...open.keys()]) close(vin);
  return lines;
}
