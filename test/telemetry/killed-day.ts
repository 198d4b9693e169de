import { SECOND_MS } from '../../src/base/units.ts';
import { applyEvents } from '../../src/ingest/apply.ts';
import { createIntake } from '../../src/ingest/intake.ts';
import { readRecordLine } from '../../src/ingest/record-line.ts';
import { reduceStream } from '../../src/ingest/reduce-stream.ts';
import type { IngestEvent } from '../../src/ingest/state.ts';
import type { PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { streamedDay } from '../support/streamed-day.ts';
import { driving, parked, seen } from '../support/trace.ts';

const HOUR_S = 3_600;
const home = { latitude: 47.0664 + 12 / 111.195, longitude: 9.5032 };

function charging(minute: number, kwh: number): IngestEvent {
  return parked(2 * HOUR_S + minute * 60, 1012, {
    ...home,
    ...{ chargeStatus: 'CHARGING', pluggedIn: true, chargerPowerKw: 11, chargeEnergyAddedKwh: kwh },
    ...{ batteryLevelPct: 60 + kwh, chargerPhases: 3, chargerVoltageV: 230 },
  });
}

const software = (
  seconds: number,
  status: 'DOWNLOADING' | 'INSTALLING' | 'NONE',
  version: string,
) =>
  parked(seconds, 1012, {
    ...{ ...home, updateStatus: status, softwareVersion: version },
    ...{ updateVersion: status === 'NONE' ? null : '2026.12.3', batteryLevelPct: 72 },
  });

/** Looks of a day with a drive, a charge in two flows and an update, in order. */
const lookedAtDay: IngestEvent[] = [
  parked(0, 1000, { softwareVersion: '2026.8.1' }),
  ...Array.from({ length: 12 }, (_, minute) => driving(60 + minute * 60, 1000.5 + minute)),
  parked(800, 1012, home),
  parked(1_100, 1012, home),
  seen(3_000, {}, { connectivity: 'asleep' }),
  ...Array.from({ length: 6 }, (_, index) => charging(index * 10, index)),
  parked(2 * HOUR_S + 3_300, 1012, { ...home, chargeStatus: 'STOPPED', chargeEnergyAddedKwh: 5 }),
  ...Array.from({ length: 6 }, (_, index) => charging(70 + index * 10, index)),
  parked(4 * HOUR_S, 1012, { ...home, chargeStatus: 'COMPLETE', chargeEnergyAddedKwh: 5 }),
  parked(4 * HOUR_S + 600, 1012, home),
  software(5 * HOUR_S, 'DOWNLOADING', '2026.8.1'),
  software(5 * HOUR_S + 600, 'INSTALLING', '2026.8.1'),
  seen(5 * HOUR_S + 900, {}, { connectivity: 'offline' }),
  software(6 * HOUR_S, 'INSTALLING', '2026.8.1'),
  software(6 * HOUR_S + 900, 'NONE', '2026.12.3'),
  seen(7 * HOUR_S, {}, { connectivity: 'asleep' }),
];

/** What happens at once: a request with records of the vehicle that streams, and what looks at the other one told. */
export type FedEvent = { records: readonly string[]; looks: readonly IngestEvent[] };

/** The lists of two vehicles, one beside the other, so many of each at once. */
export function beside(
  records: readonly string[],
  looksAt: readonly IngestEvent[],
  size = { records: 1, looks: 1 },
): FedEvent[] {
  const length = Math.ceil(Math.max(records.length / size.records, looksAt.length / size.looks));
  return Array.from({ length }, (_, index) => ({
    records: records.slice(index * size.records, (index + 1) * size.records),
    looks: looksAt.slice(index * size.looks, (index + 1) * size.looks),
  }));
}

/** A day of some forty events, with a drive, a charge and an update of each vehicle. */
export const killedDay: readonly FedEvent[] = beside(streamedDay, lookedAtDay);

/** The two vehicles, by the ids of their rows. */
export type Fed = { streamedId: string; lookedAtId: string };

/** Takes an event in, as the service does: the records are answered, and what is due of the journal reduced. */
export async function feed(
  prisma: PrismaClient,
  { streamedId, lookedAtId }: Fed,
  { records, looks }: FedEvent,
): Promise<void> {
  for (const look of looks) await applyEvents(prisma, lookedAtId, [look]);
  const last = records.at(-1);
  if (last === undefined) return;
  const at = Date.parse(String(JSON.parse(last).createdAt)) + SECOND_MS;
  const taken = records.map((line) => {
    const read = readRecordLine(line, at);
    if (!read.ok) throw new Error(`The line is no record: ${read.reason}`);
    return read.record;
  });
  await createIntake({ prisma, clock: () => at }).take(taken);
  await reduceStream(prisma, streamedId, at + 6 * SECOND_MS);
}
