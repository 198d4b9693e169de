import { HOUR_MS, MINUTE_MS } from '../base/units.ts';
import type { SignalValues } from '../contract/signals.ts';
import { begun, gainedKm, ODOMETER_EVIDENCE_KM, wanderedKm } from './drive-begin.ts';
import { closed, type Followed } from './drive-end.ts';
import { HIGHEST_SPEED_KMH } from './drive-figures.ts';
import { HOLE_MS, mayGoOn, wentOn } from './drive-lost.ts';
import type { MachineState, Moment } from './state.ts';
import { EARLY_ODOMETER_MS, earlierAtRest, UNEXPLAINED_KM } from './stream.ts';

/** In a stream, what was before a drive is the vehicle at rest: single records say too little of it. */
export function atRest(state: MachineState, moment: Moment): Moment {
  const moved = (state.stream?.movedAt ?? null) !== null;
  if (moment.observation.source !== 'STREAM' && !moved) return moment;
  return { ...moment, before: earlierAtRest(state.stream, moment.before) };
}

/** A position that is farther off than this proves a drive, where there is no odometer [km] (maker.md §3.2 R1). */
const POSITION_EVIDENCE_KM = 0.1;

/** Whether the odometer proves a drive since the vehicle was last heard: it rose, and by no more than a vehicle can drive. */
function odometerProves({ at, before }: Moment, values: SignalValues, leastKm: number): boolean {
  if (before.driveSeenAt === null) return false;
  const km = gainedKm(before, values);
  return km >= leastKm && km <= 1 + (HIGHEST_SPEED_KMH * (at - before.driveSeenAt)) / HOUR_MS;
}

/**
 * Whether a snapshot without gear and speed is of a vehicle that drives: its odometer rose since it was last heard, no
 * hole's length ago. Right after a drive it is the rest of that one, and so it is for longer where a stream told of it.
 */
export function drivesByOdometer(state: MachineState, moment: Moment): boolean {
  const { drive, parked, values, stream } = state;
  const { at, before } = moment;
  if (stream !== null) return false;
  if (values.gear != null || values.speedKmh != null) return false;
  if (drive !== null && drive.byOdometer !== true) return false;
  if (drive === null && parked !== null && at - parked.startedAt < MINUTE_MS) return false;
  if (before.driveSeenAt === null || at - before.driveSeenAt >= HOLE_MS) return false;
  return odometerProves(moment, values, ODOMETER_EVIDENCE_KM);
}

/** The vehicle moved and nobody saw it drive: the odometer proves it, or else the position (maker.md §3.2 R1). */
export function reconstructed(state: MachineState, moment: Moment): Followed {
  const { before } = moment;
  // What a stream had not sent of the drive before, a snapshot tells.
  const leastKm = state.stream === null ? ODOMETER_EVIDENCE_KM : UNEXPLAINED_KM;
  const moved =
    odometerProves(moment, state.values, leastKm) ||
    wanderedKm(before, state.values) > POSITION_EVIDENCE_KM;
  if (before.driveSeenAt === null || !moved) return { state, ended: null };
  // Within a minute it still belongs to the drive that just ended.
  if (moment.at - before.driveSeenAt < MINUTE_MS) return { state, ended: null };
  return unseen(state, moment, moment.at);
}

/** The same in a stream, where gear and speed of the drive may still be on their way. */
export function reconstructedLate(state: MachineState, moment: Moment): Followed {
  const movedAt = state.stream?.movedAt ?? null;
  if (movedAt === null) return { state, ended: null };
  if (moment.at - movedAt < EARLY_ODOMETER_MS && moment.fresh.gear !== 'P')
    return { state, ended: null };
  return unseen(state, moment, movedAt);
}

/** The rest of a drive that was lost on its way, or a drive of its own that was over at `at` (epoch ms). */
function unseen(state: MachineState, moment: Moment, at: number): Followed {
  const found = wentOn(state, moment);
  if (found !== null) return { state: found, ended: null };
  const drive = begun(state, { ...moment, at });
  const { state: rested, ended } = closed(
    { ...state, drive, lost: null },
    moment,
    at,
    'INCOMPLETE',
  );
  const streams = moment.observation.source === 'STREAM' && ended !== null;
  return { state: streams ? mayGoOn(rested, ended, at) : rested, ended };
}

/** A movement in a stream that nothing more was heard of. */
export function reconstructedByTime(
  state: MachineState,
  moment: Pick<Moment, 'at' | 'context' | 'effects'>,
): Followed {
  if (state.drive !== null || state.stream === null || state.stream.movedAt === null)
    return { state, ended: null };
  return reconstructedLate(state, atRest(state, quietMoment(state, moment)));
}

/** A moment at which a stream said nothing. */
export function quietMoment(
  { sectionAt, chargeOdometerKm, connectivity, values }: MachineState,
  moment: Pick<Moment, 'at' | 'context' | 'effects'>,
): Moment {
  return {
    ...moment,
    observation: {
      vin: '',
      at: moment.at,
      receivedAt: moment.at,
      source: 'STREAM',
      connectivity: null,
      inService: null,
      signals: {},
      sectionAt: {},
      raw: {},
    },
    fresh: {},
    before: {
      driveSeenAt: sectionAt.drive ?? null,
      chargeSeenAt: sectionAt.charge ?? null,
      chargeOdometerKm,
      connectivity,
      values,
    },
  };
}
