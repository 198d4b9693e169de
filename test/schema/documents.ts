import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { schema } from '../../src/schema/index.ts';

type Args = Record<string, Record<string, unknown>>;

/** A value of an enum, which stands in a document without quotes. */
export class EnumWord {
  readonly word: string;
  constructor(word: string) {
    this.word = word;
  }
}

function literal(value: unknown): string {
  if (value instanceof EnumWord) return value.word;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${key}: ${literal(inner)}`);
  return `{ ${entries.join(', ')} }`;
}

function argsOf(field: GraphQLField<unknown, unknown>, args: Args): string {
  if (!field.args.some(isRequiredArgument)) return '';
  const given = args[field.name];
  if (given === undefined) throw new Error(`No arguments for ${field.name}.`);
  const parts = Object.entries(given).map(([name, value]) => `${name}: ${literal(value)}`);
  return `(${parts.join(', ')})`;
}

/** Arguments of fields below the root that have required ones. */
const nestedArgs: Args = {
  positions: { from: '2026-02-01T00:00:00Z', to: '2026-03-01T00:00:00Z' },
};

/** Fields below the root that ask a vehicle maker, which these tests do not have; `test/link` has one. */
const asking = ['vehiclesAtMaker', 'keyPairing', 'telemetry', 'telemetryErrors'];

/** Whether a root field asks a maker or changes links to one. */
export function isOfLinks({ name }: GraphQLField<unknown, unknown>): boolean {
  return /maker(?!Command)/i.test(name) && !/^makerAccounts?$/.test(name);
}

/** Fields of a type, or a fragment on a drive where it is the interface of all things with an id. */
export function everyField(type: GraphQLNamedType, depth: number): string {
  if (isInterfaceType(type)) return `... on Drive ${everyField(mustBe('Drive'), depth)}`;
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (asking.includes(field.name)) return [];
    const told = isLeafType(getNamedType(field.type)) || depth > 1;
    return told ? [fieldWithAll(field, depth - 1)] : [];
  });
  return `{ ${fields.length === 0 ? '__typename' : fields.join(' ')} }`;
}

/** A field below the root with everything under it down to `depth` levels of objects. */
export function fieldWithAll(field: GraphQLField<unknown, unknown>, depth: number): string {
  return `${field.name}${argsOf(field, nestedArgs)} ${everyField(getNamedType(field.type), depth)}`;
}

function mustBe(name: string): GraphQLNamedType {
  const type = schema.getType(name);
  if (type === undefined) throw new Error(`No type ${name}.`);
  return type;
}

/** A root operation that asks for everything down to `depth` levels of objects. */
export function rootOperation(
  kind: 'query' | 'mutation',
  field: GraphQLField<unknown, unknown>,
  args: Args,
  depth: number,
): string {
  const type = getNamedType(field.type);
  const inner = isInterfaceType(type) ? `{ ${everyField(type, depth)} }` : everyField(type, depth);
  return `${kind} { ${field.name}${argsOf(field, args)} ${inner} }`;
}

/** Every root field with the kind of its operation. */
export const rootFields = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(root?.getFields() ?? {}).map((field) => ({ kind, field }));
});
