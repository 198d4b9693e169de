import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { replay } from '../../src/ingest/replay.ts';
import { openDatabase } from '../../src/store/client.ts';
import { describeEachEngine, type ScratchPlace, scratchPlace } from '../support/database.ts';
import { startProgram } from '../support/program.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { streamedDay as day } from '../support/streamed-day.ts';
import { VIN } from '../support/telemetry.ts';

/** Requests that are sent, and how long each life of the service but the last takes [ms]. */
const REQUESTS = 9;
const LIVES_MS = [200, 1_000];

describeEachEngine('a service that is killed', (engine) => {
  it('loses no record that it answered, and makes of them what they are', async () => {
    await using location = await scratchPlace(engine);
    const vehicle = await inDatabase(location, (prisma) => newStreamed(prisma, VIN));
    const size = Math.ceil(day.length / REQUESTS);
    const waiting = Array.from({ length: REQUESTS }, (_, index) =>
      day.slice(index * size, (index + 1) * size),
    );
    for (const life of [...LIVES_MS, null]) await serveAndKill(location, waiting, life);
    expect(waiting).toEqual([]);
    const report = await inDatabase(location, async (prisma) => {
      await streamIngest(prisma, Date.now() + DAY_MS).settle();
      return storedReport(prisma, vehicle);
    });
    expect(report).toEqual(replay(day));
  });

  /** A life of the service: what is answered leaves the queue; what is not, is sent again in the next one. */
  async function serveAndKill(
    place: ScratchPlace,
    waiting: string[][],
    killAfterMs: number | null,
  ) {
    const { dataDir, databaseUrl } = place;
    await using program = await startProgram('telemetry/serve', dataDir, databaseUrl ?? '-');
    const line = await program.line((text) => text.startsWith('serving '));
    const [, url = '', token = ''] = line.split(' ');
    const sending = sendAll(`${url}/ingest/telemetry`, token, waiting);
    if (killAfterMs === null) {
      await sending;
      return;
    }
    sending.catch(() => {});
    await sleep(killAfterMs);
    await program.kill();
    await sending.catch(() => {});
  }

  async function sendAll(url: string, token: string, waiting: string[][]): Promise<void> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` },
        body: next.join('\n'),
      });
      expect(response.status).toBe(200);
      waiting.shift();
      // Time for the journal to be reduced meanwhile, or for the kill to come.
      await sleep(300);
    }
  }

  async function inDatabase<T>(
    { dataDir, databaseUrl }: ScratchPlace,
    work: (prisma: Awaited<ReturnType<typeof openDatabase>>['prisma']) => Promise<T>,
  ): Promise<T> {
    await using database = await openDatabase({ dataDir, databaseUrl, log: silentLog });
    return await work(database.prisma);
  }
});
