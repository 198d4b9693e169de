import type { Clock } from '../base/clock.ts';
import type { ScheduleTold } from '../contract/particulars.ts';
import type { Answer, Failure } from '../maker/answer.ts';
import type { MakerApi } from '../maker/api.ts';
import type { Connectivity } from '../maker/observation.ts';
import { observationOfListItem, observationOfVehicleData } from '../maker/parse-vehicle-data.ts';
import { schedulesIn } from '../maker/particulars.ts';
import { dataEndpoints } from '../maker/wire.ts';
import { cadenceOf, type PollProfile, type Situation } from './cadence.ts';
import type { IngestEvent } from './state.ts';

/** One look at a vehicle: what it told, what failed, and what is known for the next; instants in epoch ms. */
export type Look = {
  events: IngestEvent[];
  failure: Failure | null;
  /** When it was asked for data; the time before where it was not. */
  lastDataAt: number | null;
  /** Since when it is online, where that was seen. */
  onlineSince: number | null;
  /** The plans in the vehicle's data; null where none were told. */
  schedules: ScheduleTold[] | null;
};

type PollParts = { api: MakerApi; vin: string; clock: Clock; profile: PollProfile };

/** Asks the free list first, and for data only where the vehicle is online and data is due. */
export async function lookAt(before: Situation, parts: PollParts): Promise<Look> {
  const { api, vin, clock, profile } = parts;
  const { lastDataAt } = before;
  const item = await api.vehicle(vin);
  const listEvents = eventsOf(item, observationOfListItem, clock);
  const situation = withList(before, listEvents, clock());
  const { onlineSince } = situation;
  const look = { events: listEvents, failure: null, lastDataAt, onlineSince, schedules: null };
  if (item.kind !== 'ok') return { ...look, failure: item };
  const at = clock();
  if (!cadenceOf(situation, at, profile).dataNow) return look;
  const data = await api.vehicleData(vin, dataEndpoints);
  if (data.kind === 'held_back') return { ...look, failure: data };
  const events = [...listEvents, ...eventsOf(data, observationOfVehicleData, clock)];
  const asked = { ...look, events, lastDataAt: at };
  return data.kind === 'ok'
    ? { ...asked, schedules: schedulesIn(data.value) }
    : { ...asked, failure: data };
}

function eventsOf(
  answer: Answer<unknown>,
  read: typeof observationOfListItem,
  clock: Clock,
): IngestEvent[] {
  const receivedAt = clock();
  if (answer.kind !== 'ok') return [{ kind: 'tick', at: receivedAt }];
  const parsed = read(answer.value, { receivedAt, source: 'POLL' });
  return parsed.ok
    ? [{ kind: 'observation', observation: parsed.value }]
    : [{ kind: 'tick', at: receivedAt }];
}

/** The situation as far as the cadence needs it: with the link and the service mode as the list just gave them. */
function withList(before: Situation, [first]: readonly IngestEvent[], at: number): Situation {
  if (first?.kind !== 'observation') return before;
  const { connectivity, inService } = first.observation;
  const { state } = before;
  const link = connectivity ?? state.connectivity;
  return {
    ...before,
    state: { ...state, connectivity: link, inService: inService ?? state.inService },
    onlineSince: onlineSince(before, link, at),
  };
}

/** Since when a vehicle is online that is so now; null where nobody saw it asleep or out of reach before. */
function onlineSince(before: Situation, link: Connectivity | null, at: number): number | null {
  if (link !== 'online') return null;
  const was = before.state.connectivity;
  return was === null || was === 'online' ? before.onlineSince : at;
}
