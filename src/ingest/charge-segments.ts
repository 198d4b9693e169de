import { rounded } from '../base/units.ts';
import type { ChargeSegmentRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { energyCounted } from './charge-figures.ts';
import type { OpenCharge } from './open-charge.ts';
import { levelOf } from './sample.ts';

/** The segments after a sample: one begins, goes on or ends with the current. */
export function segmentsAfter(
  before: OpenCharge,
  after: OpenCharge,
  values: SignalValues,
  at: number,
): ChargeSegmentRow[] {
  const open = before.segments.at(-1);
  const levelPct = levelOf(values);
  if (open === undefined || open.endedAt !== null) {
    return after.flowing
      ? [...before.segments, newSegment(before.segments.length, values, at)]
      : before.segments;
  }
  const earlierKwh = before.segments
    .slice(0, -1)
    .reduce((sum, segment) => sum + (segment.energyAddedKwh ?? 0), 0);
  const totalKwh = energyCounted(after);
  const grown: ChargeSegmentRow = {
    ...open,
    endedAt: after.flowing ? null : at,
    startBatteryLevelPct: open.startBatteryLevelPct ?? levelPct,
    endBatteryLevelPct: levelPct,
    energyAddedKwh: totalKwh === null ? null : rounded(Math.max(0, totalKwh - earlierKwh), 3),
    powerMaxKw: after.flowing
      ? Math.max(open.powerMaxKw ?? 0, values.chargerPowerKw ?? 0)
      : open.powerMaxKw,
  };
  return [...before.segments.slice(0, -1), grown];
}

/** A segment that begins at `at` (epoch ms); the levels are those of then. */
export function newSegment(ordinal: number, values: SignalValues, at: number): ChargeSegmentRow {
  return {
    ordinal,
    startedAt: at,
    endedAt: null,
    kind: values.fastChargerPresent === true ? 'DC' : 'AC',
    startBatteryLevelPct: levelOf(values),
    endBatteryLevelPct: levelOf(values),
    energyAddedKwh: null,
    powerMaxKw: values.chargerPowerKw ?? null,
  };
}
