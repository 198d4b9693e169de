import { uuidOf } from '../base/ids.ts';
import type { Prisma } from './generated/prisma/client.ts';

/** Whose eyes look: an account, and the vehicles its credential is limited to (null for all). */
export type Viewer = { accountId: string; vehicleIds: readonly string[] | null };

/** The vehicles a viewer may see; everything else answers as if it did not exist (architecture §2). */
export function visibleVehicles(viewer: Viewer): Prisma.VehicleWhereInput {
  return {
    accountId: viewer.accountId,
    ...(viewer.vehicleIds === null ? {} : { id: { in: [...viewer.vehicleIds] } }),
  };
}

/** The viewer's vehicles of these names: a slug in any case, a slug that a vehicle had before, or a `veh_` id. */
export function vehiclesNamed(viewer: Viewer, names: readonly string[]): Prisma.VehicleWhereInput {
  const slugs = names.map((name) => name.toLowerCase());
  const ids = names.flatMap((name) => uuidOf('Vehicle', name) ?? []);
  const named = [
    { publicId: { in: slugs } },
    { slugs: { some: { slug: { in: slugs } } } },
    { id: { in: ids } },
  ];
  return { AND: [visibleVehicles(viewer), { OR: named }] };
}

/** What hangs on a vehicle is visible with it; only what hangs on the vehicle of a name, where one is given. */
export function visibleThroughVehicle(
  viewer: Viewer,
  name?: string | null,
): { vehicle: Prisma.VehicleWhereInput } {
  return { vehicle: name == null ? visibleVehicles(viewer) : vehiclesNamed(viewer, [name]) };
}
