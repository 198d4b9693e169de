import { createHash, randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { openDatabase } from '../../src/store/client.ts';
import { startEmbedded } from '../../src/store/embedded.ts';
import { migrationsFolder, readMigrations } from '../../src/store/migration-files.ts';

// The first start of the embedded database takes seconds: it is done once per version and kept beside the packages.
const cacheFolder = join(packageRoot, 'node_modules', '.cache', 'odograph-test');
const pglitePackage = join(packageRoot, 'node_modules/@electric-sql/pglite/package.json');

/** Puts a migrated database without a row into a data folder. */
export async function copyMigratedDatabase(dataDir: string): Promise<void> {
  const state = readMigrations(migrationsFolder).map(({ name, checksum }) => name + checksum);
  await copyTemplate('migrated', state.join(), dataDir, async (folder) => {
    const database = await openDatabase({ dataDir: folder, log: silentLog });
    await database.close();
  });
}

/** Puts a database without a table into a data folder. */
export async function copyBlankDatabase(dataDir: string): Promise<void> {
  await copyTemplate('blank', '', dataDir, async (folder) => {
    const embedded = await startEmbedded({ dataDir: folder, onDeath() {}, onReturn() {} });
    await embedded.stop();
  });
}

async function copyTemplate(
  name: string,
  state: string,
  dataDir: string,
  make: (folder: string) => Promise<void>,
): Promise<void> {
  const key = createHash('sha256').update(readFileSync(pglitePackage)).update(state).digest('hex');
  const template = join(cacheFolder, `${name}-${key.slice(0, 16)}`);
  if (!existsSync(template)) await keepTemplate(template, make);
  cpSync(join(template, 'database'), join(dataDir, 'database'), { recursive: true });
}

async function keepTemplate(
  template: string,
  make: (folder: string) => Promise<void>,
): Promise<void> {
  const made = mkdtempSync(join(tmpdir(), 'odo-'));
  // Copied under another name first: a run beside this one must never see half a template.
  const copy = `${template}.${randomBytes(4).toString('hex')}`;
  try {
    await make(made);
    mkdirSync(cacheFolder, { recursive: true });
    cpSync(made, copy, { recursive: true });
    renameSync(copy, template);
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
