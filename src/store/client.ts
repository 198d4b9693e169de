import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { within } from '../base/disposables.ts';
import type { Log } from '../base/log.ts';
import { connectionOptions, type DatabaseAddress } from './connections.ts';
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './embedded.ts';
import { type EventCommits, eventCommits } from './event-commits.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { migrate } from './migrate.ts';
import { checkServer } from './server.ts';
import { optimizeWasmLate } from './wasm-tiers.ts';

/** An open database, migrated and ready; `close()` or `await using` ends it. */
export type Database = AsyncDisposable & {
  prisma: PrismaClient;
  /** For statements that Prisma cannot write; on the embedded database it holds one connection. */
  pool: pg.Pool;
  /** Calls a listener after every commit of this process that held events; returns how to stop. */
  onEvents: EventCommits['listen'];
  engine: 'embedded' | 'server';
  close(): Promise<void>;
};

export type DatabaseOptions = {
  /** Data folder; its lock is held by the caller (`lockDataDir`). */
  dataDir: string;
  /** A PostgreSQL server of one's own, version 15 or later; the embedded database when null or left out. */
  databaseUrl?: string | null;
  log: Log;
  /** Sees the text of every statement sent, those of transactions (BEGIN, COMMIT) too. */
  onStatement?: (sql: string) => void;
};

/** How long a transaction waits for its connection, and how long it may run [ms]. */
const transactionOptions = { maxWait: 15_000, timeout: 30_000 };
/** How long statements under way may still take when the database is closed. */
const closeTimeoutMs = 10_000;
/** Statements that one connection keeps prepared; beyond them texts go unnamed, so that memory stays bounded. */
const namedStatementsMax = 500;

/**
 * Opens the database, brings it to the schema of this program and hands out its client. Throws with a sentence for the
 * operator when it cannot. When a database goes away later, its queries fail (`isDatabaseUnavailable`) until it is back;
 * the embedded one is started again for as long as it takes. A transaction must do all its work with its own client: asking the outer one inside waits
 * for a second connection, which the embedded database does not have, until Prisma gives up with P2028 (versions.md,
 * trap 9).
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  optimizeWasmLate();
  const embedded = options.databaseUrl ? null : await startEmbedded(embeddedOptions(options));
  try {
    const address = embedded ?? { url: options.databaseUrl ?? '' };
    if ('url' in address) await checkServer(address.url);
    await migrate(address, options.log);
    return connect(address, embedded, options);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

function embeddedOptions({ dataDir, log }: DatabaseOptions): EmbeddedOptions {
  return {
    dataDir,
    onDeath(error, retryInMs) {
      log.error({ err: error, retryInMs }, 'The embedded database died and will be started again.');
    },
    onReturn() {
      log.info('The embedded database is back.');
    },
  };
}

function connect(
  address: DatabaseAddress,
  embedded: EmbeddedDatabase | null,
  options: DatabaseOptions,
): Database {
  const pool = new pg.Pool(connectionOptions(address));
  pool.on('error', (error) => {
    options.log.warn({ err: error }, 'A connection to the database was lost.');
  });
  const commits = eventCommits();
  pool.on('connect', commits.watch);
  const { onStatement } = options;
  if (onStatement) pool.on('connect', (client) => watchStatements(client, onStatement));

  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: statementNames() }),
    transactionOptions,
    // The usual form reads our sources from the disk to print a piece of them.
    errorFormat: 'minimal',
  });
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= closeAll(prisma, pool, embedded);
    return closing;
  };
  return {
    prisma,
    pool,
    onEvents: commits.listen,
    engine: embedded === null ? 'server' : 'embedded',
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closeAll(
  prisma: PrismaClient,
  pool: pg.Pool,
  embedded: EmbeddedDatabase | null,
): Promise<void> {
  try {
    await prisma.$disconnect();
    await within(closeTimeoutMs, pool.end(), 'Closing the connections to the database');
  } finally {
    await embedded?.stop();
  }
}

// The name follows from the text, so that it means the same on every connection and behind every connection pooler.
function statementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= namedStatementsMax) return '';
    const name = `odo_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
}

function watchStatements(client: pg.PoolClient, onStatement: (sql: string) => void): void {
  const query = client.query;
  Object.defineProperty(client, 'query', {
    value: (...args: unknown[]) => {
      const [first] = args;
      if (typeof first === 'string') onStatement(first);
      else if (typeof first === 'object' && first !== null && 'text' in first) {
        onStatement(String(first.text));
      }
      return Reflect.apply(query, client, args);
    },
  });
}
