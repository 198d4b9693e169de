import { type DocumentNode, Kind } from 'graphql';
import type { PreparedOperation } from '../../schema/execute.ts';
import type { Endpoint } from './endpoint.ts';
import { type Field, selectionOf } from './shape.ts';

/** Documents kept for choices of fields, per route. */
const MOST_KEPT = 200;

/** The prepared operation of an endpoint for the fields of its answer that are wanted. */
export type DocumentChooser = (wanted: readonly Field[] | null) => PreparedOperation;

/**
 * Documents for one endpoint. A choice of fields is asked for as such, so that what is left out is not read either; a
 * part of a valid selection is valid, so nothing is validated again.
 */
export function documentsOf(endpoint: Endpoint): DocumentChooser {
  const whole = documentOf(endpoint, endpoint.fields);
  const kept = new Map<string, PreparedOperation>();
  return (wanted) => {
    if (wanted === null) return whole;
    const key = keyOf(wanted);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = documentOf(endpoint, narrowed(endpoint, endpoint.fields, endpoint.at, wanted));
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, made);
    return made;
  };
}

function keyOf(fields: readonly Field[]): string {
  return fields.map(({ key, fields: inside }) => `${key}{${keyOf(inside ?? [])}}`).join();
}

function documentOf({ operation }: Endpoint, fields: readonly Field[]): PreparedOperation {
  const definition = { ...operation, selectionSet: selectionOf(fields) };
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition] };
  return { document, errors: [] };
}

/** The fields with those of the answer replaced, except what tells whose the answer is. */
function narrowed(
  endpoint: Endpoint,
  fields: readonly Field[],
  [first, ...rest]: readonly string[],
  wanted: readonly Field[],
): readonly Field[] {
  return fields.map((field) => {
    if (field.name !== first || field.fields === null) return field;
    if (rest.length > 0) {
      return { ...field, fields: narrowed(endpoint, field.fields, rest, wanted) };
    }
    const owner = field.fields.filter(
      ({ name }) =>
        endpoint.besideVehicle && name === 'vehicle' && !wanted.some((one) => one.name === name),
    );
    return { ...field, fields: [...wanted, ...owner] };
  });
}
