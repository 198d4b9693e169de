import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, SECOND_MS } from '../../src/base/units.ts';
import { replay } from '../../src/ingest/replay.ts';
import { nextLookAt, settledUntil } from '../../src/ingest/stream-window.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { streamedDay as day } from '../support/streamed-day.ts';
import { gear, record, S0, VIN } from '../support/telemetry.ts';

describe('a clock of ours that jumps', () => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  afterAll(() => db.close());

  it.each([
    ['back by a day', -DAY_MS],
    ['ahead by ten years, and is set right again', 3_650 * DAY_MS],
  ])('%s changes nothing of what streams in', async (_, jumpMs) => {
    const vehicle = await newStreamed(db.prisma, VIN);
    const ingest = streamIngest(db.prisma, S0 + 2 * DAY_MS);
    await ingest.take(day.slice(0, 10));
    await ingest.reduce();
    ingest.clock.at += jumpMs;
    await ingest.take(day.slice(10, 25));
    await ingest.reduce();
    ingest.clock.at -= jumpMs;
    await ingest.take(day.slice(25));
    await ingest.settle();
    expect(await storedReport(db.prisma, vehicle)).toEqual(replay(day));
    await db.prisma.account.delete({ where: { id: vehicle.accountId } });
  });

  it('ahead by ten years, dated and reduced records of then, and believes those of now', async () => {
    const vehicle = await newStreamed(db.prisma, VIN);
    const yearsS = 3_650 * 86_400;
    const ingest = streamIngest(db.prisma, S0 + yearsS * SECOND_MS);
    await ingest.take([record(yearsS, { Gear: gear('D') }), record(yearsS + 1, { Soc: 3 })]);
    await ingest.settle();
    ingest.clock.at = S0 + DAY_MS;
    await ingest.take(day);
    await ingest.settle();
    expect(await storedReport(db.prisma, vehicle)).toEqual(replay(day));
    await db.prisma.account.delete({ where: { id: vehicle.accountId } });
  });

  it('lets the silence pass before a record of the future', () => {
    const stream = { receivedAt: S0, reducedUntil: S0, lastAt: S0 };
    expect(nextLookAt(stream, S0 + DAY_MS)).toBe(S0 + 120 * SECOND_MS);
    expect(nextLookAt({ ...stream, lastAt: null }, S0 + DAY_MS)).toBe(S0 + DAY_MS);
  });

  it('lets nothing wait for a reception that has not been yet', () => {
    const now = S0 + 600 * SECOND_MS;
    const stream = { newestAt: S0 + 590 * SECOND_MS, receivedAt: now + 10 * DAY_MS };
    expect(settledUntil(stream, now)).toBe(S0 + 590 * SECOND_MS);
  });
});
