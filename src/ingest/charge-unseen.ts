import { derivedUuid } from '../base/ids.ts';
import { HOUR_MS, MINUTE_MS, rounded } from '../base/units.ts';
import type { ChargeRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { counterOf, emptyCharge, isPluggedIn } from './charge-begin.ts';
import { ASSUMED_SPEED_KMH, gainedKm, ODOMETER_EVIDENCE_KM } from './drive-begin.ts';
import type { EnergyCounter } from './open-charge.ts';
import { levelOf } from './sample.ts';
import type { Earlier, MachineState, Moment } from './state.ts';
import { UNEXPLAINED_KM } from './stream.ts';

/** A shorter silence holds no charge that is worth telling of (maker.md §3.1, charged while offline). */
const LEAST_GAP_MS = 5 * MINUTE_MS;
/** Rise of the level that only a charger explains [%]; the usable level alone also rises as the pack warms up. */
const LEAST_RISE_PCT = 3;
const LEAST_USABLE_RISE_PCT = 6;
/** The same where the vehicle moved meanwhile: down a mountain it gains some [%]. */
const LEAST_RISE_ON_THE_WAY_PCT = 10;

/** Id of the charge that nobody saw after the battery of a vehicle was last heard of at `from` (epoch ms). */
export function unseenChargeId(vehicleId: string, from: number): string {
  return derivedUuid(from, vehicleId, 'charge unseen');
}

/** A charge that nobody saw, between the last word of the battery and this one; null where nothing proves one. */
export function unseenCharge(state: MachineState, moment: Moment): ChargeRow | null {
  const { before, at, context } = moment;
  const { values } = state;
  const from = state.charge === null ? gapBegan(values, moment) : null;
  if (from === null || missedBeginning(values, moment) !== null) return null;
  const movedKm = movedSince(before, values);
  const moved = movedKm >= leastMove(moment);
  // What was driven after it at the assumed speed is not charging time.
  const endedAt = moved
    ? Math.max(from, Math.round(at - (movedKm / ASSUMED_SPEED_KMH) * HOUR_MS))
    : at;
  const addedKwh = energyAdded(before, values, context.efficiencyWhPerKm);
  const row = emptyCharge(state, moment, true);
  return {
    ...row,
    id: unseenChargeId(context.vehicleId, from),
    state: 'INCOMPLETE',
    startedAt: from,
    endedAt,
    ...(moved
      ? { latitude: null, longitude: null, placeId: null, network: 'UNKNOWN', odometerKm: null }
      : {}),
    startBatteryLevelPct: levelOf(before.values),
    endBatteryLevelPct: levelOf(values),
    startRangeRatedKm: before.values.rangeRatedKm ?? null,
    endRangeRatedKm: values.rangeRatedKm ?? null,
    energyAddedKwh: addedKwh === null ? null : rounded(addedKwh, 3),
  };
}

/**
 * Where the charge that nobody saw begin still has its cable in: when it began (epoch ms) and what was known then. The
 * session is followed with all its counter counted; after a drive nothing tells when it was plugged in.
 */
export function missedBeginning(
  values: SignalValues,
  moment: Moment,
): { at: number; values: SignalValues } | null {
  const { before, at } = moment;
  const from = gapBegan(values, moment);
  if (from === null || !isCountedAnew(before.values, values, counterOf(values, moment)))
    return null;
  if (isPluggedIn(before.values) !== false || isPluggedIn(values) !== true) return null;
  const moved = movedSince(before, values) >= leastMove(moment);
  return moved ? { at, values } : { at: from, values: before.values };
}

/** What was driven since the battery was last heard of [km]; in a stream, other records came in between. */
function movedSince(before: Earlier, values: SignalValues): number {
  const odometerKm = before.chargeOdometerKm ?? before.values.odometerKm;
  return gainedKm({ values: { odometerKm } }, values);
}

/** The odometer's last step of a drive may be told after the battery's last word, where they come apart [km]. */
function leastMove({ observation }: Moment): number {
  return observation.source === 'STREAM' ? UNEXPLAINED_KM : ODOMETER_EVIDENCE_KM;
}

/** When the silence began (epoch ms) in which a charge is proven; null without one. */
function gapBegan(values: SignalValues, moment: Moment): number | null {
  const { before, at } = moment;
  const from = before.chargeSeenAt;
  if (from === null || at - from < LEAST_GAP_MS) return null;
  return isPluggedBefore(before) || !roseByCharging(values, moment) ? null : from;
}

/** A session that was under way is followed as such; a gap in it is no session of its own. */
function isPluggedBefore({ values }: Earlier): boolean {
  return values.pluggedIn === true || (values.chargeStatus ?? 'DISCONNECTED') !== 'DISCONNECTED';
}

function roseByCharging(now: SignalValues, moment: Moment): boolean {
  const { values: before } = moment.before;
  const [from, to] = [levelOf(before), levelOf(now)];
  if (from === null || to === null) return false;
  const moved = movedSince(moment.before, now) >= leastMove(moment);
  const counted = isCountedAnew(before, now);
  if (moved && !counted) return to - from >= LEAST_RISE_ON_THE_WAY_PCT;
  const known = before.batteryLevelPct != null && now.batteryLevelPct != null;
  return to - from >= (known || counted ? LEAST_RISE_PCT : LEAST_USABLE_RISE_PCT);
}

/** Whether the counter of a charge shows another one than before. */
function isCountedAnew(
  before: Earlier['values'],
  now: SignalValues,
  counter: EnergyCounter = 'chargeEnergyAddedKwh',
): boolean {
  const kwh = now[counter] ?? null;
  return kwh !== null && kwh > 0 && before[counter] != null && kwh !== before[counter];
}

/** By the charge's own counter, else by the energy in the pack, else by the range. */
function energyAdded(
  { values: before }: Earlier,
  now: SignalValues,
  efficiencyWhPerKm: number | null,
): number | null {
  if (isCountedAnew(before, now)) return now.chargeEnergyAddedKwh ?? null;
  if (before.energyRemainingKwh != null && now.energyRemainingKwh != null)
    return Math.max(0, now.energyRemainingKwh - before.energyRemainingKwh);
  if (before.rangeRatedKm == null || now.rangeRatedKm == null || efficiencyWhPerKm === null)
    return null;
  return Math.max(0, ((now.rangeRatedKm - before.rangeRatedKm) * efficiencyWhPerKm) / 1000);
}
