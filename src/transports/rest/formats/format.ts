/** The forms in which a path can be had, with the media type of each. */
export const formatTypes = {
  json: 'application/json',
  geojson: 'application/geo+json',
  gpx: 'application/gpx+xml',
  csv: 'text/csv',
} as const;

export type FormatName = keyof typeof formatTypes;

/** The forms that a route answers in, JSON first. */
export function formsOf({ formats = [] }: { formats?: readonly FormatName[] }): FormatName[] {
  return ['json', ...formats];
}
