import type pg from 'pg';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { DatabaseAddress } from './connections.ts';
import { type Migration, migrationsFolder, readMigrations } from './migration-files.ts';
import { type MigrationSession, openMigrationSession } from './migration-session.ts';
import { pendingMigrations } from './migration-state.ts';
import { allTables, migrationList, openSchemaEngine } from './schema-engine.ts';

/** Key of the PostgreSQL advisory lock that services starting on one database at once take in turn. */
const advisoryLockKey = 4_715_023_608;

/**
 * Brings a database to the schema of this program and returns the names of the migrations it applied. All of them are
 * one transaction: when one fails, or the process dies, the database is as it was. Throws when it was made by a newer
 * program, or holds somebody else's tables.
 */
export async function migrate(
  address: DatabaseAddress,
  log: Log,
  folder: string = migrationsFolder,
): Promise<string[]> {
  const migrations = readMigrations(folder);
  const session = await openMigrationSession(address);
  try {
    if ((await pendingMigrations(session.client, migrations)).length === 0) return [];
    return await applyInTransaction(session, migrations, folder, log);
  } finally {
    await session.close();
  }
}

async function applyInTransaction(
  session: MigrationSession,
  migrations: readonly Migration[],
  folder: string,
  log: Log,
): Promise<string[]> {
  const { client } = session;
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLockKey]);
    const pending = await pendingMigrations(client, migrations);
    if (pending.length > 0) {
      log.info({ migrations: pending.map(({ name }) => name) }, 'Updating the database.');
      await apply(session, migrations, folder);
    }
    await client.query('COMMIT');
    return pending.map(({ name }) => name);
  } catch (error) {
    await rollBack(client);
    throw error;
  }
}

async function apply(
  session: MigrationSession,
  migrations: readonly Migration[],
  folder: string,
): Promise<void> {
  try {
    const engine = await openSchemaEngine(session.factory);
    await engine.applyMigrations({
      migrationsList: migrationList(folder, migrations),
      filters: allTables,
    });
    engine.free();
  } catch (error) {
    const cause = session.scriptError() ?? error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError(
      'service_unavailable',
      `The database could not be updated and is as it was: ${reason}`,
      { cause },
    );
  }
}

// A connection that is gone has rolled back by itself.
async function rollBack(client: pg.ClientBase): Promise<void> {
  await client.query('ROLLBACK').catch(() => {});
}
