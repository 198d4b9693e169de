import { isObject } from './json.ts';
import type { Connectivity } from './observation.ts';
import { finiteNumber, flag, type Reader, text, word } from './readers.ts';

/** What the account may do with a vehicle, in the maker's terms (contract §2). */
export type AccessType = 'OWNER' | 'DRIVER' | 'GUEST';

/** Which vehicle an item of the list or an answer speaks of. */
export type VehicleIdentity = {
  vin: string;
  /** Can change over time; the VIN cannot (maker.md §1.4). */
  makerVehicleId: string | null;
  displayName: string | null;
  accessType: AccessType | null;
  inService: boolean | null;
  connectivity: Connectivity | null;
};

/** Why an answer cannot be read at all. */
export type Refusal = 'not_an_object' | 'no_response' | 'no_vin';

/** What was read, or why nothing could be. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: Refusal };

/** The word of `state`; words other than the three documented ones are not understood (maker.md §1.4). */
export const connectivityWord: Reader<Connectivity> = word<Connectivity>({
  online: 'online',
  asleep: 'asleep',
  offline: 'offline',
});

/** The word of `access_type`. */
export const accessWord: Reader<AccessType> = word<AccessType>({
  OWNER: 'OWNER',
  DRIVER: 'DRIVER',
  GUEST: 'GUEST',
});

const vinText = /^[A-Z0-9]{17}$/;

/** Whether text in upper case has the form of a vehicle identification number. */
export function isVin(vin: string): boolean {
  return vinText.test(vin);
}

/** The fields of a vehicle in an answer, with or without its envelope. */
export function vehicleFields(
  body: unknown,
): Parsed<{ vin: string; fields: Readonly<Record<string, unknown>> }> {
  if (!isObject(body)) return { ok: false, reason: 'not_an_object' };
  const enveloped = Object.hasOwn(body, 'response') && !Object.hasOwn(body, 'vin');
  const fields = enveloped ? body.response : body;
  if (fields === null || fields === undefined) return { ok: false, reason: 'no_response' };
  if (!isObject(fields)) return { ok: false, reason: 'not_an_object' };
  const vin = text(fields.vin, 0)?.toUpperCase();
  if (vin === undefined || !isVin(vin)) return { ok: false, reason: 'no_vin' };
  return { ok: true, value: { vin, fields } };
}

/** Who the vehicle of a list item or of an answer is; refused without a VIN of 17 characters. */
export function identityOfVehicle(body: unknown): Parsed<VehicleIdentity> {
  const parsed = vehicleFields(body);
  if (!parsed.ok) return parsed;
  const { vin, fields } = parsed.value;
  return {
    ok: true,
    value: {
      vin,
      makerVehicleId: makerVehicleId(fields),
      displayName: text(fields.display_name, 0) ?? null,
      accessType: accessWord(fields.access_type, 0) ?? null,
      inService: flag(fields.in_service, 0) ?? null,
      connectivity: connectivityWord(fields.state, 0) ?? null,
    },
  };
}

/** `id_s`; the number `id` only where it has survived parsing unharmed (ids exceed 2^53). */
function makerVehicleId({ id, id_s }: Readonly<Record<string, unknown>>): string | null {
  const idText = text(id_s, 0) ?? text(id, 0);
  if (typeof idText === 'string') return idText;
  const number = finiteNumber(id_s) ?? finiteNumber(id);
  return number !== undefined && Number.isSafeInteger(number) ? String(number) : null;
}
