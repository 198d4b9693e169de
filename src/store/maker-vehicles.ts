import { randomBytes } from 'node:crypto';
import { newUuid } from '../base/ids.ts';
import { slugProblem } from '../contract/vehicle-slugs.ts';
import type { AccessType, MakerAccount, Prisma, Vehicle } from './generated/prisma/client.ts';
import { emptyEvents, writeEvents } from './outbox.ts';
import { removeDeliveries } from './webhook-deliveries.ts';

/**
 * Keeps ingest out of vehicles for the rest of the transaction. Take it before the account's row, as ingest does: nobody
 * then waits for the other.
 */
export async function lockVehicles(
  tx: Prisma.TransactionClient,
  where: Prisma.VehicleWhereInput,
): Promise<void> {
  const rows = await tx.vehicle.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
  const ids = rows.map(({ id }) => id);
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(id, 0)) FROM unnest(${ids}::text[]) AS id`;
}

/** A vehicle as the maker's list names it. */
export type ListedVehicle = {
  vin: string;
  makerVehicleId: string | null;
  displayName: string | null;
  accessType: AccessType | null;
};

/** Characters of a name that go into a slug: a number or a random end has room after them. */
const SLUG_WORDS = 31;

/** A slug that no vehicle has or had: the name in plain letters, with a number or a random end where it is taken. */
async function freeSlug(
  tx: Prisma.TransactionClient,
  { displayName, vin }: Pick<ListedVehicle, 'displayName' | 'vin'>,
): Promise<string> {
  const words = (displayName ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_WORDS)
    .replace(/^-+|-+$/g, '');
  const base = slugProblem(words, vin) === null ? words : 'car';
  const random = () => `${base}-${randomBytes(4).toString('hex')}`;
  for (const slug of [base, `${base}-2`, `${base}-3`, random()]) {
    if (!(await isSlugTaken(tx, slug, null))) return slug;
  }
  return random();
}

/** Whether a vehicle other than the one of a stored id has a slug, or had it once (contract §0). */
export async function isSlugTaken(
  tx: Prisma.TransactionClient,
  slug: string,
  exceptId: string | null,
): Promise<boolean> {
  const others = exceptId === null ? {} : { id: { not: exceptId } };
  // In this order: a vehicle that is being renamed meanwhile has it before, and had it after.
  if ((await tx.vehicle.count({ where: { publicId: slug, ...others } })) > 0) return true;
  return (await tx.vehicleSlug.count({ where: { slug, vehicle: others } })) > 0;
}

/**
 * Puts a vehicle of the maker's list into the account: a new row for a VIN that it never had, else the row that it has,
 * with its history. Call it under the account's row.
 */
export async function associate(
  tx: Prisma.TransactionClient,
  makerAccount: MakerAccount,
  { vin, makerVehicleId, displayName, accessType }: ListedVehicle,
  at: number,
): Promise<Vehicle> {
  const { id: makerAccountId, accountId, maker, simulated } = makerAccount;
  const before = await tx.vehicle.findUnique({ where: { accountId_vin: { accountId, vin } } });
  const link = { makerAccountId, maker, makerVehicleId, accessType, archivedAt: null };
  const vehicle =
    before === null
      ? await tx.vehicle.create({
          data: {
            ...link,
            id: newUuid(),
            accountId,
            vin,
            simulated,
            publicId: await freeSlug(tx, { displayName, vin }),
            makerName: displayName,
            createdAt: new Date(at),
          },
        })
      : await tx.vehicle.update({ where: { id: before.id }, data: link });
  if (before === null || before.archivedAt !== null) {
    const data = { publicId: vehicle.publicId };
    await writeEvents(tx, vehicle, [{ type: 'vehicle.added', occurredAt: at, data }]);
  }
  return vehicle;
}

/** Takes vehicles out of their maker account; their history stays. Call it under the account's row. */
export async function archive(
  tx: Prisma.TransactionClient,
  vehicles: readonly Vehicle[],
  { reason, at }: { reason: string; at: number },
): Promise<void> {
  for (const vehicle of vehicles) {
    if (vehicle.archivedAt !== null) continue;
    await tx.vehicle.update({ where: { id: vehicle.id }, data: { archivedAt: new Date(at) } });
    await tellRemoved(tx, vehicle, { reason, at });
  }
}

async function tellRemoved(
  tx: Prisma.TransactionClient,
  vehicle: Vehicle,
  { reason, at }: { reason: string; at: number },
): Promise<void> {
  const data = { publicId: vehicle.publicId, reason };
  await writeEvents(tx, vehicle, [{ type: 'vehicle.removed', occurredAt: at, data }]);
}

/**
 * Removes vehicles with all that was ever recorded of them, their commands and what webhooks are or were told of them
 * included. Their places in the outbox stay, empty, and one event after those says that they are `erased`, with nothing but
 * their names. Call it under the account's row.
 */
export async function removeForEver(
  tx: Prisma.TransactionClient,
  accountId: string,
  { vehicles, at }: { vehicles: readonly Vehicle[]; at: number },
): Promise<void> {
  const ids = vehicles.map(({ id }) => id);
  await tx.command.deleteMany({ where: { vehicleId: { in: ids } } });
  await removeDeliveries(tx, accountId, ids);
  await emptyEvents(tx, accountId, ids);
  for (const vehicle of vehicles) await tellRemoved(tx, vehicle, { reason: 'erased', at });
  await tx.vehicle.deleteMany({ where: { id: { in: ids } } });
}
