import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { operatorContext } from '../../src/actions/access-context.ts';
import { createIngestToken } from '../../src/actions/manage-ingest.ts';
import { systemClock } from '../../src/base/clock.ts';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/store/client.ts';
import { removeCluster, startNewCluster } from '../support/cluster.ts';

/**
 * Measures how many signals a second the built service takes over HTTP into PostgreSQL, each request committed before it is
 * answered, and reduced into drives while it goes on. Run `npm run build` first; arguments: seconds, vehicles.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** What `npm start` runs. */
const [, ...command] = scripts.start.split(' ');
const seconds = Number(process.argv[2] ?? 10);
const vehicles = Number(process.argv[3] ?? 10);
/** Records of one vehicle in a request. */
const RECORDS = 100;
/** Senders that wait for their answers, each with vehicles of its own. */
const SENDERS = 2;
const KM_PER_MILE = 1.609344;

/** A second of a drive, as a vehicle with fifteen signals sends it. */
function line(vin: string, at: number, second: number): { text: string; signals: number } {
  const kmh = 60 + 20 * Math.sin(second / 40);
  const km = 1_000 + second / 60;
  const double = (doubleValue: number) => ({ doubleValue });
  const values: Record<string, unknown> = {
    VehicleSpeed: double(kmh / KM_PER_MILE),
    Location: { locationValue: { latitude: 47 + km / 1_000, longitude: 9.5 + Math.sin(km) / 100 } },
    GpsHeading: double(second % 360),
    PackVoltage: double(380 + Math.sin(second)),
    PackCurrent: double(-40 - 10 * Math.sin(second / 7)),
    PedalPosition: double(second % 100),
    LateralAcceleration: double(Math.sin(second)),
    LongitudinalAcceleration: double(Math.cos(second)),
    Odometer: double(km / KM_PER_MILE),
    DiTorquemotor: double(Math.sin(second) * 100),
    Soc: double(80 - second / 300),
  };
  if (second % 10 === 0) values.InsideTemp = double(21);
  if (second % 10 === 0) values.OutsideTemp = double(8);
  if (second % 1_800 === 0) values.Gear = { shiftStateValue: 'ShiftStateD' };
  if (second % 1_800 === 1_700) values.Gear = { shiftStateValue: 'ShiftStateP' };
  const data = Object.entries(values).map(([key, value]) => ({ key, value }));
  const createdAt = new Date(at + second * 1_000).toISOString();
  return { text: JSON.stringify({ data, createdAt, vin, isResend: false }), signals: data.length };
}

const cluster = await startNewCluster();
const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
const databaseUrl = cluster.urlOf('postgres');
const vins = Array.from(
  { length: vehicles },
  (_, index) => `BENCH${String(index).padStart(12, '0')}`,
);
try {
  const token = await prepared();
  await using service = await started();
  const idleCpuS = await service.cpuS();
  const { baseUrl } = service;
  const startAt = Date.now() - 2 * 86_400_000;
  const from = performance.now();
  const sent = await Promise.all(
    Array.from({ length: SENDERS }, (_, index) =>
      send(
        baseUrl,
        token,
        vins.filter((_vin, place) => place % SENDERS === index),
        startAt,
      ),
    ),
  );
  const answeredMs = performance.now() - from;
  const signals = sent.reduce((sum, one) => sum + one.signals, 0);
  const records = sent.reduce((sum, one) => sum + one.records, 0);
  const left = await reducedOrLeft(records);
  const totalMs = performance.now() - from;
  const sizes = await sizesOf(['ingest_record', 'track_batch', 'vehicle_checkpoint', 'event']);
  const result = {
    node: process.version,
    load: loadavg().map((load) => Number(load.toFixed(2))),
    vehicles,
    records,
    signals,
    bytes_sent: sent.reduce((sum, one) => sum + one.bytes, 0),
    answered_signals_per_s: Math.round((signals / answeredMs) * 1_000),
    answered_and_reduced_signals_per_s: Math.round((signals / totalMs) * 1_000),
    slowest_answer_ms: Math.round(Math.max(...sent.map((one) => one.slowestMs))),
    left_in_window: left,
    stored_bytes: sizes,
    service_cpu_us_per_signal:
      Math.round((((await service.cpuS()) - idleCpuS) / signals) * 1e7) / 10,
    service_rss_mb: await service.rssMb(),
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
} finally {
  await removeCluster(cluster);
  rmSync(dataDir, { recursive: true, force: true });
}

/** A migrated database with the vehicles, and an ingest token of it. */
async function prepared(): Promise<string> {
  await using database = await openDatabase({ dataDir, databaseUrl, log: silentLog });
  const { prisma } = database;
  const accountId = newUuid();
  await prisma.account.create({ data: { id: accountId, name: 'Bench' } });
  await prisma.vehicle.createMany({
    data: vins.map((vin, index) => ({
      id: newUuid(),
      accountId,
      vin,
      publicId: `bench-${index}`,
      maker: 'bench',
    })),
  });
  const access = operatorContext(prisma, systemClock, () => {});
  return (await createIngestToken(access, { accountId, name: 'bench' })).token;
}

async function started() {
  const child = spawn(
    process.execPath,
    [...command, '--json', '--no-open', '--port', '0', '--data-dir', dataDir],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: databaseUrl,
        ODOGRAPH_GARAGE: 'off',
        ODOGRAPH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        LOG_LEVEL: 'warn',
      },
    },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for await (const text of createInterface({ input: child.stdout })) {
    if (!text.startsWith('{')) continue;
    const { restUrl } = JSON.parse(text);
    const baseUrl = new URL(restUrl).origin;
    const metric = async (name: string) => {
      const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    };
    return {
      baseUrl,
      cpuS: () => metric('process_cpu_seconds_total'),
      rssMb: async () => Math.round((await metric('process_resident_memory_bytes')) / 1_048_576),
      async [Symbol.asyncDispose]() {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('The service ended before it was ready.');
}

/** Sends batch after batch, each after the answer to the one before. */
async function send(baseUrl: string, token: string, own: readonly string[], startAt: number) {
  const sum = { records: 0, signals: 0, bytes: 0, slowestMs: 0 };
  const until = performance.now() + seconds * 1_000;
  for (let second = 0; performance.now() < until; second += RECORDS) {
    const lines = own.flatMap((vin) =>
      Array.from({ length: RECORDS }, (_, offset) => line(vin, startAt, second + offset)),
    );
    const body = lines.map(({ text }) => text).join('\n');
    const askedAt = performance.now();
    const response = await fetch(`${baseUrl}/ingest/telemetry`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` },
      body,
    });
    const answer = await response.json();
    if (answer.response?.accepted !== lines.length) throw new Error(JSON.stringify(answer));
    sum.slowestMs = Math.max(sum.slowestMs, performance.now() - askedAt);
    sum.records += lines.length;
    sum.signals += lines.reduce((count, { signals }) => count + signals, 0);
    sum.bytes += body.length;
  }
  return sum;
}

/** Waits until nothing but the last minute of each vehicle is left in the journal, and says how many records that are. */
async function reducedOrLeft(records: number): Promise<number> {
  for (;;) {
    const { rows } = await asked(
      `SELECT count(*)::int AS left, coalesce(bool_and(r.at > s.newest_at - interval '60 s'), true) AS settled
       FROM ingest_record r JOIN vehicle_stream s USING (vehicle_id) WHERE r.at > s.reduced_until`,
    );
    const [row] = rows;
    if (row?.settled === true) return row.left;
    if (records === 0) return 0;
    await sleep(100);
  }
}

async function sizesOf(tables: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await asked(
    `SELECT name, pg_total_relation_size(name::regclass)::int AS bytes FROM unnest(ARRAY['${tables.join("','")}']) AS name`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
}

async function asked(sql: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
