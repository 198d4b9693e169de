import { type IntakeRecord, readRecordLine } from '../../ingest/record-line.ts';
import { type MqttTold, recordOfFields } from '../../maker/telemetry-mqtt.ts';

/** What a message told, and when it arrived (epoch ms). */
export type Arrived = { told: MqttTold; at: number };

/** Turns what messages told into records of one time each. */
export type Gathering = {
  /** The records of what was told since the last call, in order. */
  recordsOf: (arrived: readonly Arrived[]) => { records: IntakeRecord[]; rejected: number };
};

/** Fields that arrive within so long of each other were one record. */
const TOGETHER_MS = 50;

/**
 * How far times may run ahead of the clock: no burst has so many records of one vehicle. Beyond it the clock was set back,
 * and what it says now is believed.
 */
const MOST_AHEAD_MS = 10_000;

/**
 * Fields have no time of their own: they get that of their arrival. What came together is one record, as it was when the
 * vehicle sent it; a field that came again begins the next one, a millisecond later, so that their order stays.
 */
export function gathering(): Gathering {
  const lastAt = new Map<string, number>();
  const placed = (vin: string, arrivedAt: number) => {
    const next = (lastAt.get(vin) ?? 0) + 1;
    const at = next - arrivedAt > MOST_AHEAD_MS ? arrivedAt : Math.max(arrivedAt, next);
    lastAt.set(vin, at);
    return at;
  };
  return {
    recordsOf: (arrived) => {
      const lines = linesOf(arrived, placed);
      const read = lines.map(({ json, at }) => readRecordLine(JSON.stringify(json), at));
      const records = read.flatMap((one) => (one.ok ? [one.record] : []));
      const refused = arrived.filter(({ told }) => told.kind === 'refused').length;
      return { records, rejected: refused + read.length - records.length };
    },
  };
}

type Line = { json: Record<string, unknown>; at: number };

/** Fields of one vehicle that are still being put together, and when the first of them arrived. */
type Open = { at: number; fields: Map<string, unknown> };

function linesOf(
  arrived: readonly Arrived[],
  placed: (vin: string, arrivedAt: number) => number,
): Line[] {
  const lines: Line[] = [];
  const open = new Map<string, Open>();
  const close = (vin: string) => {
    const one = open.get(vin);
    if (one === undefined) return;
    const at = placed(vin, one.at);
    lines.push({ json: recordOfFields(vin, at, one.fields), at });
    open.delete(vin);
  };
  for (const { told, at: arrivedAt } of arrived) {
    if (told.kind === 'field') {
      const { vin, field, value } = told;
      const before = open.get(vin);
      if (before && (before.fields.has(field) || Math.abs(arrivedAt - before.at) > TOGETHER_MS))
        close(vin);
      const one = open.get(vin) ?? { at: arrivedAt, fields: new Map() };
      one.fields.set(field, value);
      open.set(vin, one);
    } else if (told.kind === 'record') {
      close(told.vin);
      const at = placed(told.vin, arrivedAt);
      const createdAt = told.createdAt ?? new Date(at).toISOString();
      lines.push({ json: { vin: told.vin, createdAt, ...told.told }, at });
    }
  }
  for (const vin of [...open.keys()]) close(vin);
  return lines;
}
