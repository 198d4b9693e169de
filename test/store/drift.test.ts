import { expect, it } from 'vitest';
import { migrationsFolder, readMigrations } from '../../src/store/migration-files.ts';
import { schemaDrift } from '../../src/store/schema-drift.ts';
import { bareDatabase } from '../support/bare-database.ts';
import { describeEachEngine, describeOnServer } from '../support/database.ts';

const oneTooMany = 'ALTER TABLE "drive" ADD COLUMN "one_too_many" INTEGER;';
const dropped = 'ALTER TABLE "drive" DROP COLUMN "one_too_many";';

describeEachEngine('the migrations', (engine) => {
  it('make what prisma/schema.prisma declares, no more and no less', async () => {
    await using database = await bareDatabase(engine, 'empty');
    await using shadow = await bareDatabase(engine, 'empty');
    const migrations = readMigrations(migrationsFolder);
    expect(await schemaDrift({ migrations }, database.address, shadow.address)).toBe('');
  });
});

// That it sees a difference at all does not depend on the engine; below it does so on both.
describeOnServer('the migrations', () => {
  it('are seen to differ from prisma/schema.prisma when they do', async () => {
    await using database = await bareDatabase('server', 'empty');
    await using shadow = await bareDatabase('server', 'empty');
    const last = { name: '99990101000000_last', sql: oneTooMany, checksum: '' };
    const migrations = [...readMigrations(migrationsFolder), last];
    expect(await schemaDrift({ migrations }, database.address, shadow.address)).toContain(dropped);
  });
});

describeEachEngine('a migrated database', (engine) => {
  it('is what prisma/schema.prisma declares, until somebody changes it', async () => {
    await using database = await bareDatabase(engine, 'migrated');
    await using shadow = await bareDatabase(engine, 'empty');
    expect(await schemaDrift('database', database.address, shadow.address)).toBe('');
    await database.ask(oneTooMany);
    expect(await schemaDrift('database', database.address, shadow.address)).toContain(dropped);
  });
});
