import type { Prisma, PrismaClient } from './generated/prisma/client.ts';

/** Tables whose rows name places, in the order in which they are gone through. */
export const placeStages = ['drive', 'charge', 'parked_span', 'trip'] as const;

export type PlaceStage = (typeof placeStages)[number];

/** How far the work on a vehicle's history has come. */
export type PlaceWork = { stage: PlaceStage; afterId: string | null };

function isStage(word: string): word is PlaceStage {
  return placeStages.some((stage) => stage === word);
}

/**
 * Notes that the history of an account's vehicles has to be looked at, from `stage` on; what was under way starts over.
 * Call it under the account's row, in the transaction that changed what the rows depend on.
 */
export async function requestPlaceWork(
  tx: Prisma.TransactionClient,
  accountId: string,
  stage: PlaceStage,
): Promise<void> {
  // Work that begins earlier is kept: it comes past this stage.
  await tx.$executeRaw`
    INSERT INTO place_work (vehicle_id, stage)
    SELECT id, ${stage} FROM vehicle WHERE account_id = ${accountId}::uuid
    ON CONFLICT (vehicle_id) DO UPDATE SET
      stage = CASE WHEN array_position(${[...placeStages]}::text[], place_work.stage)
        < array_position(${[...placeStages]}::text[], EXCLUDED.stage) THEN place_work.stage ELSE EXCLUDED.stage END,
      after_id = CASE WHEN array_position(${[...placeStages]}::text[], place_work.stage)
        < array_position(${[...placeStages]}::text[], EXCLUDED.stage) THEN place_work.after_id ELSE NULL END`;
}

/** Vehicles whose history is to be looked at. */
export async function vehiclesWithPlaceWork(prisma: PrismaClient): Promise<string[]> {
  const rows = await prisma.placeWork.findMany({
    select: { vehicleId: true },
    orderBy: { vehicleId: 'asc' },
    take: 100,
  });
  return rows.map(({ vehicleId }) => vehicleId);
}

/** How far the work on a vehicle has come; null when there is none. */
export async function readPlaceWork(
  tx: Prisma.TransactionClient,
  vehicleId: string,
): Promise<PlaceWork | null> {
  const row = await tx.placeWork.findUnique({ where: { vehicleId } });
  if (row === null) return null;
  return isStage(row.stage)
    ? { stage: row.stage, afterId: row.afterId }
    : { stage: 'drive', afterId: null };
}

/** Notes how far the work on a vehicle has come: after a row, or at the end of a table. */
export async function writePlaceWork(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  work: PlaceWork,
): Promise<void> {
  if (work.afterId !== null) {
    await tx.placeWork.update({ where: { vehicleId }, data: work });
    return;
  }
  const next = placeStages[placeStages.indexOf(work.stage) + 1];
  if (next === undefined) await tx.placeWork.delete({ where: { vehicleId } });
  else await tx.placeWork.update({ where: { vehicleId }, data: { stage: next, afterId: null } });
}
