import type { Prisma, PrismaClient } from './generated/prisma/client.ts';
import { rerunBeganAt } from './rerun.ts';
import { checkpointBefore, lockStreams, lockVehicle, readStream } from './streams.ts';

/**
 * Forgets what came in before `before` (epoch ms): checkpoints that a newer one of before then stands in for, the entries
 * that no checkpoint needs any more, and the streams of vehicles that nothing came of since. Returns how many entries went.
 * Each vehicle is swept in a transaction of its own that no other writer of the vehicle shares the time of.
 */
export async function sweepJournal(prisma: PrismaClient, before: number): Promise<number> {
  const streams = await prisma.vehicleStream.findMany({ select: { vehicleId: true } });
  let swept = 0;
  for (const { vehicleId } of streams) {
    swept += await prisma.$transaction(
      async (tx) => {
        await lockVehicle(tx, vehicleId);
        await lockStreams(tx, [vehicleId]);
        return sweepVehicle(tx, vehicleId, before);
      },
      { timeout: SWEEP_TIMEOUT_MS, maxWait: SWEEP_TIMEOUT_MS },
    );
  }
  return swept;
}

/** How long sweeping one vehicle may take, the wait for its other writers included. */
const SWEEP_TIMEOUT_MS = 60_000;

async function sweepVehicle(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  before: number,
): Promise<number> {
  const stream = await readStream(tx, vehicleId);
  if (stream === null) return 0;
  const old = { vehicleId, receivedAt: { lt: new Date(before) } };
  // A silent vehicle has no journal any more: what is learned of it goes to its machine at once.
  if (stream.receivedAt < before && stream.dueAt === null) {
    const { count } = await tx.ingestRecord.deleteMany({ where: old });
    await tx.vehicleStream.delete({ where: { vehicleId } });
    await tx.vehicleCheckpoint.deleteMany({ where: { vehicleId } });
    return count;
  }
  const keptFrom = await keptSince(tx, vehicleId, { before, lateFrom: stream.lateFrom });
  if (keptFrom === null) return 0;
  const keptAt = new Date(keptFrom);
  await tx.vehicleCheckpoint.deleteMany({ where: { vehicleId, at: { lt: keptAt } } });
  await tx.vehicleStream.update({ where: { vehicleId }, data: { keptFrom: keptAt } });
  const { count } = await tx.ingestRecord.deleteMany({ where: { ...old, at: { lte: keptAt } } });
  return count;
}

/** Time of the oldest checkpoint that stays (epoch ms): what is to be reduced anew needs the one before it. */
async function keptSince(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  { before, lateFrom }: { before: number; lateFrom: number | null },
): Promise<number | null> {
  const rerun = await rerunBeganAt(tx, vehicleId);
  const base = lateFrom === null ? null : await checkpointBefore(tx, vehicleId, lateFrom);
  const newest = await tx.vehicleCheckpoint.findFirst({
    where: { vehicleId, createdAt: { lt: new Date(before) } },
    orderBy: { at: 'desc' },
    select: { at: true },
  });
  const oldest = await tx.vehicleCheckpoint.findFirst({
    where: { vehicleId },
    orderBy: { at: 'asc' },
    select: { at: true },
  });
  const kept = newest ?? oldest;
  if (kept === null) return null;
  return Math.min(kept.at.getTime(), base?.at ?? Infinity, rerun?.baseAt ?? Infinity);
}
