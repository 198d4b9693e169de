import type { Clock } from '../base/clock.ts';
import type { MakerApi } from '../maker/api.ts';
import { identityOfVehicle } from '../maker/vehicle-identity.ts';
import { lockAccount } from '../store/audit.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { changeMakerAccount } from '../store/maker-account-status.ts';
import { ownerOf } from '../store/maker-accounts.ts';
import { archive, lockVehicles } from '../store/maker-vehicles.ts';

type TurnParts = { prisma: PrismaClient; clock: Clock };

/**
 * Archives a vehicle that the maker does not find any more: it was sold, or the account has lost its access. False where
 * the account's list still has it, or does not come: a single 404 is not enough to give a vehicle up.
 */
export async function leaveWhereGone(
  vehicle: { id: string; vin: string; accountId: string },
  api: MakerApi,
  { prisma, clock }: TurnParts,
): Promise<boolean> {
  const list = await api.listVehicles();
  if (list.kind !== 'ok') return false;
  const listed = list.value.some((item) => {
    const parsed = identityOfVehicle(item);
    return parsed.ok && parsed.value.vin === vehicle.vin;
  });
  if (listed) return false;
  await prisma.$transaction(async (tx) => {
    await lockVehicles(tx, { id: vehicle.id });
    await lockAccount(tx, vehicle.accountId);
    const rows = await tx.vehicle.findMany({ where: { id: vehicle.id } });
    await archive(tx, rows, { reason: 'not_at_maker', at: clock() });
  });
  return true;
}

/** Remembers where the maker has moved an account to; the next start asks there at once (maker.md §1.1). */
export async function moveAccount(
  makerAccountId: string,
  baseUrl: string,
  { prisma }: TurnParts,
): Promise<void> {
  await prisma.makerAccount.updateMany({ where: { id: makerAccountId }, data: { baseUrl } });
}

/** Notes that the maker has locked an account; it is left alone until somebody signs in again. */
export async function lockedByMaker(
  makerAccountId: string,
  { prisma, clock }: TurnParts,
): Promise<void> {
  const accountId = await ownerOf(prisma, makerAccountId);
  if (accountId === null) return;
  const reason = 'account_locked';
  const at = clock();
  const failure = { lastErrorCode: reason, lastErrorAt: new Date(at) };
  const change = { status: 'LOCKED', reason, at } as const;
  await changeMakerAccount(prisma, { id: makerAccountId, accountId }, failure, change);
}
