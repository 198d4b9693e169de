import { ServiceError } from '../../base/errors.ts';
import { preferred } from './accept.ts';
import type { Endpoint } from './endpoint.ts';
import { csvOf } from './formats/csv.ts';
import { type FormatName, formatTypes } from './formats/format.ts';
import { geoJsonOf } from './formats/geojson.ts';
import { gpxOf } from './formats/gpx.ts';
import type { Given } from './read-query.ts';
import type { Route } from './route.ts';
import { fieldAt } from './shape.ts';
import { valueAt } from './telling.ts';

/** The forms that a route answers in, JSON first. */
export function formsOf({ formats = [] }: Route): FormatName[] {
  return ['json', ...formats];
}

function isForm(word: unknown, forms: readonly FormatName[]): word is FormatName {
  return forms.some((form) => form === word);
}

/** The form to answer in: the `format` that was given, else what `Accept` likes best. Throws `not_acceptable`. */
export function formFor(route: Route, given: Given, accept: string | undefined): FormatName {
  const all = formsOf(route);
  const format = given.get('format');
  const forms = isForm(format, all) ? [format] : all;
  const mediaType = preferred(
    accept,
    forms.map((form) => formatTypes[form]),
  );
  const form = forms.find((one) => formatTypes[one] === mediaType);
  if (form !== undefined) return form;
  const offered = forms.map((one) => formatTypes[one]).join(', ');
  throw new ServiceError('not_acceptable', `The answer is ${offered}, which Accept leaves out.`);
}

/** Name of the file that an answer other than JSON is saved as; the path's id holds no character that needs quoting. */
export function fileNameOf(form: FormatName, given: Given): string {
  const id = String(given.get('id') ?? 'path').replaceAll(/[^a-z0-9_]/gi, '');
  return `${id}.${form}`;
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
  switch (form) {
    case 'csv':
      return csvOf(columns, rows);
    case 'gpx':
      return gpxOf(id, rows);
    case 'geojson':
      return geoJsonOf(id, columns, rows);
  }
}
