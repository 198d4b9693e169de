import { uuidOf } from '../base/ids.ts';
import type { Prisma } from './generated/prisma/client.ts';
import { type Viewer, vehiclesNamed } from './visible.ts';

/**
 * Stored ids of the vehicles that a viewer names by slug in any case, by a former slug, or by `veh_` id; a name of
 * none that it may see is absent.
 */
export async function vehicleIdsByName(
  db: Prisma.TransactionClient,
  viewer: Viewer,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const slugs = names.map((name) => name.toLowerCase());
  const vehicles = await db.vehicle.findMany({
    where: vehiclesNamed(viewer, names),
    select: { id: true, publicId: true, slugs: { where: { slug: { in: slugs } } } },
  });
  const idByKey = new Map(
    vehicles.flatMap(({ id, publicId, slugs: former }) =>
      [id, publicId, ...former.map(({ slug }) => slug)].map((key) => [key, id] as const),
    ),
  );
  return new Map(
    names.flatMap((name) => {
      const id = idByKey.get(uuidOf('Vehicle', name) ?? name.toLowerCase());
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}
