import {
  type GraphQLEnumType,
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { scopes } from '../../../contract/scopes.ts';
import type { JsonSchema } from '../readers.ts';
import type { Field } from '../shape.ts';
import type { ComponentNamer } from './component-names.ts';

/** The schema components of the document, filled while schemas are made. */
export type SchemaBook = {
  /** Schema of what a field answers. */
  of: (field: Field) => JsonSchema;
  /** Schema of one object of a field that answers objects. */
  ofOne: (field: Field) => JsonSchema;
  components: Map<string, JsonSchema>;
};

const scalars: { readonly [name: string]: JsonSchema } = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
  Scope: { type: 'string', enum: scopes },
  JSON: {},
};

function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string' && schema.enum === undefined) {
    return { ...schema, type: [schema.type, 'null'] };
  }
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
}

function enumSchema(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues();
  const lines = values.map(({ name, description }) => `- \`${name}\`: ${description ?? ''}`);
  return {
    type: 'string',
    enum: values.map(({ name }) => name),
    description: [type.description ?? '', '', ...lines].join('\n'),
  };
}

/** Makes JSON Schemas of answers; objects and enums become components that are referred to by name. */
export function schemaBook(nameOf: ComponentNamer): SchemaBook {
  const components = new Map<string, JsonSchema>();
  const refer = (name: string, make: () => JsonSchema): JsonSchema => {
    if (!components.has(name)) {
      components.set(name, {});
      components.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  };

  const objectSchema = ({ fields, type }: Field): JsonSchema => ({
    type: 'object',
    description: describing(type),
    required: (fields ?? []).map(({ key }) => key),
    properties: Object.fromEntries(
      (fields ?? []).map((field) => [field.key, described(of(field), field.description)]),
    ),
  });

  function typed(type: GraphQLOutputType, field: Field): JsonSchema {
    if (!isNonNullType(type)) return orNull(present(type, field));
    return present(type.ofType, field);
  }

  function present(type: GraphQLOutputType, field: Field): JsonSchema {
    if (isListType(type)) return { type: 'array', items: typed(type.ofType, field) };
    if (isEnumType(type)) return refer(type.name, () => enumSchema(type));
    if (isObjectType(type)) return inside(field);
    const scalar = scalars[isNonNullType(type) ? '' : type.name];
    if (scalar === undefined) throw new Error(`No JSON Schema stands for ${type.toString()}.`);
    return scalar;
  }

  function inside(field: Field): JsonSchema {
    const [only] = field.only === null ? [] : (field.fields ?? []);
    return only === undefined ? refer(nameOf(field), () => objectSchema(field)) : of(only);
  }

  function of(field: Field): JsonSchema {
    return typed(field.type, field);
  }
  return { of, ofOne: inside, components };
}

function describing(type: GraphQLOutputType): string {
  const named = isNonNullType(type) || isListType(type) ? type.ofType : type;
  if (isNonNullType(named) || isListType(named)) return describing(named);
  return named.description ?? '';
}

function described(schema: JsonSchema, description: string): JsonSchema {
  return description === '' ? schema : { description, ...schema };
}
