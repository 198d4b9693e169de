import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS } from '../../src/base/units.ts';
import type { ReplayedVehicle } from '../../src/ingest/replay-report.ts';
import { openDatabase } from '../../src/store/client.ts';
import { cheapestEngine, type ScratchPlace, scratchPlace } from '../support/database.ts';
import { startProgram } from '../support/program.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { type Fed, type FedEvent, feed } from './killed-day.ts';

type Prisma = Awaited<ReturnType<typeof openDatabase>>['prisma'];

/** The VINs of the vehicle that streams and of the one that is looked at. */
export type Vins = { streamed: string; lookedAt: string };

async function inDatabase<T>(
  { dataDir, databaseUrl }: ScratchPlace,
  work: (prisma: Prisma) => Promise<T>,
): Promise<T> {
  await using database = await openDatabase({ dataDir, databaseUrl, log: silentLog });
  return await work(database.prisma);
}

async function twoVehicles(prisma: Prisma, { streamed, lookedAt }: Vins): Promise<Fed> {
  const { id: streamedId } = await newStreamed(prisma, streamed);
  const { id: lookedAtId } = await newStreamed(prisma, lookedAt);
  return { streamedId, lookedAtId };
}

async function recorded(prisma: Prisma, { streamedId, lookedAtId }: Fed, vins: Vins) {
  return [
    ...(await storedReport(prisma, { id: streamedId, vin: vins.streamed })).vehicles,
    ...(await storedReport(prisma, { id: lookedAtId, vin: vins.lookedAt })).vehicles,
  ];
}

/**
 * Feeds events to a process that is killed (SIGKILL) right after each of those numbered in `killedAfter`, in order, and goes
 * on in a new one; holds what is recorded then against what a process that was spared makes of the same, and gives it.
 */
export async function fedWithKills(
  events: readonly FedEvent[],
  killedAfter: readonly number[],
  vins: Vins,
): Promise<ReplayedVehicle[]> {
  await using place = await scratchPlace(cheapestEngine());
  const fed = await inDatabase(place, (prisma) => twoVehicles(prisma, vins));
  const file = join(place.dataDir, 'events.json');
  writeFileSync(file, JSON.stringify(events));
  const address = [place.dataDir, place.databaseUrl ?? '-', fed.streamedId, fed.lookedAtId, file];
  const start = () => startProgram('telemetry/feed', ...address);
  let from = 0;
  let next = start();
  for (const last of [...killedAfter, events.length - 1]) {
    if (last < from) continue;
    await using program = await next;
    // The one after it gets ready meanwhile.
    next = start();
    await program.line((line) => line === 'ready');
    program.process.stdin.write(`${from}\n`);
    await program.line((line) => line === `done ${last}`);
    await program.kill();
    expect(program.process.signalCode).toBe('SIGKILL');
    from = last + 1;
  }
  await (await next).kill();
  return await inDatabase(place, async (prisma) => {
    const spared = await twoVehicles(prisma, vins);
    for (const event of events) await feed(prisma, spared, event);
    const lastAt = Math.max(...events.flatMap(({ records }) => records.map(timeOf)));
    await streamIngest(prisma, lastAt + DAY_MS).settle();
    const unharmed = await recorded(prisma, spared, vins);
    expect(await recorded(prisma, fed, vins)).toEqual(unharmed);
    return unharmed;
  });
}

function timeOf(record: string): number {
  return Date.parse(String(JSON.parse(record).createdAt));
}
