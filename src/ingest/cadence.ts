import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import type { MachineState } from './state.ts';
import { IDLE_BEFORE_SLEEP_MS } from './status.ts';

/** How often a vehicle is asked, by what it does; all in milliseconds. */
export type PollProfile = {
  driving: number;
  chargingDc: number;
  chargingAc: number;
  idle: number;
  list: number;
};

/** Intervals for the maker's own servers, where every data call costs (maker.md §3.3). */
export const makerProfile: PollProfile = {
  driving: 15 * SECOND_MS,
  chargingDc: 15 * SECOND_MS,
  chargingAc: 60 * SECOND_MS,
  idle: 5 * MINUTE_MS,
  list: 60 * SECOND_MS,
};

/** Intervals for the simulated garage, where a call costs nothing and somebody watches. */
export const garageProfile: PollProfile = {
  driving: 3 * SECOND_MS,
  chargingDc: 5 * SECOND_MS,
  chargingAc: 10 * SECOND_MS,
  idle: 30 * SECOND_MS,
  list: 15 * SECOND_MS,
};

/** Never sooner than this, whatever is due. */
const MINIMUM_MS = SECOND_MS;
/** Time without data calls in which an idle vehicle can fall asleep (contract §0 Ingest). */
const LET_SLEEP_MS = 21 * MINUTE_MS;

/** When to look at the list next, and whether a data call may follow now. Times are epoch milliseconds. */
export type Cadence = { dataNow: boolean; nextInMs: number };

/**
 * What to do at `at`, given the machine and the last data call. The list is free and leaves a sleeping vehicle asleep, so
 * it gates every data call: there is none while the vehicle is not online.
 */
export function cadenceOf(
  state: MachineState,
  lastDataAt: number | null,
  at: number,
  profile: PollProfile,
): Cadence {
  if (state.connectivity !== 'online') return { dataNow: false, nextInMs: profile.list };
  const interval = intervalOf(state, profile);
  if (restingAt(state, lastDataAt, at)) return { dataNow: false, nextInMs: profile.list };
  const dueInMs = lastDataAt === null ? 0 : Math.max(0, lastDataAt + interval - at);
  return {
    dataNow: dueInMs === 0,
    nextInMs: Math.min(Math.max(dueInMs, MINIMUM_MS), profile.list),
  };
}

function intervalOf(state: MachineState, profile: PollProfile): number {
  if (state.drive !== null) return profile.driving;
  if (state.charge?.flowing !== true) return profile.idle;
  return state.charge.row.kind === 'DC' ? profile.chargingDc : profile.chargingAc;
}

/** An idle vehicle is not asked for data until it had the time to fall asleep. */
function restingAt(state: MachineState, lastDataAt: number | null, at: number): boolean {
  const idle = state.drive === null && state.charge?.flowing !== true;
  if (!idle || state.activeAt === null || lastDataAt === null) return false;
  return at - state.activeAt >= IDLE_BEFORE_SLEEP_MS && at - lastDataAt < LET_SLEEP_MS;
}
