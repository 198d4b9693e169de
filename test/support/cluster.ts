import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { silentLog } from '../../src/base/log.ts';
import { migrate } from '../../src/store/migrate.ts';

/** A throw-away PostgreSQL server on a Unix socket. */
export type Cluster = { folder: string; urlOf(database: string): string };

const debianFolder = '/usr/lib/postgresql';
const startTimeoutS = 60;
const waitTimeoutMs = 90_000;

/** Folder with `initdb` and `pg_ctl`, or null: in PATH, else the newest of Debian's. */
export function serverBinaries(): string | null {
  const inPath = (process.env.PATH ?? '').split(delimiter);
  const installed = existsSync(debianFolder)
    ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [...inPath, ...installed.map((version) => join(debianFolder, version, 'bin'))];
  return (
    folders.find(
      (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')),
    ) ?? null
  );
}

/** Makes and starts a cluster in a new folder; for root it runs as the user `postgres`, because it refuses root. */
export async function startNewCluster(parent: string = tmpdir()): Promise<Cluster> {
  const folder = mkdtempSync(join(parent, 'odo-pg-'));
  const owner = serverUser();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  await runTool(folder, 'initdb', [
    '--pgdata',
    join(folder, 'data'),
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
    '--no-instructions',
  ]);
  const cluster = clusterAt(folder);
  await startCluster(cluster);
  return cluster;
}

/** The cluster that lives in a folder. */
export function clusterAt(folder: string): Cluster {
  return {
    folder,
    urlOf: (database) =>
      `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`,
  };
}

/** Starts a stopped cluster and waits until it answers. */
export async function startCluster({ folder }: Cluster): Promise<void> {
  const options = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off -c full_page_writes=off -c shared_buffers=32MB -c max_connections=60 -c max_wal_size=256MB`;
  await runTool(folder, 'pg_ctl', [
    ...['start', '--pgdata', join(folder, 'data'), '--wait', '--timeout', `${startTimeoutS}`],
    ...['--log', join(folder, 'log'), '--options', options],
  ]);
}

/** Stops a cluster at once, as a power cut would for its clients. */
export async function stopCluster({ folder }: Cluster): Promise<void> {
  await runTool(folder, 'pg_ctl', [
    'stop',
    '--pgdata',
    join(folder, 'data'),
    '--wait',
    '--mode=immediate',
  ]);
}

/** Stops a cluster and removes its folder. */
export async function removeCluster(cluster: Cluster): Promise<void> {
  if (existsSync(join(cluster.folder, 'data', 'postmaster.pid'))) await stopCluster(cluster);
  rmSync(cluster.folder, { recursive: true, force: true });
}

/** URL of a new, migrated database in the cluster of this test run, which the first caller starts. */
export async function createMigratedServerDatabase(runFolder: string): Promise<string> {
  return createServerDatabase(runFolder, 'migrated');
}

/** URL of a new database in the cluster of this test run; empty, or a copy of the migrated one. */
export async function createServerDatabase(
  runFolder: string,
  template: 'template0' | 'migrated',
): Promise<string> {
  const cluster = await clusterOfRun(runFolder);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runSql(cluster.urlOf('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return cluster.urlOf(name);
}

/** Removes a database made by `createServerDatabase`, also under open connections. */
export async function dropServerDatabase(url: string): Promise<void> {
  const address = new URL(url);
  const name = address.pathname.slice(1);
  address.pathname = '/postgres';
  await runSql(address.href, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** Stops the cluster of a test run if any test asked for it. */
export async function removeClusterOfRun(runFolder: string): Promise<void> {
  const note = join(runFolder, 'cluster');
  if (existsSync(note)) await removeCluster(clusterAt(readFileSync(note, 'utf8')));
}

// Test files run in processes of their own: the first to make the folder starts the cluster, the others wait for the note.
async function clusterOfRun(runFolder: string): Promise<Cluster> {
  const note = join(runFolder, 'cluster');
  const failed = join(runFolder, 'cluster-failed');
  if (mkdirOnce(join(runFolder, 'cluster-starting'))) {
    try {
      const cluster = await startNewCluster();
      await runSql(cluster.urlOf('postgres'), 'CREATE DATABASE migrated TEMPLATE template0');
      await migrate({ url: cluster.urlOf('migrated') }, silentLog);
      writeFileSync(`${note}.new`, cluster.folder);
      renameSync(`${note}.new`, note);
    } catch (error) {
      writeFileSync(failed, String(error));
      throw error;
    }
  }
  const deadline = Date.now() + waitTimeoutMs;
  while (!existsSync(note)) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    if (Date.now() > deadline) throw new Error('The PostgreSQL server of the tests did not start.');
    await sleep(50);
  }
  return clusterAt(readFileSync(note, 'utf8'));
}

function mkdirOnce(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Runs one statement over a connection of its own. */
export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'));
  if (line === undefined)
    throw new Error('PostgreSQL does not run as root, and there is no user postgres.');
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function runTool(folder: string, tool: 'initdb' | 'pg_ctl', args: string[]): Promise<void> {
  const binaries = serverBinaries();
  if (binaries === null) throw new Error('PostgreSQL is not installed: no initdb and pg_ctl.');
  const outputFile = join(folder, `${tool}.out`);
  // To a file, because the server inherits what pg_ctl has open, and a pipe would never end.
  const output = openSync(outputFile, 'w');
  const child = spawn(join(binaries, tool), args, {
    stdio: ['ignore', output, output],
    cwd: tmpdir(),
    ...serverUser(),
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  closeSync(output);
  if (code !== 0)
    throw new Error(`${tool} ended with ${code}: ${readFileSync(outputFile, 'utf8')}`);
}
