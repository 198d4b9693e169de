import { z } from 'zod';
import type { Prisma } from '../store/generated/prisma/client.ts';
import type { PlaceShape } from './places.ts';

const corners = z.array(z.tuple([z.number(), z.number()]));

/** The account's places as the reducer needs them. */
export async function readPlaces(
  tx: Prisma.TransactionClient,
  accountId: string,
): Promise<PlaceShape[]> {
  const rows = await tx.place.findMany({
    where: { accountId },
    select: { id: true, kind: true, latitude: true, longitude: true, radiusM: true, polygon: true },
  });
  return rows.map((row) => ({
    ...row,
    polygon: row.polygon === null ? null : corners.parse(row.polygon),
  }));
}
