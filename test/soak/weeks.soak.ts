import { it } from 'vitest';
import { faultyWeek } from '../../src/simulator/week.ts';
import { played } from '../simulator/playing.ts';
import { badAir, expectWeek } from '../simulator/weeks.ts';
import { scratchDatabase } from '../support/database.ts';
import { rounds } from './rounds.ts';

/** A week with every fault, streamed and looked at, of one seed after the other. */
it('weeks', () =>
  rounds('weeks', async (seed) => {
    await using db = await scratchDatabase('embedded');
    expectWeek(await played(db.prisma, faultyWeek(seed), badAir), 'stream');
    expectWeek(await played(db.prisma, faultyWeek(seed)), 'looks');
  }));
