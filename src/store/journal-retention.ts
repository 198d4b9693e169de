import type { PrismaClient } from './generated/prisma/client.ts';

/**
 * Forgets what came in before `before` (epoch ms): checkpoints that a newer one of before then stands in for, the entries
 * that no checkpoint needs any more, and the streams of vehicles that nothing came of since. Returns how many entries went.
 */
export async function sweepJournal(prisma: PrismaClient, before: number): Promise<number> {
  const since = new Date(before);
  await prisma.$executeRaw`
    DELETE FROM vehicle_checkpoint old USING vehicle_checkpoint newer
    WHERE newer.vehicle_id = old.vehicle_id AND newer.at > old.at AND newer.created_at < ${since}`;
  await prisma.$executeRaw`
    UPDATE vehicle_stream s SET kept_from = oldest.at
    FROM (SELECT vehicle_id, min(at) AS at FROM vehicle_checkpoint GROUP BY vehicle_id) oldest
    WHERE oldest.vehicle_id = s.vehicle_id AND oldest.at > s.kept_from`;
  const streams = await prisma.vehicleStream.findMany({
    select: { vehicleId: true, keptFrom: true, receivedAt: true, dueAt: true },
  });
  let swept = 0;
  for (const { vehicleId, keptFrom, receivedAt, dueAt } of streams) {
    // A silent vehicle has no journal any more: what is learned of it goes to its machine at once.
    const silent = receivedAt < since && dueAt === null;
    const at = silent ? {} : { at: { lte: keptFrom } };
    const { count } = await prisma.ingestRecord.deleteMany({
      where: { vehicleId, receivedAt: { lt: since }, ...at },
    });
    swept += count;
    if (!silent) continue;
    const closed = await prisma.vehicleStream.deleteMany({
      where: { vehicleId, receivedAt: { lt: since }, dueAt: null },
    });
    if (closed.count > 0) await prisma.vehicleCheckpoint.deleteMany({ where: { vehicleId } });
  }
  return swept;
}
