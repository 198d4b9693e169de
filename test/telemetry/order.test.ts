import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/base/units.ts';
import { replay } from '../../src/ingest/replay.ts';
import { recordedText } from '../maker/recordings.ts';
import { cheapestEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { streamedDay as day } from '../support/streamed-day.ts';
import { S0, VIN } from '../support/telemetry.ts';

function timeIn(line: string): number {
  return Date.parse(String(JSON.parse(line).createdAt));
}

/** Lines in the order in which they arrive when each is up to half a minute on its way. */
function jittered(lines: readonly string[], seed: number): string[] {
  let state = seed;
  const delayMs = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state % 30_000;
  };
  return lines
    .map((line) => ({ line, at: timeIn(line) + delayMs() }))
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => line);
}

function inRequestsOf(size: number, lines: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(lines.length / size) }, (_, index) =>
    lines.slice(index * size, (index + 1) * size),
  );
}

// That streams are stored, late ones too, on both engines: journal, rerun and death in this folder.
describe('a stream of telemetry', () => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(cheapestEngine());
  });
  afterAll(() => db.close());

  /** What is stored of a new vehicle after requests, each reduced before the next one. */
  async function stored(requests: readonly (readonly string[])[], startAt = S0 + DAY_MS) {
    const vehicle = await newStreamed(db.prisma, VIN);
    const ingest = streamIngest(db.prisma, startAt);
    for (const lines of requests) {
      ingest.clock.at += 10_000;
      await ingest.take(lines);
      ingest.clock.at += 6_000;
      await ingest.reduce();
    }
    await ingest.settle();
    const report = await storedReport(db.prisma, vehicle);
    await db.prisma.account.delete({ where: { id: vehicle.accountId } });
    return { report, counts: ingest.counts };
  }

  it('is stored as its replay', async () => {
    const { report, counts } = await stored(inRequestsOf(7, day));
    expect(report).toEqual(replay(day));
    expect(counts.again).toBe(0);
  });

  it('comes to the same when records are shuffled within half a minute', async () => {
    for (const seed of [1, 2]) {
      const { report } = await stored(inRequestsOf(3, jittered(day, seed)));
      expect(report).toEqual(replay(day));
    }
  });

  it('comes to the same when every record comes twice, in any order', async () => {
    const twice = [...jittered(day, 3), ...jittered(day, 4)];
    const { report } = await stored(inRequestsOf(11, twice));
    expect(report).toEqual(replay(day));
  });

  it.each([[5], [12], [20], [3, 14, 27]])(
    'comes to the same when record %j is a day late',
    async (...late) => {
      const onTime = day.filter((_, index) => !late.includes(index));
      const missed = day.filter((_, index) => late.includes(index));
      const { report, counts } = await stored([...inRequestsOf(9, onTime), missed]);
      expect(report).toEqual(replay(day));
      expect(counts.again).toBeGreaterThan(0);
    },
  );

  const recordings = [
    'ACCharging1',
    'ACCharging2',
    'DCCharging2',
    'DrivingByGear_typed',
    'DrivingBySpeed',
    'DrivingBySpeed_typed',
  ];
  for (const name of recordings) {
    it(`of the recording ${name} comes to the same in any order`, (context) => {
      const recording = recordedText(`telemetry/${name}.jsonl`);
      if (!recording.found) return context.skip(recording.reason);
      return deliveredInAnyOrder(recording.text);
    });
  }

  async function deliveredInAnyOrder(text: string): Promise<void> {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const vin = String(JSON.parse(lines[0] ?? '{}').vin);
    const vehicle = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, timeIn(lines[0] ?? '') + DAY_MS);
    const late = lines.filter((_, index) => index % 5 === 3);
    const rest = lines.filter((_, index) => index % 5 !== 3);
    for (const part of [...inRequestsOf(8, jittered(rest, 7)), jittered(late, 8), lines]) {
      await ingest.take(part);
      ingest.clock.at += 70_000;
      await ingest.reduce();
    }
    await ingest.settle();
    expect(await storedReport(db.prisma, vehicle)).toEqual(replay(lines));
    await db.prisma.account.delete({ where: { id: vehicle.accountId } });
  }
});
