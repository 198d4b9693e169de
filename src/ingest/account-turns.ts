import type { Clock } from '../base/clock.ts';
import { HOUR_MS, SECOND_MS } from '../base/units.ts';
import type { Failure } from '../maker/answer.ts';
import type { MakerApi } from '../maker/api.ts';
import { regionOfBaseUrl } from '../maker/regions.ts';
import { identityOfVehicle } from '../maker/vehicle-identity.ts';
import { lockAccount } from '../store/audit.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { changeMakerAccount } from '../store/maker-account-status.ts';
import { moveMakerAccount, ownerOf } from '../store/maker-accounts.ts';
import { archive, lockVehicles } from '../store/maker-vehicles.ts';
import type { IngestLog } from './backlog.ts';
import type { Bell } from './bell.ts';

type TurnParts = { prisma: PrismaClient; clock: Clock };

/** How soon after a move to another region the maker's word for the next one is not followed. */
const MOVE_AGAIN_MS = HOUR_MS;

/** A vehicle that is followed, as far as a turn of its account changes it. */
type Turned = {
  vehicle: {
    id: string;
    vin: string;
    accountId: string;
    makerAccount: { id: string; baseUrl: string };
  };
  apiNow: () => MakerApi;
  movedAt: number | null;
  gone: boolean;
};

/** What is done where the account itself has changed; how long to wait then [ms], or null where nothing has. */
export async function afterTurn(
  follower: Turned,
  failure: Failure,
  shared: TurnParts & { log: IngestLog; bell: Bell },
): Promise<number | null> {
  const { vehicle } = follower;
  const { makerAccount } = vehicle;
  if (failure.kind === 'out_of_region' && failure.baseUrl !== null) {
    const now = shared.clock();
    if (follower.movedAt !== null && now - follower.movedAt < MOVE_AGAIN_MS) return null;
    follower.movedAt = now;
    const { baseUrl } = failure;
    await moveMakerAccount(shared.prisma, makerAccount.id, {
      baseUrl,
      region: regionOfBaseUrl(baseUrl),
    });
    makerAccount.baseUrl = baseUrl;
    return SECOND_MS;
  }
  if (failure.kind === 'not_found') {
    follower.gone = await leaveWhereGone(vehicle, follower.apiNow(), shared);
    if (!follower.gone) return null;
    shared.log.info({ vehicleId: vehicle.id }, 'The vehicle has left the account at the maker.');
    return 0;
  }
  if (failure.kind === 'forbidden' && failure.reason === 'account_locked') {
    await lockedByMaker(makerAccount.id, shared);
    shared.bell.ring();
  }
  return null;
}

/**
 * Archives a vehicle that the maker does not find any more: it was sold, or the account has lost its access. False where
 * the account's list still has it, or does not come: a single 404 is not enough to give a vehicle up.
 */
async function leaveWhereGone(
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

/** Notes that the maker has locked an account; it is left alone until somebody signs in again. */
async function lockedByMaker(makerAccountId: string, { prisma, clock }: TurnParts): Promise<void> {
  const accountId = await ownerOf(prisma, makerAccountId);
  if (accountId === null) return;
  const reason = 'account_locked';
  const at = clock();
  const failure = { lastErrorCode: reason, lastErrorAt: new Date(at) };
  const change = { status: 'LOCKED', reason, at } as const;
  await changeMakerAccount(prisma, { id: makerAccountId, accountId }, failure, () => change);
}
