import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import type { Vehicle } from '../store/generated/prisma/client.ts';
import type { MachineState } from './state.ts';
import { IDLE_BEFORE_SLEEP_MS } from './status.ts';

/** A vehicle as far as it decides how often it is asked. */
export type PolledVehicle = Pick<Vehicle, 'simulated' | 'pollProfile'>;

/** What a vehicle does, as far as it decides how often it is asked. */
type Activity = 'driving' | 'chargingDc' | 'chargingAc' | 'idle';

/** How often a vehicle is asked; all times in milliseconds. */
export type PollProfile = Record<Activity, number> & {
  /** Whether it is asked for data at all. */
  data: boolean;
  /** Between looks at the free list. */
  list: number;
  /** Between looks at the list of a vehicle whose records stream in. */
  streaming: number;
  /** How long a vehicle is left alone that came online by itself: most of them fall asleep again (maker.md §3.3). */
  settle: number;
};

/** Intervals for the maker's own servers, where every data call costs (maker.md §3.3). */
export const makerProfile: PollProfile = {
  data: true,
  driving: 15 * SECOND_MS,
  chargingDc: 15 * SECOND_MS,
  chargingAc: 60 * SECOND_MS,
  idle: 5 * MINUTE_MS,
  list: 60 * SECOND_MS,
  streaming: 10 * MINUTE_MS,
  settle: 60 * SECOND_MS,
};

/** Intervals for the simulated garage, where a call costs nothing and somebody watches. */
export const garageProfile: PollProfile = {
  data: true,
  driving: 3 * SECOND_MS,
  chargingDc: 5 * SECOND_MS,
  chargingAc: 10 * SECOND_MS,
  idle: 30 * SECOND_MS,
  list: 15 * SECOND_MS,
  streaming: 15 * SECOND_MS,
  settle: 0,
};

/** How much seldomer a vehicle is asked for data that a person wants asked sparingly. */
const SPARING = 4;

/** The intervals of a vehicle, as a person wants it asked. */
export function profileOf({ simulated, pollProfile }: PolledVehicle): PollProfile {
  const usual = simulated ? garageProfile : makerProfile;
  if (pollProfile === 'NORMAL') return usual;
  if (pollProfile === 'LIST_ONLY') return { ...usual, data: false };
  const { driving, chargingDc, chargingAc, idle } = usual;
  return {
    ...usual,
    driving: SPARING * driving,
    chargingDc: SPARING * chargingDc,
    chargingAc: SPARING * chargingAc,
    idle: SPARING * idle,
  };
}

/**
 * How a budget that does not last slows the looks down: what a vehicle does is asked less often by this power of the
 * pressure, and at the least once in so many milliseconds. A vehicle that drives is slowed last and least.
 */
const easing: Record<Activity, { power: number; slowestMs: number }> = {
  driving: { power: 1, slowestMs: 2 * MINUTE_MS },
  chargingDc: { power: 1.5, slowestMs: 2 * MINUTE_MS },
  chargingAc: { power: 2, slowestMs: 10 * MINUTE_MS },
  idle: { power: 3, slowestMs: 30 * MINUTE_MS },
};

/** Never sooner than this, whatever is due. */
const MINIMUM_MS = SECOND_MS;
/** Time without data calls in which an idle vehicle can fall asleep (contract §0 Ingest). */
const LET_SLEEP_MS = 21 * MINUTE_MS;
/** A stream that was silent for so long carries the vehicle no more. */
const STREAM_ENDS_MS = 15 * MINUTE_MS;

/** All that decides when a vehicle is asked next; instants in epoch ms. */
export type Situation = {
  state: MachineState;
  /** The last call for data. */
  lastDataAt: number | null;
  /** When it came online after it was not; null where that was not seen. */
  onlineSince: number | null;
  /** When its newest record streamed in; null for a vehicle that does not stream. */
  streamedAt: number | null;
  /** Whether it is left alone so that it can fall asleep. */
  sleepAware: boolean;
  /** How much faster the budget goes than the month; infinite where nothing is left. */
  pressure: number;
};

/** When to look at the list next, and whether a data call may follow now. Times are epoch milliseconds. */
export type Cadence = { dataNow: boolean; nextInMs: number };

/**
 * What to do at `at`. The list is free and leaves a sleeping vehicle asleep, so it gates every data call: there is none
 * while the vehicle is not online, and none that would wake it.
 */
export function cadenceOf(situation: Situation, at: number, profile: PollProfile): Cadence {
  const { state, lastDataAt, pressure } = situation;
  const streams = streamsAt(situation, at);
  const listOnly = { dataNow: false, nextInMs: streams ? profile.streaming : profile.list };
  // In service the maker refuses data, and bills the refusal.
  const answers = state.connectivity === 'online' && !state.inService;
  if (!answers || !profile.data || pressure === Number.POSITIVE_INFINITY) return listOnly;
  const settlesInMs = settlingMs(situation, at, profile);
  if (settlesInMs > 0) {
    return { dataNow: false, nextInMs: clamped(settlesInMs, listOnly.nextInMs) };
  }
  // Telemetry lacks some of what a snapshot has: one for each time the vehicle is awake.
  if (streams) return { ...listOnly, dataNow: !seenSinceOnline(situation) };
  if (restingAt(situation, at)) return listOnly;
  const interval = intervalOf(activityOf(state), pressure, profile);
  const dueInMs = lastDataAt === null ? 0 : Math.max(0, lastDataAt + interval - at);
  return { dataNow: dueInMs === 0, nextInMs: clamped(dueInMs, profile.list) };
}

function clamped(ms: number, mostMs: number): number {
  return Math.min(Math.max(ms, MINIMUM_MS), mostMs);
}

function activityOf({ drive, charge }: MachineState): Activity {
  if (drive !== null) return 'driving';
  if (charge?.flowing !== true) return 'idle';
  return charge.row.kind === 'DC' ? 'chargingDc' : 'chargingAc';
}

function intervalOf(activity: Activity, pressure: number, profile: PollProfile): number {
  const usual = profile[activity];
  const { power, slowestMs } = easing[activity];
  return Math.max(usual, Math.min(usual * pressure ** power, slowestMs));
}

function streamsAt({ streamedAt }: Situation, at: number): boolean {
  return streamedAt !== null && at - streamedAt < STREAM_ENDS_MS;
}

function seenSinceOnline({ lastDataAt, onlineSince }: Situation): boolean {
  return lastDataAt !== null && (onlineSince === null || lastDataAt >= onlineSince);
}

/** How long a vehicle is still left alone after it came online; 0 where it was under way or charging before. */
function settlingMs(situation: Situation, at: number, { settle }: PollProfile): number {
  const { onlineSince, state } = situation;
  if (onlineSince === null || seenSinceOnline(situation)) return 0;
  return activityOf(state) === 'idle' ? Math.max(0, onlineSince + settle - at) : 0;
}

/** An idle vehicle is not asked for data until it had the time to fall asleep. */
function restingAt({ state, lastDataAt, sleepAware }: Situation, at: number): boolean {
  if (!sleepAware || activityOf(state) !== 'idle') return false;
  if (state.activeAt === null || lastDataAt === null) return false;
  return at - state.activeAt >= IDLE_BEFORE_SLEEP_MS && at - lastDataAt < LET_SLEEP_MS;
}
