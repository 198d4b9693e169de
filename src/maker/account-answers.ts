import { isObject } from './json.ts';
import { text } from './readers.ts';
import { type Region, regionNamed } from './regions.ts';

/** Which region holds an account, and where that answers; null where the answer does not say. */
export function regionAnswer(value: unknown): { region: Region | null; baseUrl: string | null } {
  const fields = isObject(value) ? value : {};
  return {
    region: regionNamed(fields.region),
    baseUrl: text(fields.fleet_api_base_url, 0) ?? null,
  };
}

/** The holder's address with all but its first letter and its last name hidden, such as `a***@***.org`; null without one. */
export function maskedEmail(value: unknown): string | null {
  const email = isObject(value) ? text(value.email, 0) : null;
  const [, first, end] = /^(.)[^@]*@.*?([^.@]+)$/.exec(email ?? '') ?? [];
  return first === undefined || end === undefined ? null : `${first}***@***.${end}`;
}
