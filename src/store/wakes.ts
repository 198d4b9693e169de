import { DAY_MS, MINUTE_MS } from '../base/units.ts';
import type { Prisma } from './generated/prisma/client.ts';

/** How often a vehicle may be woken; of the last 60 s and of the last 24 h. */
export type WakeLimits = { perMinute: number; perDay: number };

/**
 * When a vehicle may be woken again (epoch ms), by what the ledger says of the last day; null for at once. Ask inside
 * `inVehicle`, where the wake is written too.
 */
export async function nextWakeAt(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  { perMinute, perDay }: WakeLimits,
  at: number,
): Promise<number | null> {
  const wakes = await tx.commandTransition.findMany({
    where: {
      wake: true,
      at: { gt: new Date(at - DAY_MS) },
      // A command lives for half an hour at most; the index of a vehicle's commands is by their time.
      command: { vehicleId, createdAt: { gt: new Date(at - DAY_MS - 60 * MINUTE_MS) } },
    },
    select: { at: true },
    orderBy: { at: 'desc' },
    take: Math.max(perMinute, perDay),
  });
  const freeAt = (most: number, windowMs: number) => {
    const oldest = wakes[most - 1];
    return oldest === undefined ? 0 : oldest.at.getTime() + windowMs;
  };
  const next = Math.max(freeAt(perMinute, MINUTE_MS), freeAt(perDay, DAY_MS));
  return next > at ? next : null;
}
