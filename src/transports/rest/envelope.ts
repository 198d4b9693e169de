import type { Endpoint } from './endpoint.ts';
import { type Pagination, paginationOf } from './paging.ts';
import type { Given } from './read-query.ts';
import type { Field } from './shape.ts';
import { isRecord, told, valueAt } from './telling.ts';

/** Body of a successful answer (contract §1); the request id is in its header alone, so that equal bodies have equal tags. */
export type Envelope = {
  code: 200;
  response: unknown;
  count?: number;
  pagination?: Pagination;
};

/** The answer in the words of REST, `wanted` being the fields that are left of it. */
export function envelopeOf(
  { route, at, answer }: Endpoint,
  data: unknown,
  { given, wanted }: { given: Given; wanted: readonly Field[] | null },
): Envelope {
  const found = valueAt(data, at);
  const value = route.answer.kind === 'first' && Array.isArray(found) ? found[0] : found;
  const response = told(wanted === null ? answer : { ...answer, fields: wanted }, value);
  const { bare } = route;
  if (bare !== undefined && given.get(bare.unless) !== true) {
    return { code: 200, response: isRecord(response) ? (response[bare.field] ?? null) : null };
  }
  if (!Array.isArray(response)) return { code: 200, response };
  const list = { code: 200, response, count: response.length } as const;
  return route.answer.kind === 'page'
    ? { ...list, pagination: paginationOf(valueAt(data, at.slice(0, -1)), given) }
    : list;
}
