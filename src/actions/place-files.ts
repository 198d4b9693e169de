import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import { problemsOf } from './read-input.ts';

/** Radius of a point of a file that says none [m]. */
const USUAL_RADIUS_M = 100;

type Draft = Record<string, unknown>;

/** Places in a file, as inputs that are still to be held against what a place may be. */
export function placesInFile(format: 'GEOJSON' | 'CSV', text: string): Draft[] {
  return format === 'GEOJSON' ? placesInGeoJson(text) : placesInCsv(text);
}

function refuse(sentence: string, fields: Record<string, string[]> = {}): never {
  throw new ServiceError('validation_failed', sentence, { fields });
}

const position = z.array(z.number()).min(2);
const ring = z.array(position);
const geometry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Point'), coordinates: position }),
  z.object({ type: z.literal('Polygon'), coordinates: z.array(ring).min(1) }),
  z.object({
    type: z.literal('MultiPolygon'),
    coordinates: z.array(z.array(ring).min(1)).length(1),
  }),
]);
const feature = z.object({
  type: z.literal('Feature'),
  geometry,
  properties: z.record(z.string(), z.unknown()).nullish(),
});
const collection = z.object({ type: z.literal('FeatureCollection'), features: z.array(feature) });
const document = z.union([collection, feature.transform((one) => ({ features: [one] }))]);

/**
 * Features of GeoJSON (RFC 7946): a point is a circle of the radius in its properties, of a polygon the outer ring
 * counts. Holes are left out, because a place has none.
 */
function placesInGeoJson(text: string): Draft[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refuse('The file is not JSON.', { data: ['This is not JSON.'] });
  }
  const read = document.safeParse(json);
  if (!read.success) {
    const problems = problemsOf(read.error);
    return refuse('The file is not GeoJSON with points and polygons.', {
      data: [
        `Give a FeatureCollection of Point and Polygon features: ${Object.keys(problems)[0]}.`,
      ],
    });
  }
  return read.data.features.map(({ geometry: shape, properties }) => ({
    ...fieldsOf(properties ?? {}),
    ...shapeOf(shape, properties ?? {}),
  }));
}

function shapeOf(shape: z.infer<typeof geometry>, properties: Record<string, unknown>): Draft {
  if (shape.type === 'Point') {
    const [longitude, latitude] = shape.coordinates;
    return { longitude, latitude, radiusM: properties.radius_m ?? USUAL_RADIUS_M };
  }
  const outer = shape.type === 'Polygon' ? shape.coordinates[0] : shape.coordinates[0]?.[0];
  const polygon = (outer ?? []).map(([longitude, latitude]) => ({ longitude, latitude }));
  return { polygon };
}

const plainFields = [
  ['name', 'name'],
  ['kind', 'kind'],
  ['auto_tags', 'autoTags'],
  ['purpose_default', 'purposeDefault'],
  ['notify_enter', 'notifyEnter'],
  ['notify_exit', 'notifyExit'],
  ['hide_on_share', 'hideOnShare'],
] as const;

/** Properties that say something of a place; others are somebody else's. */
function fieldsOf(properties: Record<string, unknown>): Draft {
  const given = plainFields.filter(([key]) => properties[key] != null);
  return Object.fromEntries(given.map(([key, field]) => [field, properties[key]]));
}

const columns = ['latitude', 'longitude', 'radius_m', ...plainFields.map(([key]) => key)];

/** Rows of CSV (RFC 4180) under a line of column names; every row is a circle, and tags are separated by semicolons. */
function placesInCsv(text: string): Draft[] {
  const [header, ...rows] = csvRows(text);
  const names = (header ?? []).map((name) => name.trim().toLowerCase());
  const strange = names.find((name) => !columns.includes(name));
  if (strange !== undefined || !names.includes('name')) {
    const sentence = `The first line names the columns, of ${columns.join(', ')}.`;
    return refuse(sentence, { data: [sentence] });
  }
  return rows.map((cells, index) => {
    if (cells.length !== names.length) {
      const sentence = `Row ${index + 1} has ${cells.length} cells instead of ${names.length}.`;
      return refuse(sentence, { data: [sentence] });
    }
    const given = Object.fromEntries(names.map((name, column) => [name, cells[column]?.trim()]));
    return draftOf(given);
  });
}

function draftOf(given: Record<string, string | undefined>): Draft {
  const { auto_tags, notify_enter, notify_exit, hide_on_share, ...rest } = given;
  const plain = Object.entries(rest).filter(([, text]) => text !== undefined && text !== '');
  const truths = { notify_enter, notify_exit, hide_on_share };
  const said = Object.entries(truths).filter(([, text]) => text !== undefined && text !== '');
  const tags = (auto_tags ?? '').split(';').filter((tag) => tag.trim() !== '');
  return {
    ...fieldsOf({
      ...Object.fromEntries(plain),
      ...Object.fromEntries(said.map(([name, text]) => [name, truthOf(text ?? '')])),
      auto_tags: tags,
    }),
    latitude: numberOf(given.latitude),
    longitude: numberOf(given.longitude),
    radiusM: given.radius_m ? numberOf(given.radius_m) : USUAL_RADIUS_M,
  };
}

function truthOf(text: string): unknown {
  return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()] ?? text;
}

function numberOf(text: string | undefined): unknown {
  return text === undefined || text === '' ? undefined : Number(text);
}

function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // A cell with what ends it: quoted, in which two quotes stand for one, or plain.
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  const body = text.replace(/^\uFEFF/, '');
  while (cell.lastIndex < body.length) {
    const found = cell.exec(body);
    if (found === null) return refuse('The file is not CSV.', { data: ['A quote is not closed.'] });
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === ',') {
      if (cell.lastIndex === body.length) row.push('');
      continue;
    }
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows.filter((cells) => cells.some((one) => one.trim() !== ''));
}
