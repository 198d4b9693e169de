import DataLoader from 'dataloader';
import type { Vehicle } from '../store/generated/prisma/client.ts';
import { visibleThroughVehicle, visibleVehicles } from '../store/visible.ts';
import { type Context, caller, perOperation } from './context.ts';

/** Rows by stored id, read once per operation and all together; null for those that `read` does not find. */
export function byId<Row extends { id: string }>(
  read: (ids: string[], context: Context) => Promise<Row[]>,
): (context: Context) => DataLoader<string, Row | null> {
  return perOperation(
    (context) =>
      new DataLoader<string, Row | null>(async (ids) => {
        const rows = await read([...ids], context);
        const found = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => found.get(id) ?? null);
      }),
  );
}

/** Vehicles by stored id; null for those that the caller may not see. */
export const vehicleById = byId((ids, context) =>
  context.prisma.vehicle.findMany({
    where: { AND: [visibleVehicles(caller(context)), { id: { in: ids } }] },
  }),
);

/** Keeps a vehicle that was read anyway, so that what hangs on it need not read it again. */
export function rememberVehicle(vehicle: Vehicle, context: Context): void {
  vehicleById(context).prime(vehicle.id, vehicle);
}

/** Places by stored id; null for those of another account. */
export const placeById = byId((ids, context) =>
  context.prisma.place.findMany({
    where: { accountId: caller(context).accountId, id: { in: ids } },
  }),
);

/** Trips by stored id; null for those that the caller may not see. */
export const tripById = byId((ids, context) =>
  context.prisma.trip.findMany({
    where: { ...visibleThroughVehicle(caller(context)), deletedAt: null, id: { in: ids } },
  }),
);

/** Drives by stored id; null for those that the caller may not see. */
export const driveById = byId((ids, context) =>
  context.prisma.drive.findMany({
    where: { ...visibleThroughVehicle(caller(context)), deletedAt: null, id: { in: ids } },
  }),
);

/** Charges by stored id; null for those that the caller may not see. */
export const chargeById = byId((ids, context) =>
  context.prisma.charge.findMany({
    where: { ...visibleThroughVehicle(caller(context)), deletedAt: null, id: { in: ids } },
  }),
);

/** Alerts by stored id; null for those of vehicles that the caller may not see. */
export const alertById = byId((ids, context) =>
  context.prisma.alert.findMany({
    where: { ...visibleThroughVehicle(caller(context)), id: { in: ids } },
  }),
);

/** Maker accounts by stored id; null for those of another account. */
export const makerAccountById = byId((ids, context) =>
  context.prisma.makerAccount.findMany({
    where: { accountId: caller(context).accountId, id: { in: ids } },
  }),
);

/** Software updates by stored id; they belong to nobody. */
export const softwareUpdateById = byId((ids, context) =>
  context.prisma.softwareUpdate.findMany({ where: { id: { in: ids } } }),
);

/** Rows that hang on a thing, by its stored id and in the order in which `read` gives them. */
export function groupedBy<Row>(
  keyOf: (row: Row) => string,
  read: (ids: string[], context: Context) => Promise<Row[]>,
): (context: Context) => DataLoader<string, Row[]> {
  return perOperation(
    (context) =>
      new DataLoader<string, Row[]>(async (ids) => {
        const groups = new Map<string, Row[]>(ids.map((id) => [id, []]));
        for (const row of await read([...ids], context)) groups.get(keyOf(row))?.push(row);
        return ids.map((id) => groups.get(id) ?? []);
      }),
  );
}
