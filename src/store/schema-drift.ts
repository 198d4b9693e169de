import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../base/package-root.ts';
import type { DatabaseAddress } from './connections.ts';
import { type Migration, migrationsFolder } from './migration-files.ts';
import { openMigrationSession } from './migration-session.ts';
import { allTables, migrationList, openSchemaEngine } from './schema-engine.ts';

/** Where the difference to `prisma/schema.prisma` starts: the migrations, or the database itself. */
export type DriftFrom = { migrations: readonly Migration[] } | 'database';

const schemaFile = join(packageRoot, 'prisma', 'schema.prisma');

/**
 * The SQL that is missing between the migrations (or a database) and `prisma/schema.prisma`; empty when there is no
 * drift. `shadow` is an empty database in which the migrations are replayed; `database` is only looked at.
 */
export async function schemaDrift(
  from: DriftFrom,
  database: DatabaseAddress,
  shadow: DatabaseAddress,
): Promise<string> {
  const schema = { path: 'schema.prisma', content: readFileSync(schemaFile, 'utf8') };
  const session = await openMigrationSession(database, shadow);
  try {
    const engine = await openSchemaEngine(session.factory, schema.content);
    const result = await engine.diff({
      from:
        from === 'database'
          ? { tag: 'schemaDatasource', files: [schema], configDir: packageRoot }
          : { tag: 'migrations', ...migrationList(migrationsFolder, from.migrations) },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: true,
      filters: allTables,
    });
    engine.free();
    return result.exitCode === 0 ? '' : (result.stdout ?? '');
  } finally {
    await session.close();
  }
}
