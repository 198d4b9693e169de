import type { DriveRow } from '../contract/effects.ts';
import type { SignalName, SignalValues } from '../contract/signals.ts';
import { isPluggedIn } from './charge-begin.ts';
import { energyCounted, RESET_KWH, withChargeSample } from './charge-figures.ts';
import { newSegment, segmentsAfter } from './charge-segments.ts';
import { LEAST_GAP_MS } from './charge-unseen.ts';
import { LEAST_RISE_PCT } from './drive-begin.ts';
import type { OpenCharge } from './open-charge.ts';
import { levelOf } from './sample.ts';
import type { MachineState, Moment } from './state.ts';

/** What else of a vehicle that is found unplugged is still of its charge, where the level is above the last known. */
const levels = ['batteryLevelPct', 'usableBatteryLevelPct', 'rangeRatedKm'] as const;

/**
 * The session with what its counter shows after the cable came out; itself where that is nothing new. The counter keeps its
 * value until the next charge begins, so what flowed while nobody listened is in it (maker.md §3.2 R8). `at` is epoch ms.
 */
function withLastWord(charge: OpenCharge, values: SignalValues, at: number): OpenCharge {
  const { counter, counterKwh } = charge;
  const nowKwh = values[counter] ?? null;
  if (nowKwh === null || counterKwh === null || nowKwh <= counterKwh + RESET_KWH) return charge;
  const rose = (levelOf(values) ?? 0) > (charge.row.endBatteryLevelPct ?? 0);
  const names: readonly SignalName[] = rose ? [counter, ...levels] : [counter];
  const known = Object.fromEntries(
    names.flatMap((name) => (values[name] == null ? [] : [[name, values[name]]])),
  );
  const counted = { ...withChargeSample(charge, known, at, false), flowing: false };
  return { ...counted, segments: segmentsAfter(charge, counted, known, at) };
}

/**
 * The session with the flow that nobody saw since its last sample, where the vehicle was plugged in and at rest; itself where
 * nothing proves one. A segment holds it; before the first, the counter still showed the charge before.
 */
export function withUnseenFlow(
  charge: OpenCharge,
  values: SignalValues,
  { at, observation }: Moment,
): OpenCharge {
  const { counterKwh, lastAt, row, segments } = charge;
  if (charge.flowing || observation.source === 'STREAM' || at - lastAt < LEAST_GAP_MS)
    return charge;
  const nowKwh = values[charge.counter] ?? null;
  const anew = nowKwh !== null && counterKwh !== null && nowKwh < counterKwh - RESET_KWH;
  const changed = nowKwh !== null && counterKwh !== null && nowKwh > counterKwh + RESET_KWH;
  const isFirst = segments.length === 0 && charge.startSeen;
  // What flows now tells of its own beginning.
  const passed =
    values.chargeStatus !== 'CHARGING' && ((anew && nowKwh > RESET_KWH) || (changed && isFirst));
  const rosePct = (levelOf(values) ?? 0) - (row.endBatteryLevelPct ?? levelOf(values) ?? 0);
  if (rosePct < LEAST_RISE_PCT && !passed) return charge;
  const { fastChargerPresent } = values;
  const then = { batteryLevelPct: row.endBatteryLevelPct, fastChargerPresent };
  const segment = newSegment(segments.length, then, lastAt);
  return {
    ...charge,
    row: { ...row, kind: row.kind ?? segment.kind },
    segments: [...segments, segment],
    flowing: true,
    ...(anew ? { finishedRunsKwh: energyCounted(charge) ?? 0 } : {}),
    ...(anew || (isFirst && changed) ? { baseKwh: 0, counterKwh: 0 } : {}),
  };
}

/**
 * A session that a drive ended unseen, and when (epoch ms): with what flowed until then, where the counter still is its own.
 */
export function leftBehind(
  { values, drive }: MachineState,
  charge: OpenCharge,
  { moment, drove }: { moment: Moment; drove: DriveRow | null },
): { charge: OpenCharge; until: number } {
  const left = { charge, until: charge.lastAt };
  const drivenAt = drive?.row.startedAt ?? drove?.startedAt;
  if (isPluggedIn(values) !== false || drivenAt === undefined) return left;
  const until = Math.max(charge.lastAt, drivenAt);
  const flowed = withUnseenFlow(charge, values, { ...moment, at: until });
  const grown = withLastWord(flowed, moment.fresh, until);
  return grown === flowed ? left : { charge: grown, until };
}
