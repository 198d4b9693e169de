import type { GraphQLError } from 'graphql';
import { z } from 'zod';
import { type ErrorCode, errorTable, type FieldMessages, ServiceError } from '../../base/errors.ts';
import { snakeCase } from '../../base/spelling.ts';

function isErrorCode(word: string): word is ErrorCode {
  return Object.hasOwn(errorTable, word);
}

const details = z.object({
  code: z
    .string()
    .transform((code) => code.toLowerCase())
    .refine(isErrorCode),
  fields: z.record(z.string(), z.array(z.string())).optional(),
  retryAfterS: z.number().optional(),
  requiredScope: z.string().optional(),
});

/** What arguments of a list are called in REST. */
const restNames: { readonly [argument: string]: string } = {
  first: 'limit',
  last: 'limit',
  after: 'cursor',
  before: 'cursor',
  orderBy: 'order',
};

function restName(path: string): string {
  const steps = path.split('.').filter((step) => step !== 'filter' && step !== 'input');
  return steps.map((step) => restNames[step] ?? snakeCase(step)).join('.');
}

/** What went wrong in an operation, in the words of REST. */
export function failureOf(error: GraphQLError): ServiceError {
  const { data } = details.safeParse(error.extensions);
  // `execute` gives every error a code; one without is a mistake of ours.
  if (data === undefined)
    return new ServiceError('internal_error', error.message, { cause: error });
  const { code, fields, retryAfterS, requiredScope } = data;
  const named: FieldMessages | undefined =
    fields &&
    Object.fromEntries(Object.entries(fields).map(([path, said]) => [restName(path), said]));
  const [name, sentences] = Object.entries(named ?? {})[0] ?? [];
  const message =
    name === undefined ? error.message : `\`${name}\`: ${sentences?.join(' ') ?? error.message}`;
  return new ServiceError(code, message, {
    cause: error,
    fields: named,
    retryAfterS,
    requiredScope,
  });
}
