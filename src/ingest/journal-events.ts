import { isObject, parsedJson } from '../maker/json.ts';
import type { Observation } from '../maker/observation.ts';
import { observationOfRecord } from '../maker/telemetry.ts';
import type { JournalEntry, StoredEntry } from '../store/journal.ts';
import { contentKey } from './content-key.ts';
import type { IngestEvent } from './state.ts';

/** The event an entry of the journal is; null for what cannot be applied. `rightHandDrive` tells where its driver sits. */
export function eventOfEntry(entry: StoredEntry, rightHandDrive: boolean): IngestEvent | null {
  const json = parsedJson(entry.data);
  if (entry.form === 'O')
    return isObservation(json) ? { kind: 'observation', observation: json } : null;
  if (entry.form !== 'R') return null;
  const { receivedAt } = entry;
  const parsed = observationOfRecord(json, { receivedAt, rightHandDrive });
  return parsed.ok ? { kind: 'observation', observation: parsed.value } : null;
}

/** An observation that did not come as a record, as an entry of the journal. */
export function entryOfObservation(vehicleId: string, observation: Observation): JournalEntry {
  const data = JSON.stringify(observation);
  // When it was received says nothing about what was learned.
  const content = contentKey(JSON.stringify({ ...observation, receivedAt: 0 }));
  return { vehicleId, at: observation.at, content, form: 'O', data };
}

/** Only this service writes observations into the journal; what an older version wrote otherwise is left out. */
function isObservation(json: unknown): json is Observation {
  return (
    isObject(json) &&
    typeof json.vin === 'string' &&
    typeof json.at === 'number' &&
    typeof json.receivedAt === 'number' &&
    typeof json.source === 'string' &&
    isObject(json.signals) &&
    isObject(json.sectionAt) &&
    isObject(json.raw)
  );
}
