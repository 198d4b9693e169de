import { expect, it } from 'vitest';
import { DAY_MS, SECOND_MS } from '../../src/base/units.ts';
import { reduceStream } from '../../src/ingest/reduce-stream.ts';
import { replay } from '../../src/ingest/replay.ts';
import type { PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { describeEachEngine, scratchDatabase } from '../support/database.ts';
import { mortal } from '../support/mortal.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { streamedDay as day } from '../support/streamed-day.ts';
import { VIN } from '../support/telemetry.ts';

describeEachEngine('a service that dies at every commit', (engine) => {
  it('comes to the same drives, charges and software between any two events', async () => {
    await using db = await scratchDatabase(engine);
    const vehicle = await newStreamed(db.prisma, VIN);
    let at = 0;
    let deaths = 0;
    /** Does it in three processes: two that die, and one that does not. */
    const survived = async <T>(work: (prisma: PrismaClient) => Promise<T>): Promise<void> => {
      for (const death of ['before', 'after'] as const) {
        const { prisma, dieAtNext } = mortal(db.prisma);
        dieAtNext(death);
        await work(prisma).then(
          () => {},
          (error: unknown) => {
            expect(String(error)).toContain(`It died ${death} the commit.`);
            deaths += 1;
          },
        );
      }
      await work(db.prisma);
    };
    for (const line of day) {
      at = Date.parse(String(JSON.parse(line).createdAt)) + SECOND_MS;
      await survived((prisma) => streamIngest(prisma, at).take([line]));
      await survived((prisma) => reduceStream(prisma, vehicle.id, at + 6 * SECOND_MS));
    }
    expect(deaths).toBe(day.length * 4);
    await streamIngest(db.prisma, at + DAY_MS).settle();
    expect(await storedReport(db.prisma, vehicle)).toEqual(replay(day));
  });
});
