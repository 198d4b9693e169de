import { describe, expect, inject, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { openDatabase } from '../../src/store/client.ts';
import { type ScratchPlace, scratchPlace } from '../support/database.ts';
import { joinedProgram, type Program, startProgram } from '../support/program.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { S0, VIN } from '../support/telemetry.ts';
import { EVENTS, type Fed, feed } from './killed-day.ts';

const LOOKED_AT = 'TEST0000000000002';

type Prisma = Awaited<ReturnType<typeof openDatabase>>['prisma'];

async function inDatabase<T>(
  { dataDir, databaseUrl }: ScratchPlace,
  work: (prisma: Prisma) => Promise<T>,
) {
  await using database = await openDatabase({ dataDir, databaseUrl, log: silentLog });
  return await work(database.prisma);
}

async function twoVehicles(prisma: Prisma): Promise<Fed> {
  const { id: streamedId } = await newStreamed(prisma, VIN);
  const { id: lookedAtId } = await newStreamed(prisma, LOOKED_AT);
  return { streamedId, lookedAtId };
}

async function recorded(prisma: Prisma, { streamedId, lookedAtId }: Fed) {
  return [
    ...(await storedReport(prisma, { id: streamedId, vin: VIN })).vehicles,
    ...(await storedReport(prisma, { id: lookedAtId, vin: LOOKED_AT })).vehicles,
  ];
}

describe('a process that is killed (SIGKILL) between any two events', () => {
  it('comes to the same drives, charges and software, streamed and looked at', {
    timeout: 300_000,
  }, async () => {
    await using place = await scratchPlace(
      inject('serverMissing') === null ? 'server' : 'embedded',
    );
    const fed = await inDatabase(place, twoVehicles);
    const path = 'test/telemetry/programs/feed.ts';
    const joined = place.databaseUrl === null ? path : await joinedProgram(path);
    const start = () =>
      startProgram(
        joined,
        ...[place.dataDir, place.databaseUrl ?? '-', fed.streamedId, fed.lookedAtId],
      );
    let next: Program = start();
    for (let index = 0; index < EVENTS; index += 1) {
      await using program = next;
      // The one after it gets ready meanwhile.
      next = start();
      await program.line((line) => line === 'ready');
      program.process.stdin.write(`${index}\n`);
      await program.line((line) => line === `done ${index}`);
      await program.kill();
      expect(program.process.signalCode).toBe('SIGKILL');
    }
    await next.kill();
    await inDatabase(place, async (prisma) => {
      const spared = await twoVehicles(prisma);
      for (let index = 0; index < EVENTS; index += 1) await feed(prisma, spared, index);
      await streamIngest(prisma, S0 + DAY_MS).settle();
      const [streamed, lookedAt] = await recorded(prisma, spared);
      for (const { drives, charges, software } of [streamed, lookedAt].map(
        (one) => one ?? never(),
      )) {
        expect(drives.length * charges.length * software.length).toBeGreaterThan(1);
      }
      expect(await recorded(prisma, fed)).toEqual([streamed, lookedAt]);
    });
  });
});

function never(): never {
  throw new Error('A vehicle has no report.');
}
