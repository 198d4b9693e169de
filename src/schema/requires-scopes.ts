import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  type GraphQLField,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLScalarType,
  GraphQLSchema,
  isObjectType,
  isScalarType,
} from 'graphql';
import { effectiveGrants, isScope, type Scope } from '../contract/scopes.ts';

/** Ways to be allowed: any of the lists, each in full. */
export type Alternatives = readonly (readonly Scope[])[];

const everyOf = (parts: Alternatives[]): Alternatives =>
  parts.reduce<Alternatives>(
    (ways, next) => ways.flatMap((way) => next.map((more) => [...way, ...more])),
    [[]],
  );

function entryAlternatives([name, value]: [string, unknown]): Alternatives {
  if (isScope(name) && value === true) return [[name]];
  if (name === '$all') return alternativesOf(value);
  if (name === '$any') return Object.entries(value ?? {}).flatMap(entryAlternatives);
  throw new Error(`An authScopes entry cannot be printed: ${name}.`);
}

/** The alternatives that an `authScopes` map stands for. Throws where it is not a plain map of scopes. */
export function alternativesOf(authScopes: unknown): Alternatives {
  if (typeof authScopes !== 'object' || authScopes === null) {
    throw new Error('authScopes must be a plain map of scopes, so that the contract can show it.');
  }
  return everyOf(Object.entries(authScopes).map(entryAlternatives));
}

/** Whether a set of granted scopes satisfies one of the alternatives. */
export function satisfies(granted: ReadonlySet<Scope>, anyOf: Alternatives): boolean {
  return anyOf.some((all) => all.every((scope) => granted.has(scope)));
}

const listOf = (type: GraphQLScalarType) => new GraphQLList(new GraphQLNonNull(type));

function directiveWith(scope: GraphQLScalarType): GraphQLDirective {
  return new GraphQLDirective({
    name: 'requiresScopes',
    description: 'What a credential needs here: every scope of one of the lists.',
    locations: [DirectiveLocation.OBJECT, DirectiveLocation.FIELD_DEFINITION],
    args: {
      anyOf: {
        description: 'The lists of scopes; one of them is enough.',
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(listOf(scope)))),
      },
      mcp: {
        description: 'Whether `mcp:use` stands for them over MCP.',
        type: new GraphQLNonNull(GraphQLBoolean),
        defaultValue: false,
      },
    },
  });
}

const overMcp = effectiveGrants(['mcp:use'], 'mcp');

type Guarded = GraphQLObjectType | GraphQLField<unknown, unknown>;

/** What a type or field of a built schema needs by its own declaration, or null where it declares nothing. */
export function requiredBy(part: Guarded): Alternatives | null {
  const options = part.extensions.pothosOptions;
  const scopes =
    typeof options === 'object' && options !== null && 'authScopes' in options
      ? options.authScopes
      : undefined;
  return scopes === undefined ? null : alternativesOf(scopes);
}

function mark(part: Guarded): void {
  const anyOf = requiredBy(part);
  if (anyOf === null) return;
  const mcp = satisfies(overMcp, anyOf);
  part.extensions = {
    ...part.extensions,
    directives: { requiresScopes: mcp ? { anyOf, mcp } : { anyOf } },
  };
}

/** The schema with `@requiresScopes` on every type and field that declares scopes (contract §0). */
export function withRequiredScopes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    mark(type);
    for (const field of Object.values(type.getFields())) mark(field);
  }
  const scope = schema.getType('Scope');
  if (!isScalarType(scope)) throw new Error('The schema has no scalar Scope.');
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, directives: [...config.directives, directiveWith(scope)] });
}
