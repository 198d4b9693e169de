import { z } from 'zod';
import { weekDays } from '../contract/tariffs.ts';
import type { Prisma, Tariff } from './generated/prisma/client.ts';

const rules = z.array(
  z.object({
    days: z.array(z.enum(weekDays)).nullable(),
    startMinute: z.number(),
    endMinute: z.number(),
    months: z.array(z.number()).nullable(),
    ratePerKwh: z.string().nullable(),
    ratePerMin: z.string().nullable(),
    sessionFee: z.string().nullable(),
    idleFeePerMin: z.string().nullable(),
  }),
);

/** The rules of a stored tariff. */
export function rulesOf({ rules: stored }: Pick<Tariff, 'rules'>): z.infer<typeof rules> {
  return rules.parse(stored);
}

/** The tariffs of an account, and which of them its places chose, by the place's id. */
export type TariffBook = { tariffs: readonly Tariff[]; chosen: ReadonlyMap<string, string> };

/** Reads the tariffs of an account; null where it has none. */
export async function readTariffBook(
  tx: Prisma.TransactionClient,
  accountId: string,
): Promise<TariffBook | null> {
  const tariffs = await tx.tariff.findMany({
    where: { accountId },
    orderBy: { createdAt: 'desc' },
  });
  if (tariffs.length === 0) return null;
  const places = await tx.place.findMany({
    where: { accountId, tariffId: { not: null } },
    select: { id: true, tariffId: true },
  });
  const chosen = places.flatMap(({ id, tariffId }) =>
    tariffId === null ? [] : [[id, tariffId] as const],
  );
  return { tariffs, chosen: new Map(chosen) };
}

/**
 * The tariff of a charge that began at a place at a time (epoch ms): the one the place chose, while it holds, else of
 * those that name the place the one that holds since last.
 */
export function tariffAt(
  { tariffs, chosen }: TariffBook,
  placeId: string | null,
  at: number,
): Tariff | null {
  if (placeId === null) return null;
  const valid = tariffs.filter(
    ({ validFrom, validTo }) =>
      (validFrom === null || validFrom.getTime() <= at) &&
      (validTo === null || at < validTo.getTime()),
  );
  const wanted = valid.find(({ id }) => id === chosen.get(placeId));
  if (wanted !== undefined) return wanted;
  const since = ({ validFrom }: Tariff) => validFrom?.getTime() ?? Number.NEGATIVE_INFINITY;
  return valid
    .filter((tariff) => tariff.placeId === placeId)
    .reduce<Tariff | null>(
      (best, one) => (best === null || since(one) > since(best) ? one : best),
      null,
    );
}
