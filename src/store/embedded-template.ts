import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../base/package-root.ts';
import { migrationsFolder, readMigrations } from './migration-files.ts';

/**
 * Setting up the embedded database takes seconds, copying one that is set up does not: the build makes one without a row and
 * keeps it here, with a key that says which migrations and which engine it was made with.
 */
const templateFolder = join(packageRoot, '.build', 'database-template');
const enginePackage = join(packageRoot, 'node_modules/@electric-sql/pglite/package.json');

/** Gives a data folder without a database the one the build made; does nothing where that is missing or of another make. */
export function layDatabaseTemplate(dataDir: string): void {
  const database = join(dataDir, 'database');
  if (existsSync(database) || !isCurrent()) return;
  // Under another name until it is whole: a copy that breaks off is never taken for a database.
  const copy = `${database}.new`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(templateFolder, 'database'), copy, { recursive: true });
  renameSync(copy, database);
}

/** Makes the template by `make`, which sets up a database in a data folder; does nothing while the present one is current. */
export async function keepDatabaseTemplate(
  make: (dataDir: string) => Promise<void>,
): Promise<void> {
  if (isCurrent()) return;
  rmSync(templateFolder, { recursive: true, force: true });
  await make(templateFolder);
  writeFileSync(join(templateFolder, 'key'), currentKey());
}

function isCurrent(): boolean {
  const keyFile = join(templateFolder, 'key');
  return existsSync(keyFile) && readFileSync(keyFile, 'utf8') === currentKey();
}

function currentKey(): string {
  const made = readMigrations(migrationsFolder).map(({ name, checksum }) => `${name} ${checksum}`);
  const hash = createHash('sha256').update(readFileSync(enginePackage));
  return hash.update(made.join('\n')).digest('hex');
}
