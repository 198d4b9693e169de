import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { snakeCase } from '../../../base/spelling.ts';
import type { JsonSchema } from '../readers.ts';
import { exampleText } from './examples.ts';

const kinds: { readonly [scalar: string]: string } = {
  ID: 'string',
  String: 'string',
  Boolean: 'boolean',
  Int: 'integer',
  Float: 'number',
};

function schemaOf(type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return present(type.ofType);
  const schema = present(type);
  return typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

function present(type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return present(type.ofType);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType) };
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (isInputObjectType(type)) return inputSchema(type);
  const kind = kinds[type.name];
  return kind === undefined ? {} : { type: kind };
}

/** Schema of the JSON that is read as an input of a mutation; unknown fields are refused. */
export function inputSchema(type: GraphQLInputObjectType): JsonSchema {
  const fields = Object.values(type.getFields());
  const required = fields.filter(
    (field) => isNonNullType(field.type) && field.defaultValue === undefined,
  );
  return {
    type: 'object',
    description: type.description ?? '',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => snakeCase(name)) }),
    properties: Object.fromEntries(
      fields.map((field) => [
        snakeCase(field.name),
        { description: field.description ?? '', ...schemaOf(field.type) },
      ]),
    ),
  };
}

/** An example of such JSON: its first text fields, and lists of texts. */
export function inputExample(type: GraphQLInputObjectType): JsonSchema {
  const known = Object.values(type.getFields()).flatMap(({ name, type: fieldType }) => {
    const text = exampleText(snakeCase(name));
    const many = isListType(getNullableType(fieldType));
    return text === null ? [] : [[snakeCase(name), many ? [text] : text] as const];
  });
  return Object.fromEntries(known.slice(0, 2));
}
