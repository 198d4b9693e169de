import {
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { idPrefixes, typeIdOf } from '../../../base/ids.ts';
import type { Field } from '../shape.ts';

const uuid = '0195517a-8c00-7a3b-9d4e-5f60718293a4';

function isIdType(name: string): name is keyof typeof idPrefixes {
  return Object.hasOwn(idPrefixes, name);
}

/** An id as it may look for a type of thing; text for what has none. */
export function exampleId(type: string): string {
  return isIdType(type) ? typeIdOf(type, uuid) : 'id';
}

const texts: { readonly [key: string]: string } = {
  public_id: 'blue-comet',
  vehicle_public_id: 'blue-comet',
  vin: 'XX0XXXXXXXX000017',
  name: 'Blue comet',
  version: '2026.8.3',
  email: 'ada@example.org',
  email_masked: 'a***@***.org',
  callback_url: 'https://cars.example.org/api/account/maker-accounts/callback?code=EU_1&state=2b',
  authorize_url: 'https://maker.example.org/oauth2/v3/authorize?response_type=code',
  label: 'Our vehicles',
  locale: 'de-DE',
  timezone: 'Europe/Berlin',
  country: 'DE',
  currency: 'EUR',
  maker: 'simulator',
  kind: 'TOKEN',
  url: 'https://hooks.example.org/odograph',
  types: 'drive.ended',
  type: 'drive.ended',
};

/** Numbers that a field may hold, by the unit at the end of its name. */
const numbers: readonly (readonly [RegExp, number])[] = [
  [/latitude|^south$|^north$/, 52.52],
  [/longitude|^west$|^east$/, 13.405],
  [/wh_per_km$/, 168],
  [/_kmh$|_per_h$/, 87],
  [/odometer_km$/, 21_043.7],
  [/_km$/, 24.6],
  [/_kwh$/, 4.1],
  [/_kw$/, 11],
  [/_pct$|percent$/, 74],
  [/_c$/, 21.5],
  [/_bar$/, 2.9],
  [/_deg$/, 183],
  [/voltage_v$/, 230],
  [/current_a$/, 16],
  [/_s$/, 1_860],
  [/_m$/, 35],
  [/year$/, 2026],
  [/count$|^visits$/, 3],
];

/** A text that a field or parameter of this name may hold. */
export function exampleText(key: string): string | null {
  return texts[key] ?? null;
}

/** A number that a field of this name may hold. */
export function exampleNumber(key: string): number {
  return numbers.find(([pattern]) => pattern.test(key))?.[1] ?? 2;
}

function timeFor(key: string): string {
  return /ended|_end|^to$|expires|completed/.test(key)
    ? '2026-03-01T08:31:00.000Z'
    : '2026-03-01T08:00:00.000Z';
}

function valueFor(type: GraphQLOutputType, field: Field): unknown {
  if (isNonNullType(type)) return valueFor(type.ofType, field);
  if (isListType(type)) return [valueFor(type.ofType, field)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isObjectType(type)) return exampleOfOne(field);
  const { key, parent } = field;
  switch (type.name) {
    case 'ID':
      return exampleId(parent.name);
    case 'Int':
      return Math.round(exampleNumber(key));
    case 'Float':
      return exampleNumber(key);
    case 'Boolean':
      return false;
    case 'DateTime':
      return timeFor(key);
    case 'Decimal':
      return '4.20';
    case 'JSON':
      return {};
    default:
      return exampleText(key) ?? 'text';
  }
}

/** An example of one object of a field that answers objects. */
export function exampleOfOne({ fields, only }: Field): unknown {
  const entries = (fields ?? []).map((field) => [field.key, exampleOf(field)] as const);
  return only === null ? Object.fromEntries(entries) : entries[0]?.[1];
}

/** An example of what a field answers. */
export function exampleOf(field: Field): unknown {
  return valueFor(field.type, field);
}
