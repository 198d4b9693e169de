/** Whether a JSON value is an object (not null, not an array). */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON value in `text`, with a leading byte order mark forgiven; undefined where it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return value;
  } catch {
    return undefined;
  }
}

/** `value` without NUL characters and lone surrogates, which PostgreSQL does not store. */
export function storable(value: string): string {
  return value.replaceAll('\0', '').replace(/\p{Cs}/gu, '');
}

const deepest = 6;
const widest = 200;
const longest = 1_000;

/**
 * A copy of a JSON value that can be stored whatever it was: at most 6 levels deep, 200 entries wide and 1,000
 * characters a text; what lies beyond is left out.
 */
export function storableJson(value: unknown, level = 0): unknown {
  if (typeof value === 'string') return storable(value.slice(0, longest));
  if (typeof value === 'number') return Number.isFinite(value) ? value || 0 : null;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null || level >= deepest) return null;
  if (Array.isArray(value)) {
    return value.slice(0, widest).map((item) => storableJson(item, level + 1));
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, widest)
      .map(([key, item]) => [storable(key.slice(0, longest)), storableJson(item, level + 1)]),
  );
}
