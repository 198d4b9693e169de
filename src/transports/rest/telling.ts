import type { Field } from './shape.ts';

/** An object of a GraphQL result. */
export type ResultRecord = Readonly<Record<string, unknown>>;

/** Whether a value of a result is an object with fields. */
export function isRecord(value: unknown): value is ResultRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands under a path of names in a result; null where something on the way is null. */
export function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) ? (value[name] ?? null) : null),
    data,
  );
}

/** A value of a result as REST tells it: its own words for the fields, the values as they are. */
export function told(field: Pick<Field, 'fields' | 'only'>, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const { fields, only } = field;
  if (fields === null) return value;
  if (Array.isArray(value)) return value.map((one) => told(field, one));
  if (!isRecord(value)) throw new Error('An object was asked for, and the result holds none.');
  if (only !== null) return toldOnly(fields, value[only]);
  const entries: [string, unknown][] = [];
  for (const inside of fields) {
    const { key, name } = inside;
    // What a directive left out is not in the result at all.
    if (Object.hasOwn(value, name)) entries.push([key, told(inside, value[name])]);
  }
  return Object.fromEntries(entries);
}

function toldOnly([inside]: readonly Field[], value: unknown): unknown {
  return inside === undefined ? null : told(inside, value);
}
