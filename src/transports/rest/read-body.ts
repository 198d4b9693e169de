import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { noSuch } from '../../base/near-miss.ts';
import { snakeCase } from '../../base/spelling.ts';
import { refusal } from './read-query.ts';
import { isRecord } from './telling.ts';
import { quoted } from './words.ts';

type Problems = Map<string, string[]>;

/**
 * A JSON body as the input of a mutation. Throws `invalid_request` for what is no object, and `validation_failed` that
 * says of every field what is wrong with it, unknown ones included (contract §8).
 */
export function readBody(type: GraphQLInputObjectType, body: unknown): Record<string, unknown> {
  if (!isRecord(body)) {
    throw new ServiceError('invalid_request', 'The body must be a JSON object.');
  }
  const problems: Problems = new Map();
  const input = objectOf(type, body, '', problems);
  if (problems.size > 0) throw refusal(problems, 'field');
  return input;
}

function objectOf(
  type: GraphQLInputObjectType,
  body: Readonly<Record<string, unknown>>,
  under: string,
  problems: Problems,
): Record<string, unknown> {
  const fields = new Map(
    Object.values(type.getFields()).map((field) => [snakeCase(field.name), field]),
  );
  const input: [string, unknown][] = [];
  for (const [key, value] of Object.entries(body)) {
    const field = fields.get(key);
    if (field === undefined) problems.set(under + key, [noSuch('field', key, [...fields.keys()])]);
    else input.push([field.name, inputValue(field.type, value, under + key, problems)]);
  }
  for (const [key, { type: fieldType, defaultValue }] of fields) {
    if (isNonNullType(fieldType) && defaultValue === undefined && !Object.hasOwn(body, key)) {
      problems.set(under + key, ['This field is required.']);
    }
  }
  return Object.fromEntries(input);
}

function inputValue(
  type: GraphQLInputType,
  value: unknown,
  path: string,
  problems: Problems,
): unknown {
  const refuse = (sentence: string) => {
    problems.set(path, [sentence]);
    return null;
  };
  if (value === null) return isNonNullType(type) ? refuse('This field cannot be null.') : null;
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    if (!Array.isArray(value)) return refuse('Give a list.');
    return value.map((one, index) =>
      inputValue(nullable.ofType, one, `${path}.${index}`, problems),
    );
  }
  if (isInputObjectType(nullable)) {
    if (!isRecord(value)) return refuse('Give an object.');
    return objectOf(nullable, value, `${path}.`, problems);
  }
  if (isEnumType(nullable)) {
    const values = nullable.getValues().map(({ name }) => name);
    const known = typeof value === 'string' && values.includes(value);
    return known ? value : refuse(`Give one of ${quoted(values)}.`);
  }
  const wrong = kindProblem(nullable.name, value);
  return wrong === null ? value : refuse(wrong);
}

/** What is wrong with a value for a scalar; null when nothing is. */
function kindProblem(scalar: string, value: unknown): string | null {
  switch (scalar) {
    case 'Boolean':
      return typeof value === 'boolean' ? null : 'Give true or false.';
    case 'Int':
      return Number.isSafeInteger(value) ? null : 'Give a whole number.';
    case 'Float':
      return typeof value === 'number' ? null : 'Give a number.';
    case 'String':
    case 'ID':
      if (typeof value !== 'string') return 'Give a text.';
      return value.includes('\0') ? 'A NUL character is not taken.' : null;
    default:
      return null;
  }
}
