// Writes the next migration: what prisma/schema.prisma has beyond the migrations so far. Read it before committing it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedDatabase, startEmbedded } from '../src/store/embedded.ts';
import { migrationsFolder, readMigrations } from '../src/store/migration-files.ts';
import { schemaDrift } from '../src/store/schema-drift.ts';

const [, , name = ''] = process.argv;
if (/^[a-z][a-z0-9_]*$/.test(name)) await write(name);
else end('Usage: npm run migration -- <name>, of lower-case letters, digits and underscores.');

async function write(name: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'odo-'));
  const started: EmbeddedDatabase[] = [];
  try {
    for (const folder of ['database', 'shadow']) {
      const dataDir = join(scratch, folder);
      started.push(await startEmbedded({ dataDir, onDeath: fail, onReturn: ignore }));
    }
    const [database, shadow] = started;
    if (!database || !shadow) return;
    const migrations = readMigrations(migrationsFolder);
    const sql = await schemaDrift({ migrations }, database, shadow);
    if (sql === '') {
      end('The migrations already make prisma/schema.prisma: nothing to write.');
      return;
    }
    const folder = join(migrationsFolder, `${timestamp()}_${name}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'migration.sql'), withoutSchemaStatement(sql));
    process.stdout.write(`Wrote ${join(folder, 'migration.sql')}\n`);
  } finally {
    for (const database of started) await database.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

// `CREATE SCHEMA IF NOT EXISTS` asks for a right on the database that the owner of its tables need not have.
function withoutSchemaStatement(sql: string): string {
  return sql.replace(/^-- CreateSchema\nCREATE SCHEMA IF NOT EXISTS "public";\n+/, '');
}

function timestamp(): string {
  return new Date().toISOString().slice(0, 19).replace(/\D/g, '');
}

function fail(error: Error): void {
  throw error;
}

function ignore(): void {}

function end(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
