import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/store/client.ts';
import { scratchPlace } from '../support/database.ts';
import { startProgram } from '../support/program.ts';
import { aLink, aSession, rowOf, startTokenMaker } from './linked.ts';

const path = 'link/renew';
const isReady = (line: string) => line === 'ready';

describe('a process that is killed (SIGKILL) while it renews', () => {
  it.each(['claimed', 'answered', 'stored'])('leaves a working link at: %s', async (point) => {
    await using place = await scratchPlace('embedded');
    const maker = await startTokenMaker();
    const { dataDir } = place;
    try {
      const before = await openDatabase({ dataDir, log: silentLog });
      const { id } = await aLink(before.prisma, maker);
      await before.close();
      {
        await using program = await startProgram(path, dataDir, '', maker.tokenUrl, id, point);
        await program.line(isReady);
        program.process.stdin.write('go\n');
        await program.line((line) => line === point);
        await program.kill();
      }
      const after = await openDatabase({ dataDir, log: silentLog });
      try {
        expect(await aSession(after.prisma, maker, id).accessToken()).not.toBeNull();
        expect(await aSession(after.prisma, maker, id).renew()).toBe(true);
        expect((await rowOf(after.prisma, id)).status).toBe('ACTIVE');
      } finally {
        await after.close();
      }
    } finally {
      await maker.close();
    }
  });
});

describe('two processes on one database', () => {
  it('ask the maker for one pair', async () => {
    await using place = await scratchPlace('server');
    const { dataDir, databaseUrl } = place;
    const maker = await startTokenMaker({ refreshGraceMs: 0 });
    const database = await openDatabase({ dataDir, databaseUrl, log: silentLog });
    try {
      const { id } = await aLink(database.prisma, maker);
      const start = () => startProgram(path, dataDir, databaseUrl ?? '', maker.tokenUrl, id);
      await using one = await start();
      await using other = await start();
      await Promise.all([one.line(isReady), other.line(isReady)]);
      for (const { process } of [one, other]) process.stdin.write('go\n');
      const isDone = (line: string) => line.includes('token');
      expect(await Promise.all([one.line(isDone), other.line(isDone)])).toEqual(['token', 'token']);
      expect(maker.calls.token).toBe(1);
      expect((await rowOf(database.prisma, id)).status).toBe('ACTIVE');
    } finally {
      await database.close();
      await maker.close();
    }
  });
});
