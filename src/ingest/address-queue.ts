import { HOUR_MS, MINUTE_MS } from '../base/units.ts';
import { areWaiting, queueAddresses } from '../store/addresses.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';

/** Rows of each kind that are looked at of a vehicle that was just heard. */
const NEWEST_ROWS = 20;
/** Rows of each kind that are looked at in one step through history. */
const STEP_ROWS = 200;
/** While so many addresses wait, history does too: what is new is looked up first. */
const ENOUGH_WAITING = 200;
/** How long after the end of history it is gone through again, for what was imported or came late. */
const REST_MS = HOUR_MS;
/** How much longer ago than the last look a vehicle may have been heard, because records come late. */
const MARGIN_MS = 10 * MINUTE_MS;

/** How far the search for positions without an address has come; times are epoch ms. */
export type AddressSearch = {
  lookedAt: number;
  /** The vehicle whose history is gone through, and from where back; null before the first. */
  vehicleId: string | null;
  before: number;
  restsUntil: number;
};

/** A search that has seen nothing yet. */
export function newSearch(): AddressSearch {
  return { lookedAt: 0, vehicleId: null, before: Number.NEGATIVE_INFINITY, restsUntil: 0 };
}

/** Queues the newest positions of vehicles that were heard since the last look, and goes one step back through history. */
export async function queueSome(
  prisma: PrismaClient,
  search: AddressSearch,
  now: number,
): Promise<void> {
  const since = Math.max(0, search.lookedAt - MARGIN_MS);
  const heard = await prisma.vehicle.findMany({
    where: { lastSeenAt: { gt: new Date(since) } },
    select: { id: true },
  });
  for (const { id: vehicleId } of heard) {
    await queueAddresses(prisma, { vehicleId, before: now + HOUR_MS, rows: NEWEST_ROWS }, now);
  }
  search.lookedAt = now;
  if (now < search.restsUntil || (await areWaiting(prisma, ENOUGH_WAITING))) return;
  await stepBack(prisma, search, now);
}

async function stepBack(prisma: PrismaClient, search: AddressSearch, now: number): Promise<void> {
  let { vehicleId, before } = search;
  if (vehicleId === null || before === Number.NEGATIVE_INFINITY) {
    const following = await prisma.vehicle.findFirst({
      where: vehicleId === null ? {} : { id: { gt: vehicleId } },
      orderBy: { id: 'asc' },
      select: { id: true },
    });
    if (following === null) {
      search.vehicleId = null;
      search.restsUntil = now + REST_MS;
      return;
    }
    vehicleId = following.id;
    before = now + HOUR_MS;
  }
  const { next } = await queueAddresses(prisma, { vehicleId, before, rows: STEP_ROWS }, now);
  search.vehicleId = vehicleId;
  search.before = next ?? Number.NEGATIVE_INFINITY;
}
