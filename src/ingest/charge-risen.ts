import { MINUTE_MS } from '../base/units.ts';
import { isPluggedIn } from './charge-begin.ts';
import { unseenCharge } from './charge-unseen.ts';
import { saysMoving } from './derive.ts';
import { closed } from './drive-end.ts';
import { withEnergy } from './parked.ts';
import type { MachineState, Moment, StreamMemory } from './state.ts';
import { withCharge, withDrive } from './trip.ts';

/** How long the state of the charger may be behind a level that rose. */
const LATE_STATUS_MS = MINUTE_MS;

/**
 * A charge that nobody saw, and the end of the drive that it interrupted. In a stream the level may arrive before the state
 * of the charger: whether the charge is over is waited for.
 */
export function chargedUnseen(state: MachineState, moment: Moment): MachineState {
  const risen = state.stream?.risen ?? null;
  if (risen !== null) {
    const plugged = moment.fresh.chargeStatus !== undefined && isPluggedIn(state.values) === true;
    const over = state.drive !== null || saysMoving(moment.fresh);
    return plugged && !over ? state : risenOver(state, moment, over);
  }
  if (unseenCharge(state, moment) === null) return state;
  const waits = moment.observation.source === 'STREAM' && state.drive === null;
  if (!waits || moment.fresh.chargeStatus !== undefined) return toldUnseen(state, moment);
  return withRisen(state, { at: moment.at, before: moment.before });
}

/** The charge behind a level that rose, once nothing is to be heard of it any more. */
export function risenOver(state: MachineState, moment: Moment, over: boolean): MachineState {
  const risen = state.stream?.risen ?? null;
  if (risen === null || (!over && moment.at - risen.at < LATE_STATUS_MS)) return state;
  const { at, before } = risen;
  return toldUnseen(withRisen(state, null), { ...moment, at, before });
}

/** What a session is measured against that begins while a level's rise is not told of yet. */
export function sinceRisen(state: MachineState, moment: Moment): Moment {
  const risen = state.stream?.risen ?? null;
  return risen === null ? moment : { ...moment, before: risen.before };
}

/** The state with another rise that waits, or none. */
export function withRisen(state: MachineState, risen: StreamMemory['risen']): MachineState {
  const { stream } = state;
  if (stream === null || (stream.risen ?? null) === risen) return state;
  return { ...state, stream: { ...stream, risen } };
}

function toldUnseen(state: MachineState, moment: Moment): MachineState {
  const row = unseenCharge(state, moment);
  if (row === null) return state;
  const { context, effects } = moment;
  let next = state;
  if (state.drive !== null) {
    const { state: rested, ended } = closed(state, moment, state.drive.lastMovingAt, 'INCOMPLETE');
    next = ended === null ? rested : withDrive(rested, ended, context, effects);
  }
  effects.push({ kind: 'charge', row, segments: [] });
  const data = { chargeId: row.id, state: row.state };
  effects.push({ kind: 'event', type: 'charge.ended', occurredAt: moment.at, data });
  return withEnergy(withCharge(next, row, effects), row.energyAddedKwh, moment);
}
