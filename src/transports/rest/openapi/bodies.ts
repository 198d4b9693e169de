import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { snakeCase } from '../../../base/spelling.ts';
import type { JsonSchema } from '../readers.ts';
import { exampleNumber, exampleText } from './examples.ts';

const kinds: { readonly [scalar: string]: string } = {
  ID: 'string',
  String: 'string',
  Boolean: 'boolean',
  Int: 'integer',
  Float: 'number',
  Decimal: 'string',
  DateTime: 'string',
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

/** An example of such JSON: what it needs, and its first text fields. */
export function inputExample(type: GraphQLInputObjectType): JsonSchema {
  const fields = Object.values(type.getFields());
  const needed = fields.filter((field) => isNonNullType(field.type));
  const texts = fields.filter(
    (field) => isTextual(field.type) && exampleText(snakeCase(field.name)) !== null,
  );
  const shown = [...needed, ...texts.slice(0, Math.max(0, 2 - needed.length))];
  return Object.fromEntries(
    shown.map(({ name, type: one }) => [snakeCase(name), exampleValue(one, snakeCase(name))]),
  );
}

function isTextual(type: GraphQLInputType): boolean {
  const name = String(type);
  return name === 'String' || name === 'ID';
}

function exampleValue(type: GraphQLInputType, key: string): unknown {
  if (isNonNullType(type)) return exampleValue(type.ofType, key);
  if (isListType(type)) return [exampleValue(type.ofType, key)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) return inputExample(type);
  if (type.name === 'Boolean') return true;
  if (type.name === 'Int' || type.name === 'Float') return exampleNumber(key);
  return exampleText(key) ?? 'text';
}
