import type { DriveRow, Effect } from '../contract/effects.ts';
import {
  copySignals,
  type Section,
  sections,
  sectionsOf,
  signalsOfSections,
} from '../contract/signals.ts';
import type { Observation } from '../maker/observation.ts';
import { followCharge } from './charge.ts';
import { chargedUnseen, risenOver, sinceRisen, withRisen } from './charge-risen.ts';
import { connectedBy, isReplaced } from './connection.ts';
import { withDerived } from './derive.ts';
import { followDrive } from './drive.ts';
import { closed } from './drive-end.ts';
import { givenUp, HOLE_MS, withTripOf } from './drive-lost.ts';
import { quietMoment, reconstructedByTime } from './drive-unseen.ts';
import { followLeftOpen } from './left-open.ts';
import { followParked, withEnergy } from './parked.ts';
import { followPlaces } from './place-visits.ts';
import { followSoftware } from './software.ts';
import {
  type Earlier,
  type IngestEvent,
  isClosed,
  type MachineContext,
  type MachineState,
  type Moment,
  type Step,
} from './state.ts';

import { followStatus, keepsAwake } from './status.ts';
import { followStream } from './stream.ts';
import { pushSections, type Spoken, tellOfState } from './tell-state.ts';
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
 * that a long import need not hold them all. The sections that spoke are told with the last step, and the row of an open
 * drive is written on by the later steps of the call: of several effects with one id only the last counts.
 */
export function steps(
  state: MachineState,
  events: readonly IngestEvent[],
  context: MachineContext,
  onEffects: (effects: Effect[]) => void,
): Step {
  let now = workingCopy(state);
  let effects: Effect[] = [];
  let changed = false;
  const spoke: Spoken = new Map();
  for (const [index, event] of events.entries()) {
    effects = [];
    const next = advanced(now, event, { context, effects, spoke });
    changed ||= next !== null;
    now = next ?? now;
    if (index === events.length - 1) pushSections(now.values, spoke, effects);
    onEffects(effects);
  }
  return { state: changed ? now : state, effects };
}

/** The parts of a state that the steps of one call write into; the caller's own is never touched. */
function workingCopy(state: MachineState): MachineState {
  const { values, sectionAt, drive } = state;
  return {
    ...state,
    values: { ...values },
    sectionAt: { ...sectionAt },
    drive: drive && { ...drive, row: { ...drive.row } },
  };
}

/** What the steps of one call share, and the effects of the present one. */
type Course = { context: MachineContext; effects: Effect[]; spoke: Spoken };

/** The state after an event, written into the state before; null where the event says nothing new. */
function advanced(state: MachineState, event: IngestEvent, course: Course): MachineState | null {
  const { context, effects } = course;
  if (event.kind === 'tick') {
    const next = passed(state, event.at, context, effects);
    return next === state ? null : next;
  }
  const observation = completed(state, event.observation);
  const at = observation.at;
  const told = sections.filter((section) => observation.sectionAt[section] !== undefined);
  const newest = told.filter((section) => isNews(state, observation, section));
  if (newest.length === 0 && !speaksNewly(state, observation)) return null;
  const rested = holeClosed(state, at, context, effects);
  const { signals } = observation;
  const fresh = newest.length === told.length ? signals : signalsOfSections(signals, newest);
  const moment: Moment = { at, observation, fresh, before: earlierOf(rested), context, effects };
  const merged = mergedWith(rested, moment, newest);
  for (const section of newest) course.spoke.set(section, observation);
  tellOfState(merged, moment, newest);
  return followed(followStream(merged, moment, event.observation.signals), moment);
}

/** A stream's record with what follows from it; a snapshot is complete as it is. */
function completed(state: MachineState, observation: Observation): Observation {
  if (observation.source !== 'STREAM') return observation;
  // A vehicle that changes its network is connected anew before the old connection is found dead.
  if (observation.connectivity === 'offline' && isReplaced(state, observation))
    return { ...observation, connectivity: null };
  const signals = withDerived(state, observation.signals);
  if (signals === observation.signals) return observation;
  const sectionAt = { ...observation.sectionAt };
  for (const section of sectionsOf(signals)) sectionAt[section] ??= observation.at;
  return { ...observation, signals, sectionAt };
}

function earlierOf(state: MachineState): Earlier {
  const { values, connectivity } = state;
  return {
    driveSeenAt: state.sectionAt.drive ?? null,
    chargeSeenAt: state.sectionAt.charge ?? null,
    chargeOdometerKm: state.chargeOdometerKm,
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
  const drive = followDrive(chargedUnseen(merged, moment), moment);
  let state = drive.state;
  if (drive.ended !== null) state = withEnded(state, drive.ended, moment);
  const charge = followCharge(state, sinceRisen(state, moment), drive.ended);
  state = charge.state.charge === null ? charge.state : withRisen(charge.state, null);
  if (charge.ended !== null)
    state = withEnergy(
      withCharge(state, charge.ended, effects),
      charge.ended.energyAddedKwh,
      moment,
    );
  state = followParked(followSoftware(state, moment), moment, drive.ended);
  state = followPlaces(followTrip(state, { at, context, effects }), moment);
  state = followLeftOpen(state, moment);
  const busy = state.drive !== null || state.charge?.flowing === true || keepsAwake(state.values);
  const woke = state.connectivity === 'online' && moment.before.connectivity !== 'online';
  if (busy || woke || state.activeAt === null) state.activeAt = at;
  return followStatus(state, at, context, effects);
}

/** Time passed and nothing was heard. */
function passed(
  state: MachineState,
  at: number,
  context: MachineContext,
  effects: Effect[],
): MachineState {
  const moment = { at, context, effects };
  const waited = risenOver(state, quietMoment(state, moment), false);
  const moved = reconstructedByTime(holeClosed(waited, at, context, effects), moment);
  const driven = moved.ended === null ? moved.state : withEnded(moved.state, moved.ended, moment);
  const rested = followTrip(driven, { at, context, effects });
  const left = followLeftOpen(rested, { at, context, effects });
  return followStatus(left, at, context, effects);
}

/** A drive that nobody saw end ends at its last moving sample (maker.md §3.3). */
function holeClosed(
  state: MachineState,
  at: number,
  context: MachineContext,
  effects: Effect[],
): MachineState {
  const { drive } = state;
  if (drive === null) return state;
  const moment = { at, context, effects };
  const byPerson = isClosed(context, 'drive', { from: drive.lastAt, at });
  if (at - drive.lastAt < HOLE_MS && !byPerson) return state;
  const over = byPerson
    ? closed(state, moment, drive.lastMovingAt, 'INCOMPLETE')
    : givenUp(state, drive, moment);
  return over.ended === null ? over.state : withEnded(over.state, over.ended, moment);
}

/** What a drive that ended means for its trip. */
function withEnded(
  state: MachineState,
  ended: DriveRow,
  { context, effects }: Pick<Moment, 'context' | 'effects'>,
): MachineState {
  return withTripOf(withDrive(state, ended, context, effects), ended);
}

/** Whether an observation's section is newer than what is known of it (maker.md §3.2 R16). */
function isNews(state: MachineState, observation: Observation, section: Section): boolean {
  const known = state.sectionAt[section];
  if (known === undefined) return true;
  const at = observation.sectionAt[section] ?? observation.at;
  // Records of a stream may share an instant; a snapshot that repeats one is the maker's cache.
  return observation.source === 'STREAM' ? at >= known : at > known;
}

/** Whether the observation, without fresh signals, still tells something: link and service state, at a newer time. */
function speaksNewly(state: MachineState, observation: Observation): boolean {
  const speaks = observation.connectivity !== null || observation.inService !== null;
  return speaks && observation.at > (state.seenAt ?? Number.NEGATIVE_INFINITY);
}

function mergedWith(state: MachineState, moment: Moment, newest: readonly Section[]): MachineState {
  const { observation, at, fresh } = moment;
  const isNewest = at >= (state.seenAt ?? at);
  for (const section of newest) state.sectionAt[section] = observation.sectionAt[section] ?? at;
  copySignals(fresh, state.values);
  return {
    ...state,
    chargeOdometerKm: newest.includes('charge')
      ? (state.values.odometerKm ?? null)
      : state.chargeOdometerKm,
    seenAt: Math.max(at, state.seenAt ?? at),
    connectivity: isNewest ? (observation.connectivity ?? state.connectivity) : state.connectivity,
    ...(isNewest ? connectedBy(state, observation) : {}),
    inService: isNewest ? (observation.inService ?? state.inService) : state.inService,
  };
}
