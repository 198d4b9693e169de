import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { snakeCase } from '../../base/spelling.ts';
import {
  anyNumber,
  circles,
  integers,
  listOf,
  type Reader,
  textOf,
  time,
  truth,
  wholeNumbers,
  words,
} from './readers.ts';
import type { Route } from './route.ts';
import type { Variable } from './variables.ts';

/** A parameter of a route. */
export type Parameter = {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description: string;
  reader: Reader;
  default?: unknown;
  /** Where its value goes in the variables of the operation; null for what is no variable. */
  target: readonly string[] | null;
};

/** The parameters that stand for a variable: one, or one for each field of a filter. */
export function parametersOf(variable: Variable, route: Route): Parameter[] {
  const { name, type, description } = variable;
  const nullable = getNullableType(type);
  if (name === 'filter' && isInputObjectType(nullable)) {
    return Object.values(nullable.getFields()).map((field) => ({
      name: snakeCase(field.name),
      in: 'query',
      required: false,
      description: described(field.type, field.description ?? ''),
      reader: readerOf(field.type, snakeCase(field.name), route),
      target: [name, field.name],
    }));
  }
  const key = snakeCase(name);
  const inPath = route.path.split('/').includes(`:${key}`);
  return [
    {
      name: key,
      in: inPath ? 'path' : 'query',
      required: inPath || (isNonNullType(type) && variable.default === undefined),
      description: described(type, description),
      reader: readerOf(type, key, route),
      ...(variable.default === undefined ? {} : { default: variable.default }),
      target: [name],
    },
  ];
}

function described(type: GraphQLInputType, description: string): string {
  return isListType(getNullableType(type))
    ? `${description} Several are separated by commas.`
    : description;
}

function readerOf(type: GraphQLInputType, name: string, route: Route): Reader {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return listOf(readerOf(nullable.ofType, name, route));
  if (isEnumType(nullable)) return words(nullable.getValues().map((value) => value.name));
  const range = route.ranges?.[name];
  switch (nullable.name) {
    case 'NearInput':
      return circles;
    case 'Int':
      return range === undefined ? wholeNumbers : integers(...range);
    case 'Float':
      return anyNumber(range);
    case 'Boolean':
      return truth;
    case 'DateTime':
      return time;
    case 'ID':
    case 'String':
      return textOf(route.patterns?.[name]);
    default:
      throw new Error(`${route.path}: no text is read as ${nullable.name} (${name}).`);
  }
}
