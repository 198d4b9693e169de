import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultyWeek } from '../../src/simulator/week.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { played } from './playing.ts';
import { badAir, expectWeek } from './weeks.ts';

describe('a week in which everything goes wrong that may go wrong', { timeout: 600_000 }, () => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  afterAll(() => db?.close());

  it('ends with exactly what the car did where it streams, and is looked at as a check', async () => {
    const it = await played(db.prisma, faultyWeek('one'), badAir);
    expectWeek(it, 'stream');
    expect(it.counts.rewritten, 'what came a day late').toBeGreaterThan(0);
  });

  it('ends with the same drives and charges where it is only looked at', async () => {
    expectWeek(await played(db.prisma, faultyWeek('one')), 'looks');
  });
});
