import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../base/package-root.ts';

/** One migration of `prisma/migrations`; the checksum is SHA-256 in hex, as `_prisma_migrations` holds it. */
export type Migration = { name: string; sql: string; checksum: string };

/** Folder of the migrations that belong to this program. */
export const migrationsFolder: string = join(packageRoot, 'prisma', 'migrations');

/** The migrations in a folder, oldest first. Throws when one lacks its `migration.sql`. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => migrationOf(name, readFileSync(join(folder, name, 'migration.sql'), 'utf8')));
}

// A checkout with other line ends is the same migration.
function migrationOf(name: string, text: string): Migration {
  const sql = text.replaceAll('\r\n', '\n');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}
