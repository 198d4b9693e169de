import type { Effect } from '../contract/effects.ts';
import { bySection, copySignals, type Section, type SignalValues } from '../contract/signals.ts';
import type { Observation } from '../maker/observation.ts';
import { followCharge } from './charge.ts';
import { withDerived } from './derive.ts';
import { followDrive, HOLE_MS } from './drive.ts';
import { closed } from './drive-end.ts';
import { reconstructedByTime } from './drive-unseen.ts';
import { followParked, withEnergy } from './parked.ts';
import { followSoftware } from './software.ts';
import type { Earlier, IngestEvent, MachineContext, MachineState, Moment, Step } from './state.ts';
import { followStatus, keepsAwake } from './status.ts';
import { followStream } from './stream.ts';
import { followTrip, withCharge, withDrive } from './trip.ts';

/**
 * The reducer of ingest: what a vehicle's machine becomes by one event, and what the store has to do for it.
 *
 * Pure: the same state, event and context give the same step. Event time counts, never the wall's; ids are derived from it,
 * so a replay makes the same drives and charges (maker.md §3.3).
 */
export function step(state: MachineState, event: IngestEvent, context: MachineContext): Step {
  return steps(state, [event], context, (effects) => effects);
}

/**
 * The steps of many events. `onEffects` gets each step's effects as they come; the result carries the last ones only, so
 * that a long import need not hold them all.
 */
export function steps(
  state: MachineState,
  events: readonly IngestEvent[],
  context: MachineContext,
  onEffects: (effects: Effect[]) => void,
): Step {
  // The one copy of the values that the events of this call write into; the caller's state is never touched.
  let now: MachineState = { ...state, values: { ...state.values } };
  let effects: Effect[] = [];
  let changed = false;
  for (const event of events) {
    effects = [];
    const next = advanced(now, event, context, effects);
    changed ||= next !== now;
    now = next;
    onEffects(effects);
  }
  return { state: changed ? now : state, effects };
}

/** The state after an event; its values are those of the state before, written into. */
function advanced(
  state: MachineState,
  event: IngestEvent,
  context: MachineContext,
  effects: Effect[],
): MachineState {
  if (event.kind === 'tick') return passed(state, event.at, context, effects);
  const observation = completed(state, event.observation);
  const at = observation.at;
  const parts = bySection(observation.signals);
  const allFresh = dropStale(parts, state, observation);
  if (parts.size === 0 && !speaksNewly(state, observation)) return state;
  const rested = holeClosed(state, at, context, effects);
  const fresh = allFresh ? observation.signals : joined(parts);
  const moment: Moment = { at, observation, fresh, before: earlierOf(rested), context, effects };
  const merged = mergedWith(rested, moment, parts);
  pushSections(merged, moment, parts);
  return followed(followStream(merged, moment, event.observation.signals), moment);
}

/** A stream's record with what follows from it; a snapshot is complete as it is. */
function completed(state: MachineState, observation: Observation): Observation {
  if (observation.source !== 'STREAM') return observation;
  const signals = withDerived(state, observation.signals);
  return signals === observation.signals ? observation : { ...observation, signals };
}

function joined(parts: Map<Section, SignalValues>): SignalValues {
  const values: SignalValues = {};
  for (const part of parts.values()) copySignals(part, values);
  return values;
}

function earlierOf(state: MachineState): Earlier {
  const { values, seenAt, connectivity } = state;
  return {
    seenAt,
    connectivity,
    values: {
      latitude: values.latitude,
      longitude: values.longitude,
      odometerKm: values.odometerKm,
      batteryLevelPct: values.batteryLevelPct,
      usableBatteryLevelPct: values.usableBatteryLevelPct,
      rangeRatedKm: values.rangeRatedKm,
      energyRemainingKwh: values.energyRemainingKwh,
      chargeStatus: values.chargeStatus,
      pluggedIn: values.pluggedIn,
      chargeEnergyAddedKwh: values.chargeEnergyAddedKwh,
      dcEnergyInKwh: values.dcEnergyInKwh,
      softwareVersion: values.softwareVersion,
    },
  };
}

function followed(merged: MachineState, moment: Moment): MachineState {
  const { at, context, effects } = moment;
  const drive = followDrive(merged, moment);
  let state = drive.state;
  if (drive.ended !== null) state = withDrive(state, drive.ended, context, effects);
  const charge = followCharge(state, moment, drive.ended);
  state = charge.state;
  if (charge.ended !== null)
    state = withEnergy(
      withCharge(state, charge.ended, effects),
      charge.ended.energyAddedKwh,
      moment,
    );
  state = followParked(followSoftware(state, moment), moment);
  state = followTrip(state, at, effects);
  const busy = state.drive !== null || state.charge?.flowing === true || keepsAwake(state.values);
  const woke = state.connectivity === 'online' && moment.before.connectivity !== 'online';
  if (busy || woke || state.activeAt === null) state = { ...state, activeAt: at };
  return followStatus(state, at, context, effects);
}

/** Time passed and nothing was heard. */
function passed(
  state: MachineState,
  at: number,
  context: MachineContext,
  effects: Effect[],
): MachineState {
  const moved = reconstructedByTime(holeClosed(state, at, context, effects), {
    at,
    context,
    effects,
  });
  const driven =
    moved.ended === null ? moved.state : withDrive(moved.state, moved.ended, context, effects);
  const rested = followTrip(driven, at, effects);
  return followStatus(rested, at, context, effects);
}

/** A drive that nobody saw end ends at its last moving sample (maker.md §3.3). */
function holeClosed(
  state: MachineState,
  at: number,
  context: MachineContext,
  effects: Effect[],
): MachineState {
  if (state.drive === null || at - state.drive.lastAt < HOLE_MS) return state;
  const { state: rested, ended } = closed(
    state,
    { at, context, effects },
    state.drive.lastMovingAt,
    'INCOMPLETE',
  );
  return ended === null ? rested : withDrive(rested, ended, context, effects);
}

/** Takes the sections away that are no newer than what is known; whether none was (maker.md §3.2 R16). */
function dropStale(
  parts: Map<Section, SignalValues>,
  state: MachineState,
  observation: Observation,
): boolean {
  let allFresh = true;
  for (const section of parts.keys()) {
    const at = observation.sectionAt[section] ?? observation.at;
    const known = state.sectionAt[section];
    // Records of a stream may share an instant; a snapshot that repeats one is the maker's cache.
    const stale =
      known !== undefined && (observation.source === 'STREAM' ? at < known : at <= known);
    if (!stale) continue;
    parts.delete(section);
    allFresh = false;
  }
  return allFresh;
}

/** Whether the observation, without fresh signals, still tells something: link and service state, at a newer time. */
function speaksNewly(state: MachineState, observation: Observation): boolean {
  const speaks = observation.connectivity !== null || observation.inService !== null;
  return speaks && observation.at > (state.seenAt ?? Number.NEGATIVE_INFINITY);
}

function mergedWith(
  state: MachineState,
  moment: Moment,
  parts: Map<Section, SignalValues>,
): MachineState {
  const { observation, at, fresh } = moment;
  const sectionAt = { ...state.sectionAt };
  for (const section of parts.keys()) {
    sectionAt[section] = observation.sectionAt[section] ?? at;
  }
  const newest = at >= (state.seenAt ?? at);
  copySignals(fresh, state.values);
  return {
    ...state,
    seenAt: Math.max(at, state.seenAt ?? at),
    sectionAt,
    connectivity: newest ? (observation.connectivity ?? state.connectivity) : state.connectivity,
    inService: newest ? (observation.inService ?? state.inService) : state.inService,
  };
}

const connectivityWords = { online: 'ONLINE', asleep: 'ASLEEP', offline: 'OFFLINE' } as const;

/** The effects that keep the vehicle's last known state: each section that spoke, its configuration, and the raw rest. */
function pushSections(
  state: MachineState,
  moment: Moment,
  parts: Map<Section, SignalValues>,
): void {
  const { observation, effects, before } = moment;
  for (const [section, values] of parts) {
    if (section === 'config') effects.push({ kind: 'vehicle', changes: { config: values } });
    else {
      const observedAt = observation.sectionAt[section] ?? moment.at;
      const { receivedAt, source } = observation;
      effects.push({ kind: 'section', section, state: { observedAt, receivedAt, source, values } });
    }
  }
  if (Object.keys(observation.raw).length > 0)
    effects.push({ kind: 'raw', fields: observation.raw });
  const word = state.connectivity === null ? undefined : connectivityWords[state.connectivity];
  const link =
    word !== undefined && state.connectivity !== before.connectivity ? { connectivity: word } : {};
  // A list item tells of the link alone: the vehicle itself was heard only when it sent something.
  const heard = parts.size > 0 ? { lastSeenAt: state.seenAt ?? moment.at } : {};
  if (Object.keys({ ...link, ...heard }).length > 0)
    effects.push({ kind: 'vehicle', changes: { ...link, ...heard } });
  if (parts.size > 0) {
    const data = { sections: [...parts.keys()].filter((section) => section !== 'config') };
    effects.push({ kind: 'event', type: 'vehicle.state.updated', occurredAt: moment.at, data });
  }
}
