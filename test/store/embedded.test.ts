import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { createLog, silentLog } from '../../src/base/log.ts';
import { type Database, openDatabase } from '../../src/store/client.ts';
import { isDatabaseUnavailable } from '../../src/store/database-errors.ts';
import { copyMigratedDatabase } from '../support/embedded-template.ts';

const socketName = '.s.PGSQL.5432';

describe('the embedded database', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('keeps its rows over a restart and leaves no socket behind', async () => {
    await copyMigratedDatabase(dataDir);
    const first = await openDatabase({ dataDir, log: silentLog });
    await createAccount(first);
    await first.close();
    expect(existsSync(join(dataDir, socketName))).toBe(false);
    await using second = await openDatabase({ dataDir, log: silentLog });
    expect(await second.prisma.account.count()).toBe(1);
  });

  it('closes the data folder to other users', async () => {
    await copyMigratedDatabase(dataDir);
    await using database = await openDatabase({ dataDir, log: silentLog });
    expect(database.engine).toBe('embedded');
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it('starts over a socket that was left behind', async () => {
    await copyMigratedDatabase(dataDir);
    writeFileSync(join(dataDir, socketName), '');
    await using database = await openDatabase({ dataDir, log: silentLog });
    expect(await database.prisma.account.count()).toBe(0);
  });

  it('refuses a path that is too long for a socket, naming the setting', async () => {
    const long = join(dataDir, 'x'.repeat(100));
    await expect(openDatabase({ dataDir: long, log: silentLog })).rejects.toThrow(
      /too long for a socket: .* makes 1\d\d bytes, of which 103 are possible\. Choose a shorter one with ODOGRAPH_DATA_DIR\./,
    );
  });

  it('says why it did not start', async () => {
    writeFileSync(join(dataDir, 'database'), 'no folder');
    await expect(openDatabase({ dataDir, log: silentLog })).rejects.toThrow(
      /^The embedded database in .*\/database did not start: ./,
    );
  });

  it('is started again after a death, with every row it had acknowledged', async () => {
    await copyMigratedDatabase(dataDir);
    let logged = '';
    const log = createLog('info', { write: (line) => (logged += line) });
    await using database = await openDatabase({ dataDir, log });
    await createAccount(database);

    // Without the folder of its log PostgreSQL cannot go on: it panics, as it does on a full disk.
    const writeAhead = join(dataDir, 'database', 'pg_wal');
    renameSync(writeAhead, `${writeAhead}-away`);
    await database.pool.query('SELECT pg_switch_wal()');
    await expect(createAccount(database)).rejects.toThrow();
    const down = await database.prisma.account.count().catch((error: unknown) => error);
    expect(isDatabaseUnavailable(down)).toBe(true);
    await expect.poll(() => logged).toContain('The embedded database died');

    renameSync(`${writeAhead}-away`, writeAhead);
    expect(await untilItAnswers(() => database.prisma.account.count())).toBe(1);
    expect(logged).toContain('The embedded database is back.');
  });
});

async function createAccount({ prisma }: Database): Promise<void> {
  await prisma.account.create({ data: { id: newUuid(), name: 'Ada' } });
}

async function untilItAnswers<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
