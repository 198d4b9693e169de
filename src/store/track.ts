import { MINUTE_MS } from '../base/units.ts';
import type { Sample } from '../contract/samples.ts';
import type { Prisma, PrismaClient } from './generated/prisma/client.ts';
import { packSamples, unpackSamples } from './track-codec.ts';
import { packDetail } from './track-detail.ts';
import { upsertRows } from './upsert.ts';

type Reads = Pick<PrismaClient, 'trackBatch'> | Prisma.TransactionClient;

/** Samples kept in one row at most. */
const LARGEST_BATCH = 4_000;
/** A longer silence than this ends a batch. */
const LONGEST_GAP_MS = 15 * MINUTE_MS;

/** The samples of a vehicle from `fromMs` to `toMs`, both inclusive, in time order. */
export async function readSamples(
  prisma: Reads,
  vehicleId: string,
  fromMs: number,
  toMs: number,
): Promise<Sample[]> {
  const batches = await prisma.trackBatch.findMany({
    where: { vehicleId, startedAt: { lte: new Date(toMs) }, endedAt: { gte: new Date(fromMs) } },
    select: { data: true },
    orderBy: { startedAt: 'asc' },
  });
  const samples = batches.flatMap((batch) => unpackSamples(batch.data));
  return inOrder(samples).filter((sample) => sample.at >= fromMs && sample.at <= toMs);
}

/**
 * Writes samples as batches, cut where nothing was heard for a while, so that a batch holds about one drive or charge; one
 * that begins at the first instant of a stored batch joins it.
 */
export async function appendSamples(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  samples: readonly Sample[],
): Promise<void> {
  const cut = batchesOf(inOrder(samples));
  const starts = cut.flatMap(({ 0: first }) => (first === undefined ? [] : [new Date(first.at)]));
  if (starts.length === 0) return;
  const stored = await tx.trackBatch.findMany({
    where: { vehicleId, startedAt: { in: starts } },
    select: { startedAt: true, data: true },
  });
  const storedAt = new Map(stored.map((batch) => [batch.startedAt.getTime(), batch.data]));
  const rows = cut.flatMap((batch) => rowOf(vehicleId, batch, storedAt));
  await upsertRows(tx, 'track_batch', rows);
}

/** Forgets the samples of a vehicle after `afterMs`, and up to `untilMs` inclusive where that is given. */
export async function dropSamples(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  afterMs: number,
  untilMs: number = Number.POSITIVE_INFINITY,
): Promise<void> {
  const range = {
    vehicleId,
    endedAt: { gt: new Date(afterMs) },
    ...(untilMs === Number.POSITIVE_INFINITY ? {} : { startedAt: { lte: new Date(untilMs) } }),
  };
  // Only those at either end hold anything that stays.
  const batches = await tx.trackBatch.findMany({
    where: {
      AND: [
        range,
        {
          OR: [
            { startedAt: { lte: new Date(afterMs) } },
            ...(untilMs === Number.POSITIVE_INFINITY
              ? []
              : [{ endedAt: { gt: new Date(untilMs) } }]),
          ],
        },
      ],
    },
  });
  await tx.trackBatch.deleteMany({ where: range });
  const kept = batches.flatMap((batch) => unpackSamples(batch.data));
  for (const part of [
    kept.filter((sample) => sample.at <= afterMs),
    kept.filter((sample) => sample.at > untilMs),
  ]) {
    await appendSamples(tx, vehicleId, part);
  }
}

/** Joins the batches of a stretch into few, once nothing is added to it any more. */
export async function sealTrack(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  fromMs: number,
  toMs: number,
): Promise<void> {
  const range = { vehicleId, startedAt: { gte: new Date(fromMs), lte: new Date(toMs) } };
  const batches = await tx.trackBatch.findMany({
    where: range,
    select: { data: true },
    orderBy: { startedAt: 'asc' },
  });
  if (batches.length < 2) return;
  await tx.trackBatch.deleteMany({ where: range });
  const samples = batches.flatMap((batch) => unpackSamples(batch.data));
  await appendSamples(tx, vehicleId, samples);
}

function rowOf(
  vehicleId: string,
  batch: readonly Sample[],
  storedAt: ReadonlyMap<number, Uint8Array>,
) {
  const first = batch[0];
  if (first === undefined) return [];
  const stored = storedAt.get(first.at);
  const all = stored === undefined ? batch : inOrder([...unpackSamples(stored), ...batch]);
  const last = all.at(-1) ?? first;
  const detail = packDetail(all);
  return [
    {
      vehicleId,
      startedAt: first.at,
      endedAt: last.at,
      count: all.length,
      data: byteaOf(packSamples(all)),
      detail: detail === null ? null : byteaOf(detail),
    },
  ];
}

/** Bytes as PostgreSQL reads them from a text. */
function byteaOf(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

function batchesOf(samples: readonly Sample[]): Sample[][] {
  const batches: Sample[][] = [];
  let open: Sample[] = [];
  for (const sample of samples) {
    const last = open.at(-1);
    if (
      last !== undefined &&
      (sample.at - last.at > LONGEST_GAP_MS || open.length === LARGEST_BATCH)
    ) {
      batches.push(open);
      open = [];
    }
    open.push(sample);
  }
  batches.push(open);
  return batches;
}

/** In time order, of several samples at one instant the last. */
function inOrder(samples: readonly Sample[]): Sample[] {
  const byTime = new Map(samples.map((sample) => [sample.at, sample]));
  return [...byTime.values()].sort((a, b) => a.at - b.at);
}
