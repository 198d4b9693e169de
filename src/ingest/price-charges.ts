import { z } from 'zod';
import type { Charge, ChargeSegment, Prisma, Tariff } from '../store/generated/prisma/client.ts';
import { readTariffBook, rulesOf, type TariffBook, tariffAt } from '../store/tariffs.ts';
import { readSamples } from '../store/track.ts';
import { billedKwh, idleOf, windowsOf } from './charge-windows.ts';
import { majorOf, type Price, priceOf } from './price-charge.ts';

/** What something costs, as it is stored. */
export type CostColumns = Pick<Charge, 'costCurrency' | 'costMethod' | 'tariffId'> & {
  costAmount: string | null;
};

/** A cost that became another one. */
export type CostChange = { chargeId: string; before: CostColumns; after: CostColumns };

type Priceable = Charge & { segments: ChargeSegment[] };

/** A cost with the lines it is the sum of. */
export type CostFound = CostColumns & { lines: Price['lines'] };

const noCost: CostFound = {
  costAmount: null,
  costCurrency: null,
  costMethod: 'NONE',
  tariffId: null,
  lines: [],
};

/**
 * Gives charges of a vehicle that have ended the cost of their tariff, and tells of those whose cost is another one now.
 * What a person, an invoice or a free charger said stays. Call it under the vehicle's lock.
 */
export async function priceCharges(
  tx: Prisma.TransactionClient,
  vehicle: { id: string; accountId: string },
  chargeIds: readonly string[],
): Promise<CostChange[]> {
  if (chargeIds.length === 0) return [];
  const book = await readTariffBook(tx, vehicle.accountId);
  const charges = await tx.charge.findMany({
    where: {
      id: { in: [...chargeIds] },
      vehicleId: vehicle.id,
      vehicle: { calculateCost: true },
      endedAt: { not: null },
      // Without tariffs only those have to be looked at that one priced before.
      costMethod: { in: book === null ? ['TARIFF'] : ['NONE', 'TARIFF'] },
    },
    include: { segments: { orderBy: { ordinal: 'asc' } } },
    orderBy: { startedAt: 'asc' },
  });
  const changes: CostChange[] = [];
  for (const charge of charges) {
    const change = await storeCost(tx, charge, await costOf(tx, charge, book));
    if (change !== null) changes.push(change);
  }
  return changes;
}

/** Writes what a charge costs where it is stored otherwise; the change of its cost, null where only its lines changed. */
export async function storeCost(
  tx: Prisma.TransactionClient,
  charge: Charge,
  { lines, ...after }: CostFound,
): Promise<CostChange | null> {
  const before = columnsOf(charge);
  const other = JSON.stringify(before) !== JSON.stringify(after);
  const sameLines = JSON.stringify(linesOf(charge.costBreakdown)) === JSON.stringify(lines);
  if (!other && sameLines) return null;
  await tx.charge.update({ where: { id: charge.id }, data: { ...after, costBreakdown: lines } });
  return other ? { chargeId: charge.id, before, after } : null;
}

/** What a stored charge costs, in one spelling. */
export function columnsOf(charge: Charge): CostColumns {
  const { costAmount, costCurrency, costMethod, tariffId } = charge;
  const amount = costAmount === null ? null : spelled(costAmount.toFixed(), costCurrency);
  return { costAmount: amount, costCurrency, costMethod, tariffId };
}

function spelled(amount: string, currency: string | null): string {
  if (currency === null) return amount;
  const digits = majorOf(0, currency).split('.')[1]?.length ?? 0;
  return Number(amount).toFixed(digits);
}

const stored = z.array(
  z.object({
    kind: z.enum(['ENERGY', 'TIME', 'SESSION', 'IDLE']),
    from: z.number(),
    to: z.number(),
    kwh: z.number().nullable(),
    rate: z.string(),
    amountMinor: z.number(),
  }),
);

/** The lines of a stored cost; none where it has none. */
export function linesOf(breakdown: unknown): z.infer<typeof stored> {
  return stored.safeParse(breakdown).data ?? [];
}

async function costOf(
  tx: Prisma.TransactionClient,
  charge: Priceable,
  book: TariffBook | null,
): Promise<CostFound> {
  const at = charge.startedAt.getTime();
  const tariff = book && tariffAt(book, charge.placeId, at);
  if (tariff === null || charge.endedAt === null || charge.state === 'DISCARDED') return noCost;
  const { currency, id } = tariff;
  const known = {
    startedAt: at,
    endedAt: charge.endedAt.getTime(),
    energyAddedKwh: charge.energyAddedKwh,
    energyUsedKwh: charge.energyUsedKwh,
    segments: charge.segments.map(({ startedAt, endedAt, energyAddedKwh }) => ({
      startedAt: startedAt.getTime(),
      endedAt: endedAt?.getTime() ?? null,
      energyAddedKwh,
    })),
  };
  if (billedKwh(known) === null) return noCost;
  const rules = rulesOf(tariff);
  // One price for all times needs no curve.
  const samples =
    rules.length === 0
      ? []
      : await readSamples(tx, charge.vehicleId, known.startedAt, known.endedAt);
  const { amountMinor, lines } = priceOf(
    { ...pricesOf(tariff), rules },
    { startedAt: at, windows: windowsOf(known, samples), idle: idleOf(known) },
  );
  const costAmount = majorOf(amountMinor, currency);
  return { costAmount, costCurrency: currency, costMethod: 'TARIFF', tariffId: id, lines };
}

function pricesOf({ currency, timezone, defaultRate }: Tariff) {
  return { currency, timezone, defaultRate: defaultRate.toFixed() };
}
