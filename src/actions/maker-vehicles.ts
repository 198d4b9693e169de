import { ServiceError } from '../base/errors.ts';
import { uuidOf } from '../base/ids.ts';
import type { Answer } from '../maker/answer.ts';
import { type KeyPairing, keyPairings } from '../maker/key-pairing.ts';
import { identityOfVehicle, type VehicleIdentity } from '../maker/vehicle-identity.ts';
import { audited, lockAccount } from '../store/audit.ts';
import type { MakerAccount, Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { ownMakerAccount } from '../store/maker-accounts.ts';
import { archive, associate, lockVehicles } from '../store/maker-vehicles.ts';
import { askMaker } from './ask-maker.ts';
import { actorOf, type MakerCall } from './maker-door.ts';

/** A vehicle that the maker's account has, whether or not it is followed here. */
export type MakerVehicle = {
  /** The maker's own id of it, or its VIN where the maker gives none. */
  id: string;
  makerAccountId: string;
  vin: string;
  name: string | null;
  accessType: VehicleIdentity['accessType'];
  /** Its slug here; null while it is not associated. */
  publicId: string | null;
  /** Null where the maker did not say. */
  keyPairing: KeyPairing | null;
};

/** VINs in one question for key pairing (maker.md §1.3). */
const VINS_AT_ONCE = 100;

/** With what a list is asked for; the signal breaks it off. */
type ListCall = Pick<MakerCall, 'prisma' | 'clock' | 'door'> & { signal?: AbortSignal };

async function listed(call: ListCall, row: MakerAccount): Promise<VehicleIdentity[]> {
  const items = await askMaker(call, row, (api) => api.listVehicles());
  return items.flatMap((item) => {
    const parsed = identityOfVehicle(item);
    return parsed.ok ? [parsed.value] : [];
  });
}

/** Pairing by VIN. A maker that does not say it for some leaves those out: the list is worth more than that. */
async function pairingsOf(
  call: MakerCall,
  row: MakerAccount,
  vins: readonly string[],
): Promise<ReadonlyMap<string, KeyPairing>> {
  const found = new Map<string, KeyPairing>();
  for (let from = 0; from < vins.length; from += VINS_AT_ONCE) {
    const some = vins.slice(from, from + VINS_AT_ONCE);
    const answer = await askMaker(call, row, async (api): Promise<Answer<unknown>> => {
      const status = await api.fleetStatus(some);
      return status.kind === 'ok' ? status : { kind: 'ok', status: 200, value: null };
    });
    for (const [vin, pairing] of keyPairings(answer)) found.set(vin, pairing);
  }
  return found;
}

/** Every vehicle of a maker account as the maker lists it now. Throws the maker words of contract §12. */
export async function vehiclesAtMaker(call: MakerCall, row: MakerAccount): Promise<MakerVehicle[]> {
  const items = await visibleItems(call, await listed(call, row));
  const vins = items.map(({ vin }) => vin);
  const pairings = await pairingsOf(call, row, vins);
  const known = await call.prisma.vehicle.findMany({
    where: { makerAccountId: row.id, archivedAt: null, vin: { in: vins } },
    select: { vin: true, publicId: true },
  });
  await keepPairings(call, row, pairings);
  const slugs = new Map(known.map(({ vin, publicId }) => [vin, publicId]));
  return items.map((item) => ({
    id: item.makerVehicleId ?? item.vin,
    makerAccountId: row.id,
    vin: item.vin,
    name: item.displayName,
    accessType: item.accessType,
    publicId: slugs.get(item.vin) ?? null,
    keyPairing: pairings.get(item.vin) ?? null,
  }));
}

/** Keeps what was said of the keys of followed vehicles; what was not said stays as it was. */
async function keepPairings(
  { prisma, clock }: MakerCall,
  { id: makerAccountId }: MakerAccount,
  pairings: ReadonlyMap<string, KeyPairing>,
): Promise<void> {
  const keyCheckedAt = new Date(clock());
  for (const [vin, { paired, commandProtocolRequired, totalKeys }] of pairings) {
    await prisma.vehicle.updateMany({
      where: { makerAccountId, vin, archivedAt: null },
      data: {
        keyCheckedAt,
        keyPaired: paired ?? undefined,
        commandProtocolRequired: commandProtocolRequired ?? undefined,
        totalKeys: totalKeys ?? undefined,
      },
    });
  }
}

/** Those that the caller's token is for; one that is limited to some vehicles learns of no other, followed or not. */
async function visibleItems(
  { prisma, principal }: MakerCall,
  items: VehicleIdentity[],
): Promise<VehicleIdentity[]> {
  const { accountId, vehicleIds } = principal;
  if (vehicleIds === null) return items;
  const where = { accountId, id: { in: [...vehicleIds] } };
  const own = await prisma.vehicle.findMany({ where, select: { vin: true } });
  return items.filter((item) => own.some(({ vin }) => vin === item.vin));
}

/**
 * Associates every vehicle of an account that was linked, but those that another maker account follows, once. False where
 * the list did not come: a link without vehicles is better than no link, and `first-lists.ts` asks again.
 */
export async function associateEvery(call: ListCall, row: MakerAccount): Promise<boolean> {
  const items = await listed(call, row).catch((error: unknown) => {
    if (error instanceof ServiceError) return null;
    throw error;
  });
  if (items === null) return false;
  const { prisma, clock } = call;
  await prisma.$transaction(async (tx) => {
    await lockVehicles(tx, { accountId: row.accountId });
    await lockAccount(tx, row.accountId);
    const where = { id: row.id, listedAt: null };
    const first = await tx.makerAccount.updateMany({
      where,
      data: { listedAt: new Date(clock()) },
    });
    // Somebody else was first, or the link is gone.
    if (first.count === 0) return;
    for (const item of items) {
      if (!(await followedElsewhere(tx, row, item.vin))) await associate(tx, row, item, clock());
    }
  });
  return true;
}

async function followedElsewhere(
  tx: Prisma.TransactionClient,
  { id, accountId }: MakerAccount,
  vin: string,
): Promise<boolean> {
  const where = {
    accountId,
    vin,
    archivedAt: null,
    makerAccountId: { not: null },
    NOT: { makerAccountId: id },
  };
  return (await tx.vehicle.count({ where })) > 0;
}

/** Which vehicle of which maker account; ids as callers write them. */
export type MakerVehicleName = { makerAccountId: string; makerVehicleId: string };

/** Follows a vehicle of the maker's list. Throws `not_found` where the account has no such vehicle there. */
export async function addMakerVehicle(
  call: MakerCall,
  { makerAccountId, makerVehicleId }: MakerVehicleName,
): Promise<MakerVehicle> {
  const row = await ownRow(call.prisma, call, makerAccountId);
  const vehicles = await vehiclesAtMaker(call, row);
  const wanted = vehicles.find(({ id, vin }) => id === makerVehicleId || vin === makerVehicleId);
  if (wanted === undefined) throw noSuchVehicle();
  const { prisma, clock, principal, requestId } = call;
  const at = clock();
  const { publicId } = await audited(
    prisma,
    row.accountId,
    async (tx) => {
      const item = {
        vin: wanted.vin,
        makerVehicleId: wanted.id,
        displayName: wanted.name,
        accessType: wanted.accessType,
      };
      const vehicle = await associate(tx, row, item, at);
      const fact = {
        at,
        actor: actorOf(principal),
        action: 'maker_account.add_vehicle',
        object: makerAccountId,
        details: { publicId: vehicle.publicId },
        requestId,
      };
      return { result: vehicle, facts: [fact] };
    },
    (tx) => lockVehicles(tx, { accountId: row.accountId, vin: wanted.vin }),
  );
  call.door.changed();
  return { ...wanted, publicId };
}

/** Stops following a vehicle; its history stays. Throws `not_found` where it is not followed through this account. */
export async function removeMakerVehicle(
  call: MakerCall,
  { makerAccountId, makerVehicleId }: MakerVehicleName,
): Promise<{ publicId: string }> {
  const { prisma, clock, principal, requestId, door } = call;
  const row = await ownRow(prisma, call, makerAccountId);
  const at = clock();
  const publicId = await audited(
    prisma,
    row.accountId,
    async (tx) => {
      const vehicle = await tx.vehicle.findFirst({
        where: {
          makerAccountId: row.id,
          archivedAt: null,
          OR: [{ makerVehicleId }, { vin: makerVehicleId }],
          ...(principal.vehicleIds === null ? {} : { id: { in: [...principal.vehicleIds] } }),
        },
      });
      if (vehicle === null) throw noSuchVehicle();
      await archive(tx, [vehicle], { reason: 'removed', at });
      const fact = {
        at,
        actor: actorOf(principal),
        action: 'maker_account.remove_vehicle',
        object: makerAccountId,
        details: { publicId: vehicle.publicId },
        requestId,
      };
      return { result: vehicle.publicId, facts: [fact] };
    },
    (tx) => lockVehicles(tx, { makerAccountId: row.id }),
  );
  door.changed();
  return { publicId };
}

function ownRow(
  prisma: PrismaClient,
  { principal }: MakerCall,
  makerAccountId: string,
): Promise<MakerAccount> {
  return ownMakerAccount(prisma, principal.accountId, uuidOf('MakerAccount', makerAccountId));
}

function noSuchVehicle(): ServiceError {
  return new ServiceError('not_found', 'No vehicle is found here.');
}
