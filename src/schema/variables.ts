import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { rootCause } from './errors.ts';
import { limits } from './limits.ts';

/** A refusal of one of our scalars, told with the name of what was refused; others without the value, which may be a secret. */
function named(error: GraphQLError, field: string | null): GraphQLError {
  const cause = rootCause(error);
  if (!(cause instanceof ServiceError) || field === null) return withoutValue(error, field);
  const originalError = new ServiceError(cause.code, `${field}: ${cause.message}`, {
    fields: { [field]: [cause.message] },
  });
  return new GraphQLError(originalError.message, { nodes: error.nodes, originalError });
}

/** graphql-js quotes what it was given: `... got invalid value {...}; String cannot represent a non string value: {...}`. */
function withoutValue(error: GraphQLError, field: string | null): GraphQLError {
  const quotes = / got invalid value | value: /.test(error.message);
  if (!quotes) return error;
  const reason = (error.originalError ?? error).message.replace(/ value: [\s\S]*$/, ' value.');
  return new GraphQLError(field === null ? reason : `${field}: ${reason}`, { nodes: error.nodes });
}

function fieldOfVariable(error: GraphQLError): string | null {
  // graphql-js gives the place inside the variable only in its message: `at "filter.from"`.
  const inside = / at "[^".[]+[.[]([^"]+)"/.exec(error.message)?.[1];
  const [node] = error.nodes ?? [];
  return inside ?? (node?.kind === Kind.VARIABLE_DEFINITION ? node.variable.name.value : null);
}

/** What is wrong with the variables of an operation; nothing when they fit. */
export function variableErrors(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: { readonly [name: string]: unknown },
): GraphQLError[] {
  const result = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors: limits.errors,
  });
  return (result.errors ?? []).map((error) => named(error, fieldOfVariable(error)));
}

function fieldOfLiteral(document: DocumentNode, value: ASTNode): string | null {
  const names: string[] = [];
  let argument: string | null = null;
  const holds = (node: ASTNode) =>
    node.loc !== undefined &&
    value.loc !== undefined &&
    node.loc.start <= value.loc.start &&
    node.loc.end >= value.loc.end;
  visit(document, {
    Argument(node) {
      if (!holds(node)) return false;
      argument = node.name.value;
      return undefined;
    },
    ObjectField(node) {
      if (!holds(node)) return false;
      names.push(node.name.value);
      return undefined;
    },
  });
  return names.length > 0 ? names.join('.') : argument;
}

/** Mistakes in a document, those in literals with the name of the argument they are in. */
export function namedLiterals(
  document: DocumentNode,
  errors: readonly GraphQLError[],
): GraphQLError[] {
  return errors.map((error) => {
    const [value] = error.nodes ?? [];
    return value === undefined ? error : named(error, fieldOfLiteral(document, value));
  });
}
