import type pg from 'pg';
import { ServiceError } from '../base/errors.ts';
import type { Migration } from './migration-files.ts';

type AppliedRow = { migration_name: string; checksum: string; finished_at: Date | null };

/**
 * The migrations a database still lacks, by a direct look at Prisma's own table. Throws when the database was made by a
 * newer program, when a migration stopped half-way or was changed since, or when the tables are somebody else's.
 */
export async function pendingMigrations(
  client: pg.ClientBase,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = await appliedMigrations(client);
  const known = new Map(migrations.map((migration) => [migration.name, migration]));

  const unknown = [...applied.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw refusal(
      `The database was made by a newer version of Odograph: it holds ${unknown.join(', ')}, which this version ` +
        'does not know. Start that version or a later one.',
    );
  }
  for (const [name, row] of applied) {
    if (row.finished_at === null) {
      throw refusal(
        `The database was left half-way through ${name} by another tool. Restore a backup, or ` +
          'finish it by hand and mark it in the table _prisma_migrations.',
      );
    }
    if (row.checksum !== known.get(name)?.checksum) {
      throw refusal(
        `The migration ${name} is not the one that was applied to the database. Use the ` +
          'prisma/migrations of the version that made the database, or a later one.',
      );
    }
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

async function appliedMigrations(client: pg.ClientBase): Promise<Map<string, AppliedRow>> {
  const tables = await client.query<{ name: string }>(
    `SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  if (!tables.rows.some(({ name }) => name === '_prisma_migrations')) {
    if (tables.rows.length > 0) {
      throw refusal(
        'The database holds tables that are not of Odograph. Give Odograph a database of its own ' +
          'with DATABASE_URL.',
      );
    }
    return new Map();
  }
  const rows = await client.query<AppliedRow>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  return new Map(rows.rows.map((row) => [row.migration_name, row]));
}

function refusal(message: string): ServiceError {
  return new ServiceError('service_unavailable', `${message} Nothing was changed.`);
}
