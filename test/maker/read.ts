import { KM_PER_MILE } from '../../src/base/units.ts';
import type { SignalValues } from '../../src/contract/signals.ts';
import type { Observation } from '../../src/maker/observation.ts';
import { observationOfVehicleData } from '../../src/maker/parse-vehicle-data.ts';
import { fullAnswerAt } from './full-answer.ts';

export const receivedAt = fullAnswerAt + 800;

/** The observation of an answer that must be readable. */
export function read(answer: unknown): Observation {
  const parsed = observationOfVehicleData(answer, { receivedAt, source: 'POLL' });
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

/** The signals of an answer that must be readable. */
export function readSignals(answer: unknown): SignalValues {
  return read(answer).signals;
}

/** The kilometres in that many miles, to the metre. */
export function kmOf(miles: number): number {
  return Number((miles * KM_PER_MILE).toFixed(3));
}
