import { HOUR_MS } from '../base/units.ts';
import type { Sample } from '../contract/samples.ts';
import type { EnergyWindow } from './price-charge.ts';

/** What is known of a charge that ended; times are epoch ms. */
export type PricedCharge = {
  startedAt: number;
  endedAt: number;
  energyAddedKwh: number | null;
  energyUsedKwh: number | null;
  segments: readonly { startedAt: number; endedAt: number | null; energyAddedKwh: number | null }[];
};

/** Energy that is paid for: what the charger gave, or what came into the pack where that is more [kWh]. */
export function billedKwh({
  energyAddedKwh,
  energyUsedKwh,
}: Pick<PricedCharge, 'energyAddedKwh' | 'energyUsedKwh'>): number | null {
  if (energyAddedKwh === null && energyUsedKwh === null) return null;
  return Math.max(energyAddedKwh ?? 0, energyUsedKwh ?? 0);
}

/**
 * When the energy of a charge flowed: by its counter from sample to sample, else by its power, else evenly over its
 * segments, else evenly over all of it. The windows come to the energy that is paid for.
 */
export function windowsOf(charge: PricedCharge, samples: readonly Sample[]): EnergyWindow[] {
  const kwh = billedKwh(charge) ?? 0;
  if (kwh === 0) return [];
  const shapes = [
    pieces(samples, charge, counted),
    pieces(samples, charge, powered),
    segmentWindows(charge),
  ];
  const shape = shapes.find((windows) => sum(windows) > 0);
  if (shape === undefined) return [{ from: charge.startedAt, to: charge.endedAt, kwh }];
  const factor = kwh / sum(shape);
  return shape.map((window) => ({ ...window, kwh: window.kwh * factor }));
}

/** Time plugged in after the last energy; null where there is none. */
export function idleOf({ segments, endedAt }: PricedCharge): { from: number; to: number } | null {
  const from = segments.at(-1)?.endedAt ?? null;
  return from === null || from >= endedAt ? null : { from, to: endedAt };
}

function sum(windows: readonly EnergyWindow[]): number {
  return windows.reduce((total, { kwh }) => total + kwh, 0);
}

/** Energy between two samples [kWh]. */
type Measure = (before: Sample, after: Sample) => number;

/** A counter that fell began anew. */
const counted: Measure = (before, after) => {
  const { chargeEnergyAddedKwh: from } = before;
  const { chargeEnergyAddedKwh: to } = after;
  if (from === null || to === null) return 0;
  return to >= from ? to - from : to;
};

const powered: Measure = (before, after) =>
  (((before.chargerPowerKw ?? 0) + (after.chargerPowerKw ?? 0)) / 2) *
  ((after.at - before.at) / HOUR_MS);

function pieces(
  samples: readonly Sample[],
  { startedAt, endedAt }: PricedCharge,
  measure: Measure,
): EnergyWindow[] {
  const own = samples.filter(({ at }) => at >= startedAt && at <= endedAt);
  return own.slice(1).flatMap((after, index) => {
    const before = own[index];
    if (before === undefined) return [];
    const kwh = measure(before, after);
    return kwh > 0 ? [{ from: before.at, to: after.at, kwh }] : [];
  });
}

function segmentWindows({ segments, endedAt }: PricedCharge): EnergyWindow[] {
  return segments.map((segment) => ({
    from: segment.startedAt,
    to: segment.endedAt ?? endedAt,
    kwh: segment.energyAddedKwh ?? 0,
  }));
}
