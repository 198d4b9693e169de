import { rounded } from '../base/units.ts';
import type { ParkedSpan } from '../store/generated/prisma/client.ts';

/** A parked span as far as its range and levels tell what it lost. */
export type SpanEnds = Pick<
  ParkedSpan,
  | 'energyAddedKwh'
  | 'startBatteryLevelPct'
  | 'startRangeRatedKm'
  | 'endBatteryLevelPct'
  | 'endRangeRatedKm'
>;

/**
 * Energy that a parked span lost, in kWh, where the vehicle does not tell the energy in its pack: what it held at the start
 * (capacity * level), times the part of the range that was lost, or of the level where the range is not known; never below
 * 0. Null while it lasts, and where anything was charged, which would be most of the difference.
 */
export function lostByRange(span: SpanEnds, capacityKwh: number | null): number | null {
  const { energyAddedKwh, startBatteryLevelPct: level } = span;
  if (capacityKwh === null || level === null || level <= 0 || energyAddedKwh > 0) return null;
  const part =
    partLost(span.startRangeRatedKm, span.endRangeRatedKm) ??
    partLost(level, span.endBatteryLevelPct);
  return part === null ? null : rounded(Math.max(0, (capacityKwh * level * part) / 100), 3);
}

function partLost(start: number | null, end: number | null): number | null {
  return start === null || end === null || start <= 0 ? null : (start - end) / start;
}
