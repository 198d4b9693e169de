import { inCommit } from '../ingest/apply.ts';
import { tellCosts } from '../ingest/cost-events.ts';
import { type CostChange, priceCharges } from '../ingest/price-charges.ts';
import { lockAccount } from '../store/audit.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import type { AccountCall } from './account-call.ts';
import { requireExactPositions } from './exact-positions.ts';

/** Charges that one call looks at, and those of one transaction. */
const MOST_CHARGES = 2_000;
const CHARGES_PER_STEP = 50;

/** What a recomputation came to. */
export type Recomputed = {
  examined: number;
  /** Whether there are older charges that were not looked at. */
  more: boolean;
  changed: (CostChange & { publicId: string })[];
};

/** Which charges to look at; times are epoch ms. */
export type RecomputeWish = { publicId?: string | null; from?: number | null; to?: number | null };

/**
 * Computes the costs of charges anew, the newest first, and tells which are others now. Each step is a transaction of its
 * own, so a crash leaves every charge with its old cost or its new one. Throws `setting_forbids`.
 */
export async function recomputeCosts(
  { prisma, clock, principal }: AccountCall,
  { publicId, from, to }: RecomputeWish,
): Promise<Recomputed> {
  await requireExactPositions(prisma, principal);
  const rows = await prisma.charge.findMany({
    where: {
      AND: [
        visibleThroughVehicle(principal, publicId),
        from == null ? {} : { startedAt: { gte: new Date(from) } },
        to == null ? {} : { startedAt: { lt: new Date(to) } },
        { endedAt: { not: null } },
      ],
    },
    select: {
      id: true,
      vehicleId: true,
      vehicle: { select: { id: true, accountId: true, publicId: true } },
    },
    orderBy: [{ vehicleId: 'asc' }, { startedAt: 'desc' }],
    take: MOST_CHARGES + 1,
  });
  const wanted = rows.slice(0, MOST_CHARGES);
  const changed: Recomputed['changed'] = [];
  const vehicles = new Map(wanted.map(({ vehicle }) => [vehicle.id, vehicle]));
  for (const vehicle of vehicles.values()) {
    const ids = wanted.filter((row) => row.vehicleId === vehicle.id).map(({ id }) => id);
    for (let at = 0; at < ids.length; at += CHARGES_PER_STEP) {
      const changes = await inCommit(prisma, vehicle.id, async (tx) => {
        await lockAccount(tx, vehicle.accountId);
        const some = await priceCharges(tx, vehicle, ids.slice(at, at + CHARGES_PER_STEP));
        await tellCosts(tx, vehicle, some, clock());
        return some;
      });
      changed.push(...changes.map((change) => ({ ...change, publicId: vehicle.publicId })));
    }
  }
  return { examined: wanted.length, more: rows.length > MOST_CHARGES, changed };
}
