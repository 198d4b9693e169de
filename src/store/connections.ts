import type pg from 'pg';

/** Where a database is reached: a server by its URL, or the embedded one by the folder of its socket. */
export type DatabaseAddress = { url: string } | { socketFolder: string };

const connectTimeoutMs = 10_000;
/** On the one connection of the embedded database, waiting behind a long transaction is no sign of trouble. */
const embeddedConnectTimeoutMs = 30_000;
const statementTimeoutMs = 60_000;
const idleTimeoutMs = 60_000;
/** Connections to a server; the embedded database has one (architecture §4.1). */
const serverConnections = 10;

// The Prisma adapter writes and reads instants without their zone, so a session in another zone would shift them;
// migrations name no schema.
const sessionSettings = `SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, YMD'; SET search_path = public`;

/** How the driver connects to an address; a statement ends after a minute. */
export function connectionOptions(address: DatabaseAddress): pg.PoolConfig {
  const common: pg.PoolConfig = {
    application_name: 'odograph',
    keepAlive: true,
  };
  if ('url' in address) {
    return {
      ...common,
      connectionString: address.url,
      connectionTimeoutMillis: connectTimeoutMs,
      max: serverConnections,
      idleTimeoutMillis: idleTimeoutMs,
      statement_timeout: statementTimeoutMs,
      // The driver gives up only on a server that no longer answers at all.
      query_timeout: statementTimeoutMs + 5_000,
      onConnect: (client) => client.query(sessionSettings),
    };
  }
  return {
    ...common,
    host: address.socketFolder,
    connectionTimeoutMillis: embeddedConnectTimeoutMs,
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
    // The embedded database has no timer of its own.
    query_timeout: statementTimeoutMs,
    onConnect: enterEmbeddedSession,
  };
}

// Every connection to the embedded database meets the one session there is, with what the last one prepared in it.
async function enterEmbeddedSession(client: pg.ClientBase): Promise<void> {
  await client.query('DISCARD ALL');
  await client.query(sessionSettings);
}
