import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { importHistory } from '../../src/ingest/import-history.ts';
import { newCar } from '../../src/simulator/car.ts';
import { carSpecs } from '../../src/simulator/garage.ts';
import { recordCar } from '../../src/simulator/history.ts';
import type { Car } from '../../src/simulator/state.ts';
import { openDatabase } from '../../src/store/client.ts';
import type { PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { removeCluster, startNewCluster } from '../support/cluster.ts';

/**
 * Measures whether memory stays flat: ten simulated vehicles live through a year, and what a poller would have been answered goes
 * through the reducer into a throw-away PostgreSQL, a commit per vehicle and day. Run with `--expose-gc`; argument: days.
 */

const days = Number(process.argv[2] ?? 365);
const VEHICLES = 10;
const START = Date.parse('2025-11-01T00:00:00Z');
const MB = 1024 * 1024;

type Follow = { car: Car; vehicleId: string };
type Mark = { day: number; heap_mb: number; rss_mb: number };

const { gc } = globalThis;
if (gc === undefined)
  throw new Error('Run it with --expose-gc: without it, garbage is counted too.');

const cluster = await startNewCluster();
const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
const database = await openDatabase({
  dataDir,
  databaseUrl: cluster.urlOf('postgres'),
  log: silentLog,
});
try {
  const follows = await prepared(database.prisma);
  const marks: Mark[] = [];
  let polls = 0;
  const from = performance.now();
  for (let day = 1; day <= days; day += 1) {
    for (const follow of follows)
      polls += await live(database.prisma, follow, START + day * DAY_MS);
    if (day % 30 === 0 || day === days) marks.push(mark(day));
  }
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) throw new Error('Give 30 days at least.');
  const highest = Math.max(...marks.map(({ heap_mb }) => heap_mb));
  const result = {
    node: process.version,
    load: loadavg().map((load) => Number(load.toFixed(2))),
    vehicles: VEHICLES,
    days,
    polls,
    seconds: Math.round((performance.now() - from) / 1_000),
    rows: {
      drives: await database.prisma.drive.count(),
      charges: await database.prisma.charge.count(),
      parked_spans: await database.prisma.parkedSpan.count(),
    },
    marks,
    heap_growth_mb: round(highest - first.heap_mb),
    rss_growth_mb: round(last.rss_mb - first.rss_mb),
    reached: highest - first.heap_mb < 50,
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (!result.reached) process.exitCode = 1;
} finally {
  await database.close();
  await removeCluster(cluster);
  rmSync(dataDir, { recursive: true, force: true });
}

async function prepared(prisma: PrismaClient): Promise<Follow[]> {
  const accountId = newUuid();
  await prisma.account.create({ data: { id: accountId, name: 'Bench' } });
  const follows: Follow[] = [];
  for (let index = 0; index < VEHICLES; index += 1) {
    const spec = carSpecs[index % carSpecs.length];
    if (spec === undefined) throw new Error('The garage has no car.');
    const vehicleId = newUuid();
    const vin = `BENCH${String(index).padStart(12, '0')}`;
    await prisma.vehicle.create({
      data: { id: vehicleId, accountId, vin, publicId: `bench-${index}`, maker: 'bench' },
    });
    const car = newCar({ ...spec, vin }, { seed: `year-${index}`, atMs: START, showings: [] });
    follows.push({ car, vehicleId });
  }
  return follows;
}

/** Lets a car live until `untilMs` and stores what was told of it; returns how many answers that were. */
async function live(
  prisma: PrismaClient,
  { car, vehicleId }: Follow,
  untilMs: number,
): Promise<number> {
  const { lines } = await importHistory(prisma, vehicleId, recordCar(car, untilMs));
  return lines;
}

function mark(day: number): Mark {
  gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const made = { day, heap_mb: round(heapUsed / MB), rss_mb: round(rss / MB) };
  process.stderr.write(`${JSON.stringify(made)}\n`);
  return made;
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
