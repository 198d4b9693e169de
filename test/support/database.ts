import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { type Database, openDatabase } from '../../src/store/client.ts';
import { createMigratedServerDatabase, dropServerDatabase } from './cluster.ts';
import { copyMigratedDatabase } from './embedded-template.ts';

export type Engine = 'embedded' | 'server';

/** The engine that costs a test least, for rules that do not depend on it: a server where there is one. */
export function cheapestEngine(): Engine {
  return inject('serverMissing') === null ? 'server' : 'embedded';
}

/** A database of its own for one test file, empty but migrated. */
export type ScratchDatabase = Database & {
  /** Its data folder; on a server, an empty folder that such a service would use. */
  dataDir: string;
  /** Address of the server's database; null on the embedded one. */
  databaseUrl: string | null;
  /** Every statement sent since the start, oldest first; set `length` to 0 to start anew. */
  statements: string[];
};

/** A data folder and, on a server, a database in it: what a service is started with. */
export type ScratchPlace = { dataDir: string; databaseUrl: string | null } & AsyncDisposable;

/** A migrated place for a service that opens its database itself; disposing removes it. */
export async function scratchPlace(engine: Engine): Promise<ScratchPlace> {
  // Short, because the path of a Unix socket is limited.
  const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
  if (engine === 'embedded') {
    await copyMigratedDatabase(dataDir);
  }
  const databaseUrl =
    engine === 'server' ? await createMigratedServerDatabase(inject('runFolder')) : null;
  return {
    dataDir,
    databaseUrl,
    async [Symbol.asyncDispose]() {
      rmSync(dataDir, { recursive: true, force: true });
      if (databaseUrl !== null) await dropServerDatabase(databaseUrl);
    },
  };
}

/** An open scratch database; closing it removes everything. */
export async function scratchDatabase(engine: Engine): Promise<ScratchDatabase> {
  const place = await scratchPlace(engine);
  const statements: string[] = [];
  const database = await openDatabase({
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
    log: silentLog,
    onStatement: (sql) => statements.push(sql),
  }).catch(async (error: unknown) => {
    await place[Symbol.asyncDispose]();
    throw error;
  });
  const close = async () => {
    await database.close();
    await place[Symbol.asyncDispose]();
  };
  return {
    ...database,
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
    statements,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Describes the same behaviour on both engines. Where PostgreSQL is not installed its half is skipped and says so; in
 * CI (`CI=true`) that is a failure.
 */
export function describeEachEngine(name: string, describeOn: (engine: Engine) => void): void {
  describe(`${name} (embedded)`, () => describeOn('embedded'));
  describeOnServer(name, () => describeOn('server'));
}

/** Describes what only a server can show; skipped with the reason where PostgreSQL is not installed. */
export function describeOnServer(name: string, describeIt: () => void): void {
  const missing = inject('serverMissing');
  if (missing === null) describe(`${name} (server)`, describeIt);
  else describe.skip(`${name} (server): ${missing}`, describeIt);
}
