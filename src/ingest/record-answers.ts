import type { Clock } from '../base/clock.ts';
import type { Answer } from '../maker/answer.ts';
import type { MakerApi } from '../maker/api.ts';
import type { Redaction } from '../maker/redact-answer.ts';

/** Where lines of a trace go; never throws. */
export type TraceSink = (line: string) => void;

/** Writes what the maker answers as a trace that `replay` takes, fit to be shown to others (issue 3). */
export type Recorder = (api: MakerApi) => MakerApi;

/** A recorder of what vehicles are asked for; commands and account matters are left out. */
export function recorderTo(
  sink: TraceSink,
  { redaction, clock }: { redaction: Redaction; clock: Clock },
): Recorder {
  const keep = (path: string, answer: Answer<unknown>) => {
    // A call that was not made has no answer.
    if (answer.kind === 'held_back') return answer;
    const at = new Date(clock()).toISOString();
    const line = { at, path: redaction.path(path), ...outcomeOf(answer, redaction) };
    sink(JSON.stringify(line));
    return answer;
  };
  return (api) => ({
    ...api,
    vehicle: async (vin) => keep(`/api/1/vehicles/${vin}`, await api.vehicle(vin)),
    vehicleData: async (vin, endpoints) =>
      keep(`/api/1/vehicles/${vin}/vehicle_data`, await api.vehicleData(vin, endpoints)),
  });
}

function outcomeOf(answer: Answer<unknown>, redaction: Redaction): object {
  if (answer.kind === 'ok') {
    return { status: answer.status, body: { response: redaction.body(answer.value) } };
  }
  if (answer.status === null) return { error: answer.kind === 'timeout' ? 'timeout' : 'closed' };
  return { status: answer.status, body: { response: null, error: answer.kind } };
}
