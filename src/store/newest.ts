import { Prisma, type PrismaClient } from './generated/prisma/client.ts';

/** Stored ids of the newest drive or charge of each vehicle, discarded and deleted ones left out. */
export async function newestOf(
  prisma: PrismaClient,
  table: 'drive' | 'charge',
  vehicleIds: readonly string[],
): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT newest.id FROM unnest(${[...vehicleIds]}::uuid[]) AS v(id)
    CROSS JOIN LATERAL (SELECT t.id FROM ${Prisma.raw(table)} t
      WHERE t.vehicle_id = v.id AND t.deleted_at IS NULL AND t.state <> 'DISCARDED'
      ORDER BY t.started_at DESC, t.id DESC LIMIT 1) newest`;
  return rows.map((row) => row.id);
}
