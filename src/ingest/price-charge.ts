import { MINUTE_MS } from '../base/units.ts';
import type { CostLine, CostLineKind, Prices, TariffRule } from '../contract/tariffs.ts';
import { ruleStretches } from './tariff-times.ts';

/** Energy that flowed evenly over a stretch of time; times are epoch ms. */
export type EnergyWindow = { from: number; to: number; kwh: number };

/** What there is to pay for: energy in windows that do not overlap, and the time after it, plugged in. */
export type Consumption = {
  startedAt: number;
  windows: readonly EnergyWindow[];
  idle: { from: number; to: number } | null;
};

/** What a charge cost, in minor units of the currency, and the lines it is the sum of. */
export type Price = { amountMinor: number; lines: CostLine[] };

/** Decimals that rates and energy keep. */
const SCALE = 6;
const UNIT = 10n ** BigInt(SCALE);
/** Exact amounts are counted in this part of a major unit: it holds kWh x rate, and milliseconds x rate per minute. */
const EXACT_PER_MAJOR = 3n * UNIT * UNIT;

/**
 * What a charge costs by a tariff. Energy is taken to the milliwatt hour, time to the millisecond, and nothing else is
 * rounded but the total, to minor units, half away from zero; each line holds what it moves the rounded sum by, so the
 * lines come to the total. Cutting a window in two changes nothing.
 */
export function priceOf(prices: Prices, { startedAt, windows, idle }: Consumption): Price {
  const drafts: Draft[] = [
    ...sessionLine(prices, startedAt),
    ...usageLines(prices, windows),
    ...(idle === null ? [] : idleLines(prices, idle)),
  ];
  const perMinor = EXACT_PER_MAJOR / 10n ** BigInt(minorDigits(prices.currency));
  let exact = 0n;
  let told = 0n;
  const lines = drafts.map(({ exact: part, ...line }): CostLine => {
    exact += part;
    const total = roundedBy(exact, perMinor);
    const amountMinor = Number(total - told);
    told = total;
    return { ...line, amountMinor };
  });
  return { amountMinor: Number(told), lines };
}

type Draft = Omit<CostLine, 'amountMinor'> & { exact: bigint };

function sessionLine(prices: Prices, startedAt: number): Draft[] {
  const [first] = ruleStretches(prices, startedAt, startedAt + 1);
  const fee = first?.rule?.sessionFee ?? null;
  if (fee === null) return [];
  const exact = scaled(fee) * UNIT * 3n;
  return [{ kind: 'SESSION', from: startedAt, to: startedAt, kwh: null, rate: fee, exact }];
}

type Part = { from: number; to: number; kwh: number; rule: TariffRule | null };

function usageLines(prices: Prices, windows: readonly EnergyWindow[]): Draft[] {
  const parts: Part[] = [];
  for (const window of windows) {
    const lengthMs = window.to - window.from;
    // What has no length is energy that was only seen to have come.
    const stretches =
      lengthMs > 0
        ? ruleStretches(prices, window.from, window.to)
        : ruleStretches(prices, window.from, window.from + 1).map((one) => ({
            ...one,
            to: one.from,
          }));
    for (const { from, to, rule } of stretches) {
      const kwh = lengthMs > 0 ? (window.kwh * (to - from)) / lengthMs : window.kwh;
      const last = parts.at(-1);
      if (last !== undefined && last.rule === rule && last.to === from) {
        last.to = to;
        last.kwh += kwh;
      } else parts.push({ from, to, kwh, rule });
    }
  }
  return parts.flatMap((part) => [
    ...energyLine(prices, part),
    ...timeLine('TIME', part, part.rule?.ratePerMin),
  ]);
}

function energyLine({ defaultRate }: Prices, { from, to, kwh, rule }: Part): Draft[] {
  const units = BigInt(Math.round(kwh * Number(UNIT)));
  const rate = rule?.ratePerKwh ?? defaultRate;
  if (units === 0n) return [];
  const exact = units * scaled(rate) * 3n;
  return [{ kind: 'ENERGY', from, to, kwh: Number(units) / Number(UNIT), rate, exact }];
}

function timeLine(
  kind: CostLineKind,
  { from, to }: { from: number; to: number },
  rate: string | null | undefined,
): Draft[] {
  if (rate == null || to <= from) return [];
  const exact = (BigInt(to - from) * scaled(rate) * UNIT * 3n) / BigInt(MINUTE_MS);
  return [{ kind, from, to, kwh: null, rate, exact }];
}

function idleLines(prices: Prices, idle: { from: number; to: number }): Draft[] {
  return ruleStretches(prices, idle.from, idle.to).flatMap(({ rule, ...stretch }) =>
    timeLine('IDLE', stretch, rule?.idleFeePerMin),
  );
}

/** A decimal of at most six places as a whole number of millionths. */
function scaled(decimal: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] =
    /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(decimal) ?? [];
  const units = BigInt(whole) * UNIT + BigInt(fraction.padEnd(SCALE, '0'));
  return sign === '-' ? -units : units;
}

/** A quotient rounded half away from zero. */
function roundedBy(value: bigint, unit: bigint): bigint {
  const half = value < 0n ? -unit : unit;
  return (2n * value + half) / (2n * unit);
}

/** Decimals of the minor unit of a currency (ISO 4217): 2 for EUR, 0 for JPY. */
export function minorDigits(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** An amount in minor units as a decimal of major units. */
export function majorOf(amountMinor: number, currency: string): string {
  const digits = minorDigits(currency);
  return (amountMinor / 10 ** digits).toFixed(digits);
}
