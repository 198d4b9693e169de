import { MINUTE_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { ChargeRow, ChargeSegmentRow, DriveRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { chargerOwner } from '../maker/charger.ts';
import { counterOf, emptyCharge, isPluggedIn } from './charge-begin.ts';
import { FRESH_COUNTER_KWH, onCounter, withChargeSample } from './charge-figures.ts';
import { withLastCharge, withLateCounter } from './charge-late.ts';
import { newSegment, segmentsAfter } from './charge-segments.ts';
import { missedBeginning } from './charge-unseen.ts';
import { noMean } from './mean.ts';
import type { OpenCharge } from './open-charge.ts';
import { sampleOf } from './sample.ts';
import type { MachineState, Moment } from './state.ts';

/** Whether energy flows into the pack now. A stream's alternating current flows from its start (contract §0 Ingest). */
function isFlowing(values: SignalValues, moment: Moment): boolean {
  if (values.chargeStatus === 'CHARGING') return true;
  if (values.chargeStatus !== 'STARTING') return false;
  if ((values.chargerPowerKw ?? 0) > 0) return true;
  return moment.observation.source === 'STREAM' && values.fastChargerPresent !== true;
}

/** Signals of a stream that make a sample of a charge. */
const sampledSignals = [
  'batteryLevelPct',
  'usableBatteryLevelPct',
  'dcEnergyInKwh',
  'acEnergyInKwh',
  'energyRemainingKwh',
  'chargerVoltageV',
  'chargeActualCurrentA',
  'fastChargerPresent',
] as const;

function speaksOfCharge({ fresh, observation }: Moment): boolean {
  if ('chargeStatus' in fresh || 'chargerPowerKw' in fresh || 'chargeEnergyAddedKwh' in fresh)
    return true;
  return observation.source === 'STREAM' && sampledSignals.some((name) => name in fresh);
}

/**
 * Follows the plug-in session: opens, continues or ends it; `drove` is the drive that ended in the same step. Returns the
 * charge that ended here, for the trip.
 */
export function followCharge(
  state: MachineState,
  moment: Moment,
  drove: DriveRow | null,
): { state: MachineState; ended: ChargeRow | null } {
  const plugged = state.drive === null && speaksOfCharge(moment) ? isPluggedIn(state.values) : null;
  const moved = state.drive !== null || (drove !== null && drove.state !== 'DISCARDED');
  if (state.charge !== null && moved) {
    // A vehicle that drives has no cable in it: the end was not seen.
    const gone = unplugged(state, moment, state.charge.lastAt, true);
    return plugged === true ? { ...gone, state: pluggedIn(gone.state, moment) } : gone;
  }
  if (plugged === null) return { state, ended: null };
  if (state.charge === null)
    return {
      state: plugged ? pluggedIn(state, moment) : withLateCounter(state, moment),
      ended: null,
    };
  if (!plugged) {
    const charge = sampled(state.charge, withoutFall(state.charge, state.values), moment);
    return pulledOut({ ...state, charge }, charge, moment);
  }
  return {
    state: told(
      { ...state, charge: sampled(state.charge, state.values, moment) },
      moment,
      'charge.updated',
    ),
    ended: null,
  };
}

/** The end of a session that was seen. */
function pulledOut(state: MachineState, charge: OpenCharge, moment: Moment) {
  const { state: free, ended, segments } = unplugged(state, moment, moment.at, false);
  if (ended === null) return { state: free, ended };
  return { state: withLastCharge(free, { ...charge, row: ended, segments }), ended };
}

/** What is known when the cable is out: a counter that has fallen by then is that of no charge any more. */
function withoutFall({ counter, counterKwh }: OpenCharge, values: SignalValues): SignalValues {
  const nowKwh = values[counter] ?? null;
  if (nowKwh === null || counterKwh === null || nowKwh >= counterKwh) return values;
  return { ...values, [counter]: counterKwh };
}

function pluggedIn(state: MachineState, moment: Moment): MachineState {
  const { values } = state;
  const sawItBegin = isPluggedIn(moment.before.values) === false;
  const flowing = isFlowing(values, moment);
  const counter = counterOf(values, moment);
  const counterKwh = values[counter] ?? null;
  const beganAtZero = counterKwh !== null && counterKwh < FRESH_COUNTER_KWH;
  // Before energy flows the counter still shows the charge before; once it flows, the session was already under way.
  const partial = !sawItBegin && flowing && !beganAtZero;
  const earlierKwh = moment.before.values[counter] ?? null;
  const baseKwh =
    sawItBegin && earlierKwh !== null && counterKwh !== null && counterKwh >= earlierKwh
      ? earlierKwh
      : counterKwh;
  const wasReset =
    sawItBegin && flowing && earlierKwh !== null && counterKwh !== null && counterKwh < earlierKwh;
  const charge: OpenCharge = {
    row: emptyCharge(state, moment, partial && counterKwh !== null),
    segments: [],
    lastAt: moment.at,
    flowing: false,
    lastPowerKw: null,
    counter,
    startSeen: sawItBegin || !flowing,
    baseKwh: beganAtZero || wasReset ? 0 : baseKwh,
    counterKwh,
    finishedRunsKwh: 0,
    flowMs: 0,
    usedKwh: 0,
    outsideTemp: noMean,
  };
  const begun = sampled(caughtUp(charge, values, moment), values, moment);
  return told({ ...state, charge: begun }, moment, 'charge.started');
}

/** The session as it was when it began unseen: energy has flowed into it since, and its counter began at nothing. */
function caughtUp(charge: OpenCharge, values: SignalValues, moment: Moment): OpenCharge {
  const missed = missedBeginning(values, moment);
  if (missed === null) return charge;
  const { at, values: then } = missed;
  const { fastChargerPresent } = values;
  const segment = newSegment(0, { ...then, fastChargerPresent }, at);
  return {
    ...charge,
    row: {
      ...charge.row,
      startedAt: at,
      kind: segment.kind,
      startBatteryLevelPct: segment.startBatteryLevelPct,
      startRangeRatedKm: then.rangeRatedKm ?? null,
      energyPartial: false,
    },
    segments: [segment],
    lastAt: at,
    flowing: true,
    startSeen: true,
    baseKwh: 0,
  };
}

/** One more sample: the figures, and the segment that begins, goes on or ends with the current. */
function sampled(charge: OpenCharge, values: SignalValues, moment: Moment): OpenCharge {
  const flowing = isFlowing(values, moment);
  const counted = withChargeSample(onCounter(charge, moment), values, moment.at, flowing);
  if (flowing || charge.flowing) {
    const sample = sampleOf(moment.at, values);
    const chargeEnergyAddedKwh = values[counted.counter] ?? null;
    moment.effects.push({ kind: 'sample', sample: { ...sample, chargeEnergyAddedKwh } });
  }
  const owner = chargerOwner(values, moment.observation.source);
  const network = owner === 'UNKNOWN' ? counted.row.network : owner;
  const complete = values.chargeStatus === 'COMPLETE' || (counted.complete === true && !flowing);
  const next: OpenCharge = { ...counted, flowing, complete, row: { ...counted.row, network } };
  return { ...next, segments: segmentsAfter(charge, next, values, moment.at) };
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

/** Ends the session at `endedAt` (epoch ms); `unseen` says that nobody saw the cable come out. */
export function unplugged(
  state: MachineState,
  moment: Pick<Moment, 'at' | 'effects'>,
  endedAt: number,
  unseen: boolean,
): { state: MachineState; ended: ChargeRow | null; segments: ChargeSegmentRow[] } {
  const charge = state.charge;
  if (charge === null) return { state, ended: null, segments: [] };
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
  return { state: { ...state, charge: null }, ended: row, segments };
}

function outcome(
  charge: OpenCharge,
  segments: ChargeSegmentRow[],
  unseen: boolean,
): Pick<ChargeRow, 'state' | 'discardReason'> {
  const { endBatteryLevelPct: levelPct, limitPct } = charge.row;
  if (segments.length === 0 || tookNothing(charge.row))
    return { state: 'DISCARDED', discardReason: 'no_energy' };
  const reached = levelPct !== null && limitPct !== null && levelPct >= limitPct - 1;
  if (charge.complete === true || reached) return { state: 'COMPLETE', discardReason: null };
  return { state: unseen ? 'INCOMPLETE' : 'STOPPED', discardReason: null };
}

/** Whether nothing at all shows that energy came in: the counter stood, no power was seen and the level did not rise. */
function tookNothing(row: ChargeRow): boolean {
  const roseTo = row.endBatteryLevelPct ?? 0;
  return (
    (row.energyAddedKwh ?? 0) === 0 &&
    row.energyUsedKwh === null &&
    roseTo <= (row.startBatteryLevelPct ?? roseTo)
  );
}
