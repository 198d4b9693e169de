import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { migrate } from '../../src/store/migrate.ts';
import { migrationsFolder, readMigrations } from '../../src/store/migration-files.ts';
import { type BareDatabase, bareDatabase } from '../support/bare-database.ts';
import { describeEachEngine, describeOnServer } from '../support/database.ts';

const names = readMigrations(migrationsFolder).map(({ name }) => name);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'odo-'));
  cpSync(migrationsFolder, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (database: BareDatabase) => migrate(database.address, silentLog, folder);

function write(name: string, sql: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'migration.sql'), sql);
}

describeEachEngine('migrating an empty database', (engine) => {
  it('applies every migration once', async () => {
    await using database = await bareDatabase(engine, 'empty');
    expect(await run(database)).toEqual(names);
    expect(await run(database)).toEqual([]);
    expect(await database.ask('SELECT id FROM drive')).toEqual([]);
  });

  it("refuses one that holds somebody else's tables", async () => {
    await using database = await bareDatabase(engine, 'empty');
    await database.ask('CREATE TABLE invoice (id INT)');
    await expect(run(database)).rejects.toThrow(
      'The database holds tables that are not of Odograph',
    );
    expect(await database.ask(`SELECT to_regclass('drive') AS drive`)).toEqual([{ drive: null }]);
  });
});

describeEachEngine('migrating the database of another version', (engine) => {
  let database: BareDatabase;
  beforeEach(async () => {
    database = await bareDatabase(engine, 'migrated');
  });
  afterEach(() => database[Symbol.asyncDispose]());

  it('applies what is new', async () => {
    write('99990101000000_more', 'CREATE TABLE "more" ("id" INT);');
    expect(await run(database)).toEqual(['99990101000000_more']);
    expect(await database.ask('SELECT id FROM more')).toEqual([]);
  });

  it('leaves the database as it was when a migration fails in its middle', async () => {
    write('99990101000000_good', 'CREATE TABLE "good" ("id" INT);');
    write(
      '99990102000000_bad',
      'CREATE TABLE "half" ("id" INT);\nCREATE TABLE "drive" ("id" INT);',
    );
    await expect(run(database)).rejects.toThrow(
      'The database could not be updated and is as it was: relation "drive" already exists',
    );
    const found = await database.ask(
      `SELECT to_regclass('good') AS good, to_regclass('half') AS half`,
    );
    expect(found).toEqual([{ good: null, half: null }]);
  });

  it('goes on once a failed migration has been mended', async () => {
    write('99990101000000_mended', 'CREATE TABLE "drive" ("id" INT);');
    await expect(run(database)).rejects.toThrow(ServiceError);
    write('99990101000000_mended', 'CREATE TABLE "mended" ("id" INT);');
    expect(await run(database)).toEqual(['99990101000000_mended']);
  });

  it('refuses a newer one and changes nothing', async () => {
    write('99990101000000_newer', 'CREATE TABLE "newer" ("id" INT);');
    await run(database);
    rmSync(join(folder, '99990101000000_newer'), { recursive: true });
    write('99980101000000_ours', 'DROP TABLE "newer";');
    await expect(run(database)).rejects.toThrow(
      'made by a newer version of Odograph: it holds 99990101000000_newer',
    );
    expect(await database.ask('SELECT id FROM newer')).toEqual([]);
  });

  it('refuses migrations that were changed after they were applied', async () => {
    const [first = ''] = names;
    write(first, 'SELECT 1;');
    await expect(run(database)).rejects.toThrow(`${first} is not the one that was applied`);
  });

  it('refuses what another tool left half-way', async () => {
    await database.ask('UPDATE _prisma_migrations SET finished_at = NULL');
    await expect(run(database)).rejects.toThrow('The database was left half-way');
  });
});

describe('reading migrations', () => {
  it('takes other line ends for the same migration', () => {
    write('99990101000000_more', 'SELECT 1;\nSELECT 2;\n');
    const before = readMigrations(folder);
    write('99990101000000_more', 'SELECT 1;\r\nSELECT 2;\r\n');
    expect(readMigrations(folder)).toEqual(before);
  });
});

describeOnServer('services starting at once', () => {
  it('share the work without an error', async () => {
    await using database = await bareDatabase('server', 'empty');
    const applied = await Promise.all([run(database), run(database), run(database)]);
    expect(applied.flat()).toEqual(names);
  });
});
