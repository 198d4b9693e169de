import type {
  ChargeRow,
  DriveRow,
  Effect,
  InstallationRow,
  ParkedSpanRow,
  StateSpanRow,
  TripRow,
} from '../../src/contract/effects.ts';
import { type SignalValues, sectionsOf } from '../../src/contract/signals.ts';
import type { Situation } from '../../src/ingest/cadence.ts';
import { step } from '../../src/ingest/machine.ts';
import {
  type IngestEvent,
  initialState,
  type MachineContext,
  type MachineState,
} from '../../src/ingest/state.ts';
import type { Observation } from '../../src/maker/observation.ts';

/** The beginning of every scripted trace. */
export const T0 = Date.parse('2026-03-02T08:00:00Z');

export const context: MachineContext = {
  vehicleId: '01980000-0000-7000-8000-000000000001',
  efficiencyWhPerKm: 150,
  places: [],
};

/** What was seen `seconds` after the beginning; a snapshot of an online vehicle unless said otherwise. */
export function seen(
  seconds: number,
  signals: SignalValues,
  more: Partial<Observation> = {},
): IngestEvent {
  const at = T0 + seconds * 1000;
  const observation: Observation = {
    vin: 'TEST0000000000001',
    at,
    receivedAt: at,
    source: 'POLL',
    connectivity: 'online',
    inService: null,
    signals,
    sectionAt: Object.fromEntries(sectionsOf(signals).map((section) => [section, at])),
    raw: {},
    ...more,
  };
  return { kind: 'observation', observation };
}

/** How a vehicle that is polled stands whose budget lasts. */
export function situation(state: MachineState, more: Partial<Situation> = {}): Situation {
  const nothing = { lastDataAt: null, onlineSince: null, streamedAt: null };
  return { ...nothing, state, sleepAware: true, pressure: 1, ...more };
}

/** Time passes until `seconds` after the beginning. */
export function passed(seconds: number): IngestEvent {
  return { kind: 'tick', at: T0 + seconds * 1000 };
}

export type Outcome = { state: MachineState; effects: Effect[] };

/** Runs a script through the reducer. */
export function run(
  events: readonly IngestEvent[],
  over: Partial<MachineContext> = {},
  from: MachineState = initialState,
): Outcome {
  const effects: Effect[] = [];
  let state = from;
  for (const event of events) {
    const next = step(state, event, { ...context, ...over });
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects };
}

type Rows = {
  drive: DriveRow;
  charge: ChargeRow;
  trip: TripRow;
  stateSpan: StateSpanRow;
  parkedSpan: ParkedSpanRow;
  installation: InstallationRow;
};

/** The rows of one kind as the store would hold them in the end, in the order of their first appearance. */
export function rows<K extends keyof Rows>(outcome: Outcome, kind: K): Rows[K][] {
  const byId = new Map<string, Rows[K]>();
  for (const effect of outcome.effects) if (isOf(effect, kind)) byId.set(effect.row.id, effect.row);
  return [...byId.values()];
}

function isOf<K extends keyof Rows>(effect: Effect, kind: K): effect is Effect & { row: Rows[K] } {
  return effect.kind === kind;
}

/** Types of the events that were told, without those that only say that something went on. */
export function told(outcome: Outcome): string[] {
  return outcome.effects.flatMap((effect) =>
    effect.kind === 'event' && !effect.type.endsWith('updated') ? [effect.type] : [],
  );
}

/** Seconds after the beginning. */
export function secondsOf(at: number | null): number | null {
  return at === null ? null : (at - T0) / 1000;
}

/** A parked vehicle with everything a drive needs to know of it. */
export function parked(seconds: number, odometerKm: number, more: SignalValues = {}): IngestEvent {
  return seen(seconds, {
    gear: 'P',
    speedKmh: 0,
    powerKw: 0,
    odometerKm,
    latitude: 47.0664,
    longitude: 9.5032,
    batteryLevelPct: 80,
    usableBatteryLevelPct: 80,
    rangeRatedKm: 400,
    chargeStatus: 'DISCONNECTED',
    ...more,
  });
}

/** A vehicle that drives at 60 km/h, northwards, one kilometre a minute. */
export function driving(seconds: number, odometerKm: number, more: SignalValues = {}): IngestEvent {
  const km = odometerKm - 1000;
  return seen(seconds, {
    gear: 'D',
    speedKmh: 60,
    powerKw: 12,
    odometerKm,
    latitude: 47.0664 + km / 111.195,
    longitude: 9.5032,
    batteryLevelPct: 80 - km / 5,
    rangeRatedKm: 400 - km,
    ...more,
  });
}
