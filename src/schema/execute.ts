import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeDocument,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import type { Context } from './context.ts';
import { codedError, formatError } from './errors.ts';
import { schema } from './index.ts';
import { limits, limitsRule } from './limits.ts';
import { namedLiterals, variableErrors } from './variables.ts';

/** A document that was parsed and held against the schema and the limits, once; with errors it only answers them. */
export type PreparedOperation = { document: DocumentNode; errors: readonly GraphQLError[] };

/** What to run of a prepared document, and with what. */
export type Execution = {
  operationName?: string | null;
  variables?: { readonly [name: string]: unknown } | null;
  context: Context;
};

const noDocument: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** Rules that every document is held against, whatever door it comes by. */
const validationRules = [...specifiedRules, limitsRule];

/** Whether the operation that is asked for is a subscription. */
export function isSubscription(document: DocumentNode, name: string | null): boolean {
  return getOperationAST(document, name)?.operation === OperationTypeNode.SUBSCRIPTION;
}

/** Text as a document. Throws a syntax error, also for more tokens than allowed. */
export function parseDocument(source: string): DocumentNode {
  return parse(source, { maxTokens: limits.tokens });
}

/** Prepares a document; never throws. Keep what it returns: nothing is parsed or validated when it runs. */
export function prepare(source: string | DocumentNode): PreparedOperation {
  try {
    const document = typeof source === 'string' ? parseDocument(source) : source;
    const errors = validate(schema, document, validationRules, { maxErrors: limits.errors });
    return { document, errors: namedLiterals(document, errors) };
  } catch (error) {
    if (error instanceof GraphQLError) return { document: noDocument, errors: [error] };
    throw error;
  }
}

/**
 * Runs a query or mutation in process, for every door of the service: GraphQL over HTTP, WebSocket, REST and MCP. Never
 * rejects: what goes wrong is in `errors`, in the form of contract §12.
 */
export async function execute(
  prepared: PreparedOperation,
  { operationName, variables, context }: Execution,
): Promise<ExecutionResult> {
  const fail = (errors: readonly GraphQLError[]) => ({
    errors: errors.map((error) => formatError(error, context)),
  });
  try {
    const asked = askedOf(prepared, { operationName, variables, context }, false);
    if ('errors' in asked) return fail(asked.errors);
    const result = await executeDocument(asked.args);
    return result.errors === undefined ? result : { ...result, ...fail(result.errors) };
  } catch (error) {
    return { errors: [formatError(error, context)] };
  }
}

/** What graphql-js is to run, or what is wrong with the asking; `live` says whether it has to be a subscription. */
export function askedOf(
  { document, errors }: PreparedOperation,
  { operationName, variables, context }: Execution,
  live: boolean,
): { args: ExecutionArgs } | { errors: readonly GraphQLError[] } {
  if (errors.length > 0) return { errors };
  const operation = operationOf(document, operationName ?? null, live);
  if (operation instanceof GraphQLError) return { errors: [operation] };
  const given = variables ?? {};
  const wrong = variableErrors(schema, operation, given);
  if (wrong.length > 0) return { errors: wrong };
  const cost = costOf(document, operation, given, context);
  if (cost > limits.cost) return { errors: [tooCostly(cost)] };
  const args = {
    schema,
    document,
    operationName: operationName ?? undefined,
    variableValues: given,
    contextValue: context,
  };
  return { args };
}

function operationOf(
  document: DocumentNode,
  name: string | null,
  live: boolean,
): OperationDefinitionNode | GraphQLError {
  const operation = getOperationAST(document, name);
  if (operation == null) {
    return new GraphQLError(
      name === null
        ? 'The document has several operations: name one.'
        : `The document has no operation ${name}.`,
    );
  }
  const subscribes = operation.operation === OperationTypeNode.SUBSCRIPTION;
  if (subscribes === live) return operation;
  return new GraphQLError(
    live
      ? 'Only a subscription can be asked for like this.'
      : 'A subscription cannot be asked for like this.',
  );
}

/** Cost of an operation with its variables, in the points of `limits.cost`. */
function costOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: { readonly [name: string]: unknown },
  context: Context,
): number {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const alone: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
  return complexityFromQuery(alone, { schema, ctx: context, variables: { ...variables } })
    .complexity;
}

function tooCostly(cost: number): GraphQLError {
  return codedError(
    'query_too_costly',
    `The operation costs ${cost} points; at most ${limits.cost} are allowed. Ask for smaller pages.`,
    { extensions: { cost, limit: limits.cost } },
  );
}
