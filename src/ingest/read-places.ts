import { z } from 'zod';
import type { Place, Prisma } from '../store/generated/prisma/client.ts';
import type { PlaceShape } from './places.ts';

const corners = z.array(z.tuple([z.number(), z.number()]));

type ShapeColumns = Pick<
  Place,
  'id' | 'kind' | 'latitude' | 'longitude' | 'radiusM' | 'polygon' | 'notifyEnter' | 'notifyExit'
>;

/** A stored place as the reducer needs it. */
export function shapeOf(row: ShapeColumns): PlaceShape {
  const { id, kind, latitude, longitude, radiusM, notifyEnter, notifyExit } = row;
  return {
    ...{ id, kind, latitude, longitude, radiusM },
    polygon: row.polygon === null ? null : corners.parse(row.polygon),
    watch: { enter: notifyEnter, exit: notifyExit },
  };
}

/** The account's places as the reducer needs them. */
export async function readPlaces(
  tx: Prisma.TransactionClient,
  accountId: string,
): Promise<PlaceShape[]> {
  return (await tx.place.findMany({ where: { accountId } })).map(shapeOf);
}
