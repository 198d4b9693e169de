import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { connectionOptions, type DatabaseAddress } from '../../src/store/connections.ts';
import { startEmbedded } from '../../src/store/embedded.ts';
import { createServerDatabase, dropServerDatabase } from './cluster.ts';
import type { Engine } from './database.ts';
import { copyBlankDatabase, copyMigratedDatabase } from './embedded-template.ts';

/** A database without a client of the service; disposing removes it. */
export type BareDatabase = AsyncDisposable & {
  address: DatabaseAddress;
  /** Rows of one statement, over a connection of its own. */
  ask(sql: string): Promise<unknown[]>;
};

/** A database of either kind that is empty, or migrated and without a row. */
export async function bareDatabase(
  engine: Engine,
  content: 'empty' | 'migrated',
): Promise<BareDatabase> {
  const { address, remove } = await (engine === 'server' ? onServer(content) : embedded(content));
  return {
    address,
    async ask(sql) {
      const pool = new pg.Pool({ ...connectionOptions(address), max: 1 });
      // The database may be dropped while the connection is still on its way out.
      pool.on('error', () => {});
      try {
        return (await pool.query(sql)).rows;
      } finally {
        await pool.end();
      }
    },
    [Symbol.asyncDispose]: remove,
  };
}

type Made = { address: DatabaseAddress; remove: () => Promise<void> };

async function onServer(content: 'empty' | 'migrated'): Promise<Made> {
  const template = content === 'empty' ? 'template0' : 'migrated';
  const url = await createServerDatabase(inject('runFolder'), template);
  return { address: { url }, remove: () => dropServerDatabase(url) };
}

async function embedded(content: 'empty' | 'migrated'): Promise<Made> {
  const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
  await (content === 'empty' ? copyBlankDatabase(dataDir) : copyMigratedDatabase(dataDir));
  const database = await startEmbedded({ dataDir, onDeath() {}, onReturn() {} });
  return {
    address: { socketFolder: database.socketFolder },
    async remove() {
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
