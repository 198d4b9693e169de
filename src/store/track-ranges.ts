import type { Sample } from '../contract/samples.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import { unpackSamples } from './track-codec.ts';

/** A stretch of a vehicle's track, both ends inclusive, in epoch ms. */
export type TrackRange = { vehicleId: string; fromMs: number; toMs: number };

/** The samples of several stretches in one statement, each in time order; of two at one instant the later batch's. */
export async function readSampleRanges(
  prisma: Pick<PrismaClient, 'trackBatch'>,
  ranges: readonly TrackRange[],
): Promise<Sample[][]> {
  const batches = await prisma.trackBatch.findMany({
    where: {
      OR: ranges.map(({ vehicleId, fromMs, toMs }) => ({
        vehicleId,
        startedAt: { lte: new Date(toMs) },
        endedAt: { gte: new Date(fromMs) },
      })),
    },
    select: { vehicleId: true, startedAt: true, endedAt: true, data: true },
    orderBy: { startedAt: 'asc' },
  });
  const unpacked = batches.map(({ vehicleId, startedAt, endedAt, data }) => ({
    vehicleId,
    startMs: startedAt.getTime(),
    endMs: endedAt.getTime(),
    samples: unpackSamples(data),
  }));
  return ranges.map(({ vehicleId, fromMs, toMs }) => {
    const byTime = new Map<number, Sample>();
    for (const batch of unpacked) {
      if (batch.vehicleId !== vehicleId || batch.startMs > toMs || batch.endMs < fromMs) continue;
      for (const sample of batch.samples) {
        if (sample.at >= fromMs && sample.at <= toMs) byTime.set(sample.at, sample);
      }
    }
    return [...byTime.values()].sort((a, b) => a.at - b.at);
  });
}
