import { derivedUuid } from '../base/ids.ts';
import { MINUTE_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { ChargeRow, ChargeSegmentRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { type ChargerOwner, chargerOwner } from '../maker/charger.ts';
import { energyCounted, withChargeSample } from './charge-figures.ts';
import { positionOf } from './geodesy.ts';
import { placeAt } from './places.ts';
import { sampleOf } from './sample.ts';
import { type MachineState, type Moment, noMean, type OpenCharge } from './state.ts';

/** A counter below this at the first sight of a session has only begun [kWh] (maker.md §3.2 R14). */
const FRESH_COUNTER_KWH = 0.1;

/** Whether what is known says that a cable is in; null where it says nothing. */
function isPluggedIn(values: SignalValues): boolean | null {
  if (values.chargeStatus != null && values.chargeStatus !== 'UNKNOWN') {
    return values.chargeStatus !== 'DISCONNECTED';
  }
  return values.pluggedIn ?? null;
}

/** Whether energy flows into the pack now. */
function isFlowing(values: SignalValues): boolean {
  return (
    values.chargeStatus === 'CHARGING' ||
    (values.chargeStatus === 'STARTING' && (values.chargerPowerKw ?? 0) > 0)
  );
}

/** Follows the plug-in session: opens, continues or ends it. Returns the charge that ended here, for the trip. */
export function followCharge(
  state: MachineState,
  moment: Moment,
): { state: MachineState; ended: ChargeRow | null } {
  if (state.drive !== null && state.charge !== null) {
    // A vehicle that drives has no cable in it: the end was not seen.
    return unplugged(state, moment, state.charge.lastAt, true);
  }
  const speaks =
    'chargeStatus' in moment.fresh ||
    'chargerPowerKw' in moment.fresh ||
    'chargeEnergyAddedKwh' in moment.fresh;
  const plugged = isPluggedIn(state.values);
  if (!speaks || plugged === null || state.drive !== null) return { state, ended: null };
  if (state.charge === null)
    return plugged ? { state: pluggedIn(state, moment), ended: null } : { state, ended: null };
  if (!plugged) return unplugged(state, moment, moment.at, false);
  return {
    state: told(
      { ...state, charge: sampled(state.charge, state.values, moment) },
      moment,
      'charge.updated',
    ),
    ended: null,
  };
}

function pluggedIn(state: MachineState, moment: Moment): MachineState {
  const { values } = state;
  const sawItBegin = isPluggedIn(moment.before.values) === false;
  const counterKwh = values.chargeEnergyAddedKwh ?? null;
  const beganAtZero = counterKwh !== null && counterKwh < FRESH_COUNTER_KWH;
  // Before energy flows the counter still shows the charge before; once it flows, the session was already under way.
  const partial = !sawItBegin && isFlowing(values) && !beganAtZero;
  const earlierKwh = moment.before.values.chargeEnergyAddedKwh ?? null;
  const baseKwh =
    sawItBegin && earlierKwh !== null && counterKwh !== null && counterKwh >= earlierKwh
      ? earlierKwh
      : counterKwh;
  const wasReset =
    sawItBegin &&
    isFlowing(values) &&
    earlierKwh !== null &&
    counterKwh !== null &&
    counterKwh < earlierKwh;
  const charge: OpenCharge = {
    row: emptyCharge(state, moment, partial),
    segments: [],
    lastAt: moment.at,
    flowing: false,
    lastPowerKw: null,
    baseKwh: beganAtZero || wasReset ? 0 : baseKwh,
    counterKwh,
    finishedRunsKwh: 0,
    flowMs: 0,
    usedKwh: 0,
    outsideTemp: noMean,
  };
  return told({ ...state, charge: sampled(charge, values, moment) }, moment, 'charge.started');
}

function emptyCharge(state: MachineState, moment: Moment, energyPartial: boolean): ChargeRow {
  const { values } = state;
  const position = positionOf(values.latitude, values.longitude);
  const place = placeAt(moment.context.places, position);
  return {
    id: derivedUuid(moment.at, moment.context.vehicleId, 'charge'),
    state: 'ONGOING',
    discardReason: null,
    startedAt: moment.at,
    endedAt: null,
    durationS: 0,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    placeId: place?.id ?? null,
    kind: null,
    network: networkOf(chargerOwner(values), place?.kind),
    startBatteryLevelPct: values.batteryLevelPct ?? null,
    endBatteryLevelPct: null,
    startRangeRatedKm: values.rangeRatedKm ?? null,
    endRangeRatedKm: null,
    energyAddedKwh: null,
    energyPartial,
    energyUsedKwh: null,
    efficiencyPct: null,
    powerMaxKw: null,
    powerAvgKw: null,
    odometerKm: values.odometerKm ?? null,
    outsideTempAvgC: null,
    idleMinutes: null,
    limitPct: values.chargeLimitPct ?? null,
    sampleCount: 0,
    source: moment.observation.source,
  };
}

function networkOf(owner: ChargerOwner, placeKind: string | undefined): ChargeRow['network'] {
  if (owner !== 'UNKNOWN') return owner;
  return placeKind === 'HOME' || placeKind === 'WORK' ? placeKind : 'UNKNOWN';
}

/** One more sample: the figures, and the segment that begins, goes on or ends with the current. */
function sampled(charge: OpenCharge, values: SignalValues, moment: Moment): OpenCharge {
  const flowing = isFlowing(values);
  if (flowing || charge.flowing)
    moment.effects.push({ kind: 'sample', sample: sampleOf(moment.at, values) });
  const counted = withChargeSample(charge, values, moment.at, flowing);
  const owner = chargerOwner(values);
  const network = owner === 'UNKNOWN' ? counted.row.network : owner;
  const next: OpenCharge = { ...counted, flowing, row: { ...counted.row, network } };
  return { ...next, segments: segmentsAfter(charge, next, values, moment.at) };
}

function segmentsAfter(
  before: OpenCharge,
  after: OpenCharge,
  values: SignalValues,
  at: number,
): ChargeSegmentRow[] {
  const open = before.segments.at(-1);
  const levelPct = values.batteryLevelPct ?? null;
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
    endBatteryLevelPct: levelPct,
    energyAddedKwh: totalKwh === null ? null : rounded(Math.max(0, totalKwh - earlierKwh), 3),
    powerMaxKw: after.flowing
      ? Math.max(open.powerMaxKw ?? 0, values.chargerPowerKw ?? 0)
      : open.powerMaxKw,
  };
  return [...before.segments.slice(0, -1), grown];
}

function newSegment(ordinal: number, values: SignalValues, at: number): ChargeSegmentRow {
  return {
    ordinal,
    startedAt: at,
    endedAt: null,
    kind: values.fastChargerPresent === true ? 'DC' : 'AC',
    startBatteryLevelPct: values.batteryLevelPct ?? null,
    endBatteryLevelPct: values.batteryLevelPct ?? null,
    energyAddedKwh: null,
    powerMaxKw: values.chargerPowerKw ?? null,
  };
}

function told(
  state: MachineState,
  moment: Moment,
  type: 'charge.started' | 'charge.updated',
): MachineState {
  const charge = state.charge;
  if (charge === null) return state;
  moment.effects.push({ kind: 'charge', row: charge.row, segments: charge.segments });
  moment.effects.push({
    kind: 'event',
    type,
    occurredAt: moment.at,
    data: { chargeId: charge.row.id, state: 'ONGOING' },
  });
  return state;
}

function unplugged(
  state: MachineState,
  moment: Moment,
  endedAt: number,
  unseen: boolean,
): { state: MachineState; ended: ChargeRow | null } {
  const charge = state.charge;
  if (charge === null) return { state, ended: null };
  const last = charge.segments.at(-1);
  const segments =
    last && last.endedAt === null
      ? [...charge.segments.slice(0, -1), { ...last, endedAt }]
      : charge.segments;
  const durationS = Math.round(charge.flowMs / SECOND_MS);
  const row: ChargeRow = {
    ...charge.row,
    ...outcome(charge, segments, unseen),
    endedAt,
    durationS,
    idleMinutes: rounded(
      Math.max(0, endedAt - charge.row.startedAt - charge.flowMs) / MINUTE_MS,
      1,
    ),
  };
  moment.effects.push(
    { kind: 'charge', row, segments },
    { kind: 'seal', from: row.startedAt, to: charge.lastAt },
  );
  moment.effects.push({
    kind: 'event',
    type: 'charge.ended',
    occurredAt: moment.at,
    data: { chargeId: row.id, state: row.state },
  });
  return { state: { ...state, charge: null }, ended: row };
}

function outcome(
  charge: OpenCharge,
  segments: ChargeSegmentRow[],
  unseen: boolean,
): Pick<ChargeRow, 'state' | 'discardReason'> {
  if (segments.length === 0) return { state: 'DISCARDED', discardReason: 'no_energy' };
  const { endBatteryLevelPct: levelPct, limitPct } = charge.row;
  if (levelPct !== null && limitPct !== null && levelPct >= limitPct - 1)
    return { state: 'COMPLETE', discardReason: null };
  return { state: unseen ? 'INCOMPLETE' : 'STOPPED', discardReason: null };
}
