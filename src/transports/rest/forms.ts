import { ServiceError } from '../../base/errors.ts';
import { preferred } from './accept.ts';
import type { Endpoint } from './endpoint.ts';
import { csvWriter } from './formats/csv.ts';
import { type FormatName, formatTypes, formsOf } from './formats/format.ts';
import { geoJsonOf, geoJsonWriter } from './formats/geojson.ts';
import { gpxWriter } from './formats/gpx.ts';
import { jsonWriter } from './formats/json.ts';
import { type RowWriter, written } from './formats/row-writer.ts';
import type { Given } from './read-query.ts';
import type { Route } from './route.ts';
import { type Field, fieldAt } from './shape.ts';
import { valueAt } from './telling.ts';

function isForm(word: unknown, forms: readonly FormatName[]): word is FormatName {
  return forms.some((form) => form === word);
}

/**
 * The form to answer in: the `format` that was given, else what `Accept` likes best. Clients send `Accept: application/json`
 * with everything (spec 5), so it does not forbid what was asked for by name. Throws `not_acceptable`.
 */
export function formFor(route: Route, given: Given, accept: string | undefined): FormatName {
  const forms = formsOf(route);
  const format = given.get('format');
  if (isForm(format, forms)) return format;
  const mediaTypes = forms.map((form) => formatTypes[form]);
  const mediaType = preferred(accept, mediaTypes);
  const form = forms.find((one) => formatTypes[one] === mediaType);
  if (form !== undefined) return form;
  const offered = mediaTypes.join(', ');
  throw new ServiceError('not_acceptable', `The answer is ${offered}, which Accept leaves out.`);
}

/** Name of the file that an answer is saved as: the thing's id, else the last word of the path; neither needs quoting. */
export function fileNameOf(form: FormatName, { path }: Route, given: Given): string {
  const name = given.get('id') ?? path.split('/').at(-1);
  return `${String(name).replaceAll(/[^a-z0-9_-]/gi, '')}.${form}`;
}

/** Writes all rows of an answer, however many, in a form; `columns` are the fields of a row. */
export function rowWriter(
  form: FormatName,
  { columns, name }: { columns: readonly Field[]; name: string },
): RowWriter {
  switch (form) {
    case 'json':
      return jsonWriter(columns);
    case 'csv':
      return csvWriter(columns);
    case 'gpx':
      return gpxWriter(name);
    case 'geojson':
      return geoJsonWriter(columns);
  }
}

/** A path, that is an answer with points, in a form other than JSON. */
export function pathText(
  { answer, at }: Endpoint,
  data: unknown,
  { form, given }: { form: Exclude<FormatName, 'json'>; given: Given },
): string {
  const columns = fieldAt(answer.fields ?? [], ['points']).fields ?? [];
  const points = valueAt(data, [...at, 'points']);
  const rows = Array.isArray(points) ? points : [];
  const id = String(given.get('id') ?? '');
  if (form === 'geojson') return geoJsonOf(id, columns, rows);
  return written(rowWriter(form, { columns, name: id }), rows);
}
