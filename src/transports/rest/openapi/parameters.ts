import { getNamedType } from 'graphql';
import type { Endpoint } from '../endpoint.ts';
import type { Parameter } from '../parameters.ts';
import type { JsonSchema } from '../readers.ts';
import { exampleId, exampleText } from './examples.ts';

/** Parameters that name a thing, by the type of it. */
const things: { readonly [name: string]: string } = {
  place: 'Place',
  start_place: 'Place',
  end_place: 'Place',
  trip: 'Trip',
};

function exampleFor({ name, reader }: Parameter, { fields, at }: Endpoint): unknown {
  const root = fields.find((field) => field.name === at[0]);
  if (name === 'id' && root !== undefined) return exampleId(getNamedType(root.type).name);
  const thing = things[name];
  if (thing !== undefined) return exampleId(thing);
  const plain = reader.schema.type === 'string' && reader.schema.enum === undefined;
  return (plain ? exampleText(name) : null) ?? reader.example;
}

/** A parameter as OpenAPI describes it. */
export function parameterObject(parameter: Parameter, endpoint: Endpoint): JsonSchema {
  const { name, required, description, reader } = parameter;
  const { schema } = reader;
  return {
    name,
    in: parameter.in,
    ...(required ? { required } : {}),
    description,
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: parameter.default === undefined ? schema : { ...schema, default: parameter.default },
    example: exampleFor(parameter, endpoint),
  };
}

/** The path as OpenAPI spells it: `{name}` for a parameter. */
export function templateOf(path: string): string {
  return path.replace(/:([a-z_]+)/g, '{$1}');
}
