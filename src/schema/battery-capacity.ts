import { rounded } from '../base/units.ts';
import { packKwh } from '../contract/vehicle-settings.ts';
import type { CapacityCharge } from '../store/battery-charges.ts';

/** Charges that the median is taken of, the newest ones (issue 3, battery health). */
const MEDIAN_OF = 20;

/** Bounds of a pack as parts of its original capacity; counters and rounded levels stray beyond 100 %. */
const OF_ORIGINAL = { least: 0.5, most: 1.15 };

/** What a share of charges at least, and their spread at most, make of the confidence. */
const HIGH = { samples: 10, spreadPct: 3 };
const MEDIUM = { samples: 4, spreadPct: 6 };

/** Capacity of the pack as one charge shows it. */
export type CapacitySample = {
  chargeId: string;
  at: Date;
  /** Levels gained [%]. */
  risePct: number;
  energyAddedKwh: number;
  capacityKwh: number;
};

export type Confidence = 'NONE' | 'LOW' | 'MEDIUM' | 'HIGH';

/** How a pack does, and what that rests on. */
export type Capacity = {
  capacityKwh: number | null;
  originalCapacityKwh: number | null;
  degradationPct: number | null;
  /** Middle deviation from the median, as a part of it [%]. */
  spreadPct: number | null;
  confidence: Confidence;
  samples: CapacitySample[];
};

/**
 * Usable capacity of a pack from its charges, the newest first.
 *
 * Each charge gives `energy added / (end level - start level) * 100`; those outside plausible bounds are left out: 50 % to 115 %
 * of the original capacity, or 10 to 300 kWh where that is not known. The capacity is the median of the newest 20 that are
 * left, and the degradation `100 * (1 - capacity / original)`, never below 0. The energy is the vehicle's counter at the pack,
 * so losses of the charger are no part of it.
 */
export function capacityOf(
  charges: readonly CapacityCharge[],
  originalCapacityKwh: number | null,
): Capacity {
  const samples = charges
    .map(sampleOf)
    .filter(({ capacityKwh }) => isPlausible(capacityKwh, originalCapacityKwh))
    .slice(0, MEDIAN_OF);
  const median = medianOf(samples.map(({ capacityKwh }) => capacityKwh));
  if (median === null) {
    const none = { capacityKwh: null, degradationPct: null, spreadPct: null };
    return { ...none, originalCapacityKwh, confidence: 'NONE', samples };
  }
  const deviation = medianOf(samples.map(({ capacityKwh }) => Math.abs(capacityKwh - median))) ?? 0;
  const spreadPct = rounded((100 * deviation) / median, 1);
  return {
    capacityKwh: rounded(median, 2),
    originalCapacityKwh,
    degradationPct:
      originalCapacityKwh === null
        ? null
        : rounded(Math.max(0, 100 * (1 - median / originalCapacityKwh)), 1),
    spreadPct,
    confidence: confidenceOf(samples.length, spreadPct),
    samples,
  };
}

function sampleOf(charge: CapacityCharge): CapacitySample {
  const { id, startedAt, startBatteryLevelPct, endBatteryLevelPct, energyAddedKwh } = charge;
  const risePct = endBatteryLevelPct - startBatteryLevelPct;
  const capacityKwh = rounded((100 * energyAddedKwh) / risePct, 3);
  return { chargeId: id, at: startedAt, risePct: rounded(risePct, 1), energyAddedKwh, capacityKwh };
}

function isPlausible(capacityKwh: number, originalKwh: number | null): boolean {
  const least = originalKwh === null ? packKwh.least : originalKwh * OF_ORIGINAL.least;
  const most = originalKwh === null ? packKwh.most : originalKwh * OF_ORIGINAL.most;
  return capacityKwh >= least && capacityKwh <= most;
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (upper + lower) / 2;
}

function confidenceOf(samples: number, spreadPct: number): Confidence {
  if (samples >= HIGH.samples && spreadPct <= HIGH.spreadPct) return 'HIGH';
  return samples >= MEDIUM.samples && spreadPct <= MEDIUM.spreadPct ? 'MEDIUM' : 'LOW';
}
