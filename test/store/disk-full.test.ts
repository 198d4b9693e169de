import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { type Database, openDatabase } from '../../src/store/client.ts';
import { isDatabaseUnavailable, isDiskFull } from '../../src/store/database-errors.ts';
import { removeCluster, startNewCluster } from '../support/cluster.ts';
import { describeEachEngine, type Engine, scratchDatabase } from '../support/database.ts';
import { copyMigratedDatabase } from '../support/embedded-template.ts';
import { canMountSmallDisk, mountSmallDisk } from '../support/small-disk.ts';

const roomMebibytes = 72;
const moreRoomMebibytes = 256;
const mountable = canMountSmallDisk();

describe.runIf(mountable)('a full disk, for real on a small tmpfs', () => {
  describeEachEngine('under the database', (engine) => {
    it('is told apart, loses nothing, and is forgotten once there is room', async () => {
      using disk = mountSmallDisk(roomMebibytes);
      await onDisk(engine, disk.folder, async (database) => {
        await createAccount(database);
        await database.pool.query('CREATE TABLE ballast (text TEXT)');
        const error = await fill(database);
        expect(isDiskFull(error)).toBe(true);
        expect(isDatabaseUnavailable(error)).toBe(false);
        expect(await database.prisma.account.count()).toBe(1);

        disk.resize(moreRoomMebibytes);
        await createAccount(database);
        expect(await database.prisma.account.count()).toBe(2);
      });
    });
  });
});

describe.runIf(!mountable)('a full disk, injected because mounting a tmpfs takes root', () => {
  describeEachEngine('under the database', (engine) => {
    it('is told apart', async () => {
      await using database = await scratchDatabase(engine);
      const error = await database.prisma
        .$executeRaw`DO $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$`.catch(
        (reason: unknown) => reason,
      );
      expect(isDiskFull(error)).toBe(true);
      expect(isDatabaseUnavailable(error)).toBe(false);
    });
  });
});

async function onDisk(
  engine: Engine,
  folder: string,
  run: (database: Database) => Promise<void>,
): Promise<void> {
  if (engine === 'server') {
    const cluster = await startNewCluster(folder);
    try {
      const databaseUrl = cluster.urlOf('postgres');
      await using database = await openDatabase({ dataDir: '', databaseUrl, log: silentLog });
      await run(database);
    } finally {
      await removeCluster(cluster);
    }
    return;
  }
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  await copyMigratedDatabase(dataDir);
  await using database = await openDatabase({ dataDir, log: silentLog });
  await run(database);
}

async function createAccount({ prisma }: Database): Promise<void> {
  await prisma.account.create({ data: { id: newUuid(), name: 'Ada' } });
}

/** What a Prisma statement is answered once there is no room left. */
async function fill({ prisma }: Database): Promise<unknown> {
  for (let round = 0; round < 500; round += 1) {
    try {
      await prisma.$executeRaw`INSERT INTO ballast SELECT repeat(md5(n::text), 30) FROM generate_series(1, 1000) n`;
    } catch (error) {
      return error;
    }
  }
  return null;
}
