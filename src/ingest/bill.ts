import { DAY_MS, HOUR_MS } from '../base/units.ts';
import { type CostLine, tariffLimits } from '../contract/tariffs.ts';
import type { ChargingSession, SessionFee } from '../maker/charging-history.ts';
import { majorOf, minorDigits } from './price-charge.ts';
import type { CostFound } from './price-charges.ts';

/** How long after a charge ended the maker is asked what it cost [ms]: bills come late. */
const ASKED_AFTER_MS = [HOUR_MS, 6 * HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS] as const;

/** How long after its end a charge is asked for last [ms]. */
export const LAST_ASKED_AFTER_MS = Math.max(...ASKED_AFTER_MS);

/**
 * Whether the maker is to be asked at `at` about a charge that ended at `endedAt`, having been asked at `since`, or never,
 * before (all epoch ms): growing pauses, whatever pauses the asking itself has.
 */
export function isBillDue(endedAt: number, since: number | null, at: number): boolean {
  return ASKED_AFTER_MS.some((afterMs) => {
    const dueAt = endedAt + afterMs;
    return dueAt <= at && (since === null || dueAt > since);
  });
}

/** A stretch of time; epoch ms. */
type Stretch = { startedAt: number; endedAt: number };

/**
 * Charges with the sessions they were: the most time shared first, each of either once, and at least half of the shorter of
 * the two.
 */
export function matchSessions<C extends Stretch, S extends Stretch>(
  charges: readonly C[],
  sessions: readonly S[],
): { charge: C; session: S }[] {
  const pairs = charges.flatMap((charge) =>
    sessions.flatMap((session) => {
      const sharedMs = shared(charge, session);
      const enoughMs = Math.min(lengthOf(charge), lengthOf(session)) / 2;
      return sharedMs > 0 && sharedMs >= enoughMs ? [{ charge, session, sharedMs }] : [];
    }),
  );
  const taken = new Set<C | S>();
  return pairs
    .sort((a, b) => b.sharedMs - a.sharedMs)
    .flatMap(({ charge, session }) => {
      if (taken.has(charge) || taken.has(session)) return [];
      taken.add(charge).add(session);
      return [{ charge, session }];
    });
}

function lengthOf({ startedAt, endedAt }: Stretch): number {
  return endedAt - startedAt;
}

function shared(one: Stretch, other: Stretch): number {
  return Math.min(one.endedAt, other.endedAt) - Math.max(one.startedAt, other.startedAt);
}

/** What a session costs: the sum of what is due, in minor units of the currency; free where that is nothing. */
export function costOfSession(session: ChargingSession): CostFound {
  const { currency, fees } = session;
  if (currency === null) return free(null);
  const lines = fees.flatMap((fee) => lineOf(fee, currency, session));
  const amountMinor = lines.reduce((sum, line) => sum + line.amountMinor, 0);
  if (amountMinor <= 0) return free(currency);
  const costAmount = majorOf(amountMinor, currency);
  return { costAmount, costCurrency: currency, costMethod: 'INVOICE', tariffId: null, lines };
}

function free(currency: string | null): CostFound {
  const costAmount = currency === null ? null : majorOf(0, currency);
  return { costAmount, costCurrency: currency, costMethod: 'FREE', tariffId: null, lines: [] };
}

/** A fee without a price per unit is one that is paid once. */
function lineOf(fee: SessionFee, currency: string, { startedAt, endedAt }: Stretch): CostLine[] {
  const { kind, rate, usage, due } = fee;
  const amountMinor = Math.round(due * 10 ** minorDigits(currency));
  if (amountMinor === 0) return [];
  const stretch = { from: startedAt, to: endedAt };
  if (kind === 'OTHER' || rate === null || usage === null) {
    const once = majorOf(amountMinor, currency);
    return [{ kind: 'SESSION', ...stretch, kwh: null, rate: once, amountMinor }];
  }
  const kwh = kind === 'ENERGY' ? usage : null;
  const decimal = String(Number(rate.toFixed(tariffLimits.decimals)));
  return [{ kind, ...stretch, kwh, rate: decimal, amountMinor }];
}
