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

/** What hangs on a vehicle is visible with it. */
export function visibleThroughVehicle(viewer: Viewer): { vehicle: Prisma.VehicleWhereInput } {
  return { vehicle: visibleVehicles(viewer) };
}
