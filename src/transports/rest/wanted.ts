import { ServiceError } from '../../base/errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Given } from './read-query.ts';
import { chosen, pathsOf } from './select-fields.ts';
import type { Field } from './shape.ts';

/** The fields that `fields` or `compact` leave of the answer; null for all. Throws `validation_failed` for both at once. */
export function wantedFields({ route, answer }: Endpoint, given: Given): readonly Field[] | null {
  const { compact } = route;
  const choice = given.get('fields');
  const short = given.get('compact') === true && compact !== undefined;
  if (choice !== undefined && short) {
    const sentence = 'Give `fields` or `compact`, not both.';
    throw new ServiceError('validation_failed', sentence, { fields: { compact: [sentence] } });
  }
  if (short) return chosen(answer.fields ?? [], pathsOf(compact.join()));
  return typeof choice === 'string' ? chosen(answer.fields ?? [], pathsOf(choice)) : null;
}
