import type { SignalName, SignalValues } from '../contract/signals.ts';
import { RESET_KWH, withChargeSample } from './charge-figures.ts';
import { segmentsAfter } from './charge-segments.ts';
import type { OpenCharge } from './state.ts';

/** What else of a vehicle that is found unplugged is still of its charge, where it was not driven since. */
export const lastWordAtRest = ['batteryLevelPct', 'usableBatteryLevelPct', 'rangeRatedKm'] as const;

/**
 * The session with what its counter shows after the cable came out; itself where that is nothing new. The counter keeps its
 * value until the next charge begins, so what flowed while nobody listened is in it (maker.md §3.2 R8). `at` is epoch ms.
 */
export function withLastWord(
  charge: OpenCharge,
  values: SignalValues,
  at: number,
  others: readonly SignalName[],
): OpenCharge {
  const { counter, counterKwh } = charge;
  const nowKwh = values[counter] ?? null;
  if (nowKwh === null || counterKwh === null || nowKwh <= counterKwh + RESET_KWH) return charge;
  const known = Object.fromEntries(
    [counter, ...others].flatMap((name) => (values[name] == null ? [] : [[name, values[name]]])),
  );
  const counted = { ...withChargeSample(charge, known, at, false), flowing: false };
  return { ...counted, segments: segmentsAfter(charge, counted, known, at) };
}
