import type { Clock } from '../base/clock.ts';
import type { ScheduleTold } from '../contract/particulars.ts';
import type { Answer, Failure } from '../maker/answer.ts';
import type { MakerApi } from '../maker/api.ts';
import { observationOfListItem, observationOfVehicleData } from '../maker/parse-vehicle-data.ts';
import { schedulesIn } from '../maker/particulars.ts';
import { dataEndpoints } from '../maker/wire.ts';
import { cadenceOf, type PollProfile } from './cadence.ts';
import type { IngestEvent, MachineState } from './state.ts';

/** One look at a vehicle: what it told, what failed, and when it was asked for data (epoch ms). */
export type Look = {
  events: IngestEvent[];
  failure: Failure | null;
  dataAt: number | null;
  /** The plans in the vehicle's data; null where none were told. */
  schedules: ScheduleTold[] | null;
};

type PollParts = { api: MakerApi; vin: string; clock: Clock; profile: PollProfile };

/** Asks the free list first, and for data only where the vehicle is online and data is due. */
export async function lookAt(
  state: MachineState,
  lastDataAt: number | null,
  parts: PollParts,
): Promise<Look> {
  const { api, vin, clock, profile } = parts;
  const item = await api.vehicle(vin);
  const listEvents = eventsOf(item, observationOfListItem, clock);
  if (item.kind !== 'ok')
    return { events: listEvents, failure: item, dataAt: null, schedules: null };
  const cadence = cadenceOf(withLink(state, listEvents), lastDataAt, clock(), profile);
  if (!cadence.dataNow) return { events: listEvents, failure: null, dataAt: null, schedules: null };
  const dataAt = clock();
  const data = await api.vehicleData(vin, dataEndpoints);
  const events = [...listEvents, ...eventsOf(data, observationOfVehicleData, clock)];
  return data.kind === 'ok'
    ? { events, failure: null, dataAt, schedules: schedulesIn(data.value) }
    : { events, failure: data, dataAt, schedules: null };
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

/** The state as far as the cadence needs it: with the link as the list just gave it. */
function withLink(state: MachineState, events: readonly IngestEvent[]): MachineState {
  const first = events[0];
  const connectivity = first?.kind === 'observation' ? first.observation.connectivity : null;
  return connectivity === null ? state : { ...state, connectivity };
}
