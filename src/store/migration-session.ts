import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { connectionOptions, type DatabaseAddress } from './connections.ts';

/** One connection for the schema engine; everything the engine does goes through `client`, in one session. */
export type MigrationSession = {
  client: pg.PoolClient;
  factory: SqlMigrationAwareDriverAdapterFactory;
  /** What the first script that failed was answered; the engine hides it behind the failures that follow. */
  scriptError(): unknown;
  close(): Promise<void>;
};

/** A migration may take its time, but not for ever. */
const migrationTimeoutMs = 10 * 60_000;

const internalCharOid = 18;
const textOid = 25;

/**
 * Connects the schema engine to a database; `shadow` is an empty one, needed only to replay migrations. Two faults of
 * the stock adapter are made good: it cannot read the catalogue's "char" type (versions.md, trap 5), and it cuts scripts
 * at every semicolon. Throws when the database cannot be reached.
 */
export async function openMigrationSession(
  address: DatabaseAddress,
  shadow: DatabaseAddress | null = null,
): Promise<MigrationSession> {
  const pool = new pg.Pool({
    ...connectionOptions(address),
    max: 1,
    statement_timeout: migrationTimeoutMs,
    query_timeout: migrationTimeoutMs,
  });
  // The loss of the connection reaches the engine through the statement it waits for.
  pool.on('error', ignore);
  const client = await pool.connect().catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  client.on('error', ignore);

  const charColumns = answerThrough(pool, client);
  let firstScriptError: unknown = null;
  const executeScript = async (script: string) => {
    try {
      await client.query(script);
    } catch (error) {
      firstScriptError ??= error;
      throw error;
    }
  };
  return {
    client,
    factory: {
      provider: 'postgres',
      adapterName: '@prisma/adapter-pg',
      connect: () => connectEngine(pool, charColumns, executeScript),
      connectToShadowDb: () => connectToShadow(shadow),
    },
    scriptError: () => firstScriptError,
    async close() {
      client.release();
      await pool.end();
    },
  };
}

/**
 * Lets the pool, which is what the stock adapter asks, answer through the one client that holds the transaction, and
 * calls "char" columns text. Returns which columns of the last answer were "char".
 */
function answerThrough(pool: pg.Pool, client: pg.PoolClient): () => readonly number[] {
  let charColumns: number[] = [];
  Object.defineProperty(pool, 'query', {
    value: async (config: pg.QueryConfig) => {
      const result = await client.query(config);
      charColumns = [];
      for (const [index, field] of result.fields.entries()) {
        if (field.dataTypeID !== internalCharOid) continue;
        field.dataTypeID = textOid;
        charColumns.push(index);
      }
      return result;
    },
  });
  return () => charColumns;
}

async function connectEngine(
  pool: pg.Pool,
  charColumns: () => readonly number[],
  executeScript: (script: string) => Promise<void>,
): Promise<SqlDriverAdapter> {
  const inner = await new PrismaPg(pool).connect();
  return {
    provider: inner.provider,
    adapterName: inner.adapterName,
    async queryRaw(query) {
      const result = await inner.queryRaw(query);
      // The engine asks one thing at a time. As text alone these columns would make it panic.
      for (const index of charColumns()) result.columnTypes[index] = ColumnTypeEnum.Character;
      return result;
    },
    executeRaw: (query) => inner.executeRaw(query),
    executeScript,
    startTransaction: (level) => inner.startTransaction(level),
    getConnectionInfo: () => inner.getConnectionInfo(),
    dispose: () => inner.dispose(),
  };
}

async function connectToShadow(shadow: DatabaseAddress | null): Promise<SqlDriverAdapter> {
  if (shadow === null) throw new Error('This needs a second, empty database.');
  const session = await openMigrationSession(shadow);
  const adapter = await session.factory.connect();
  return { ...adapter, dispose: () => session.close() };
}

function ignore(): void {}
