import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { MINUTE_MS } from '../../src/base/units.ts';
import type { Sample } from '../../src/contract/samples.ts';
import { carSpecs } from '../../src/simulator/garage.ts';
import { openDatabase } from '../../src/store/client.ts';
import { appendSamples, sealTrack } from '../../src/store/track.ts';
import { copyMigratedDatabase } from '../support/embedded-template.ts';
import { simulatedDrives } from './simulated-drives.ts';

/**
 * Measures what a stored sample of eleven signals costs, from the rows of a real database: simulated drives of both cars of the
 * garage with 1 m of noise on every position, written a minute at a time as a stream is, then sealed. Argument: days of driving.
 */

const days = Number(process.argv[2] ?? 14);
const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
await copyMigratedDatabase(dataDir);
const database = await openDatabase({ dataDir, databaseUrl: null, log: silentLog });
const { prisma } = database;

/** Stores drives as they come in: a batch a minute, sealed at the end of each. */
async function store(vehicleId: string, drives: readonly Sample[][]): Promise<void> {
  for (const drive of drives) {
    const [first, last] = [drive[0], drive.at(-1)];
    if (first === undefined || last === undefined) continue;
    await prisma.$transaction(async (tx) => {
      for (const samples of byMinute(drive).values()) await appendSamples(tx, vehicleId, samples);
      await sealTrack(tx, vehicleId, first.at, last.at);
    });
  }
}

function byMinute(drive: readonly Sample[]): Map<number, Sample[]> {
  const minutes = new Map<number, Sample[]>();
  for (const sample of drive) {
    const minute = Math.floor(sample.at / MINUTE_MS);
    minutes.set(minute, [...(minutes.get(minute) ?? []), sample]);
  }
  return minutes;
}

type Sizes = { rows: number; samples: number; data: number; detail: number; row: number };

try {
  const account = await prisma.account.create({ data: { id: newUuid(), name: 'Bench' } });
  const results = [];
  for (const seconds of [1, 10]) {
    await prisma.trackBatch.deleteMany();
    let drives = 0;
    for (const spec of carSpecs) {
      const vehicle = await prisma.vehicle.create({
        data: {
          id: newUuid(),
          accountId: account.id,
          vin: `${spec.vin.slice(0, 12)}${seconds}`,
          publicId: `${spec.key}-${seconds}`,
          maker: 'bench',
        },
      });
      const driven = simulatedDrives(spec, { seconds, days, noiseM: 1 });
      drives += driven.length;
      await store(vehicle.id, driven);
    }
    await prisma.$executeRawUnsafe('VACUUM FULL track_batch');
    const [size] = await prisma.$queryRaw<Sizes[]>`
      SELECT count(*)::int AS rows, sum(count)::int AS samples, sum(octet_length(data))::float8 AS data,
        coalesce(sum(octet_length(detail)), 0)::float8 AS detail,
        pg_total_relation_size('track_batch')::float8 AS row
      FROM track_batch`;
    if (size === undefined) throw new Error('Nothing was stored.');
    const each = (bytes: number) => Number((bytes / size.samples).toFixed(2));
    results.push({
      seconds_between_samples: seconds,
      drives,
      rows: size.rows,
      samples: size.samples,
      data_bytes_per_sample: each(size.data),
      detail_bytes_per_sample: each(size.detail),
      stored_bytes_per_sample: each(size.data + size.detail),
      table_and_indexes_bytes_per_sample: each(size.row),
    });
  }
  process.stdout.write(`${JSON.stringify({ node: process.version, days, results }, null, 2)}\n`);
} finally {
  await database.close();
  rmSync(dataDir, { recursive: true, force: true });
}
