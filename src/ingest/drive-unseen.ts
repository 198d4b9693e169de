import { MINUTE_MS } from '../base/units.ts';
import { begun, gainedKm, ODOMETER_EVIDENCE_KM, wanderedKm } from './drive-begin.ts';
import { closed, type Followed } from './drive-end.ts';
import { mayGoOn, wentOn } from './drive-lost.ts';
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

/** The vehicle moved and nobody saw it drive: the odometer proves it, or else the position (maker.md §3.2 R1). */
export function reconstructed(state: MachineState, moment: Moment): Followed {
  const { before } = moment;
  // What a stream had not sent of the drive before, a snapshot tells.
  const leastKm = state.stream === null ? ODOMETER_EVIDENCE_KM : UNEXPLAINED_KM;
  const moved =
    gainedKm(before, state.values) >= leastKm ||
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
