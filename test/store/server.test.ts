import { expect, inject, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/store/client.ts';
import { isDatabaseUnavailable } from '../../src/store/database-errors.ts';
import { versionProblem } from '../../src/store/server.ts';
import {
  createServerDatabase,
  dropServerDatabase,
  removeCluster,
  runSql,
  startCluster,
  startNewCluster,
  stopCluster,
} from '../support/cluster.ts';
import { describeOnServer } from '../support/database.ts';

it('refuses a server older than PostgreSQL 15 by its version', () => {
  expect(versionProblem({ number: 140_012, text: '14.12' })).toBe(
    'The database server runs PostgreSQL 14.12; Odograph needs 15 or later.',
  );
  expect(versionProblem({ number: 150_000, text: '15.0' })).toBeNull();
});

it('says in one sentence that the server cannot be reached', async () => {
  const databaseUrl = 'postgresql://ada:secret@127.0.0.1:1/odograph';
  const opening = openDatabase({ dataDir: '', databaseUrl, log: silentLog });
  await expect(opening).rejects.toThrow(
    'The database at DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1',
  );
});

describeOnServer('a database in another time zone', () => {
  it('keeps instants as they are', async () => {
    const databaseUrl = await createServerDatabase(inject('runFolder'), 'migrated');
    const name = new URL(databaseUrl).pathname.slice(1);
    await runSql(databaseUrl, `ALTER DATABASE ${name} SET timezone = 'America/New_York'`);
    try {
      await using database = await openDatabase({ dataDir: '', databaseUrl, log: silentLog });
      // An hour that New York skipped.
      const createdAt = new Date('2026-03-08T02:30:00.123Z');
      const { id } = await database.prisma.account.create({
        data: { id: newUuid(), name: 'Ada', createdAt },
      });
      const stored = await database.pool.query<{ ms: number }>(
        'SELECT (extract(epoch FROM created_at) * 1000)::float8 AS ms FROM account WHERE id = $1',
        [id],
      );
      const read = await database.prisma.account.findUniqueOrThrow({ where: { id } });
      expect(stored.rows).toEqual([{ ms: createdAt.getTime() }]);
      expect(read.createdAt).toEqual(createdAt);
    } finally {
      await dropServerDatabase(databaseUrl);
    }
  });
});

describeOnServer('a server that goes away and comes back', () => {
  it('fails queries recognisably meanwhile and serves them afterwards', async () => {
    const cluster = await startNewCluster();
    try {
      await using database = await openDatabase({
        dataDir: '',
        databaseUrl: cluster.urlOf('postgres'),
        log: silentLog,
      });
      const { prisma, pool } = database;
      const failureOf = (promise: Promise<unknown>) =>
        promise.then(
          () => 'succeeded',
          (error: unknown) => isDatabaseUnavailable(error),
        );
      await prisma.account.create({ data: { id: newUuid(), name: 'Ada' } });
      const running = failureOf(prisma.$queryRaw`SELECT pg_sleep(600)`);
      const inTransaction = failureOf(
        prisma.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(600)`),
      );
      await waitForSleepers(pool.query.bind(pool), 2);

      await stopCluster(cluster);
      expect(await running).toBe(true);
      expect(await inTransaction).toBe(true);
      expect(await failureOf(prisma.account.count())).toBe(true);
      expect(await failureOf(prisma.$transaction((tx) => tx.account.count()))).toBe(true);
      expect(await failureOf(pool.query('SELECT 1'))).toBe(true);

      await startCluster(cluster);
      expect(await prisma.account.count()).toBe(1);
      expect(await prisma.$transaction((tx) => tx.account.count())).toBe(1);
    } finally {
      await removeCluster(cluster);
    }
  });
});

type Ask = (sql: string) => Promise<{ rows: { count: number }[] }>;

async function waitForSleepers(ask: Ask, wanted: number): Promise<void> {
  const sql = `SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(600)'`;
  for (;;) {
    const { rows } = await ask(sql);
    if (rows[0]?.count === wanted) return;
  }
}
