import type { Source } from '../contract/effects.ts';
import { answerFactsLeftHand, answerFactsRightHand, listItemFacts } from './answer-facts.ts';
import { emptyReading, type Reading } from './facts.ts';
import { isObject } from './json.ts';
import type { Observation } from './observation.ts';
import { flag } from './readers.ts';
import { dropStaleOdometer, newestOf, timesOfParts, timesOfSections } from './section-times.ts';
import { connectivityWord, type Parsed, vehicleFields } from './vehicle-identity.ts';

/** How an answer came in; `rightHandDrive` is what is known of the vehicle, for answers without `vehicle_config`. */
export type Reception = {
  receivedAt: number;
  source: Source;
  rightHandDrive?: boolean | null;
};

/**
 * What an answer of `vehicle_data` tells, with or without its envelope; never throws, whatever the answer is.
 *
 * Its time is the newest of its sections', or that of its reception where none has one (maker.md §1.5).
 */
export function observationOfVehicleData(body: unknown, reception: Reception): Parsed<Observation> {
  const parsed = vehicleFields(body);
  if (!parsed.ok) return parsed;
  const { vin, fields } = parsed.value;
  const into = emptyReading(reception.receivedAt);
  const facts = driverOnRight(fields, reception) ? answerFactsRightHand : answerFactsLeftHand;
  facts(fields, into, '');
  const times = timesOfParts(fields, reception.receivedAt);
  dropStaleOdometer(times, into.signals);
  const at = newestOf(times) ?? reception.receivedAt;
  const sectionAt = timesOfSections(times, into.sections, at);
  return { ok: true, value: { ...observation(vin, fields, into, reception), at, sectionAt } };
}

/** What an item of the vehicle list, or the answer for one vehicle, tells; its time is that of its reception. */
export function observationOfListItem(body: unknown, reception: Reception): Parsed<Observation> {
  const parsed = vehicleFields(body);
  if (!parsed.ok) return parsed;
  const { vin, fields } = parsed.value;
  const into = emptyReading(reception.receivedAt);
  listItemFacts(fields, into, '');
  return { ok: true, value: observation(vin, fields, into, reception) };
}

function observation(
  vin: string,
  fields: Readonly<Record<string, unknown>>,
  into: Reading,
  { receivedAt, source }: Reception,
): Observation {
  return {
    vin,
    at: receivedAt,
    receivedAt,
    source,
    connectivity: connectivityWord(fields.state, receivedAt) ?? null,
    inService: flag(fields.in_service, receivedAt) ?? null,
    signals: into.signals,
    sectionAt: timesOfSections(new Map(), into.sections, receivedAt),
    raw: Object.fromEntries(into.raw),
  };
}

function driverOnRight(
  { vehicle_config: config }: Readonly<Record<string, unknown>>,
  { receivedAt, rightHandDrive }: Reception,
): boolean {
  const told = isObject(config) ? flag(config.rhd, receivedAt) : null;
  return told ?? rightHandDrive ?? false;
}
