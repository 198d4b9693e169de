import {
  type GraphQLInputObjectType,
  getNullableType,
  isInputObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { schema } from '../../schema/index.ts';
import type { Alternatives } from '../../schema/requires-scopes.ts';
import { formParameters } from './form-parameters.ts';
import { neededScopes } from './needed-scopes.ts';
import { loadOperations, type Operations } from './operations.ts';
import { pageVariables, pagingParameters } from './paging.ts';
import { type Parameter, parametersOf } from './parameters.ts';
import { type Route, reads } from './route.ts';
import { routes } from './routes.ts';
import { type Field, fieldAt, fieldsOf } from './shape.ts';
import { variablesOf } from './variables.ts';

/** A route with everything that follows from its operation and the schema. */
export type Endpoint = {
  route: Route;
  operation: OperationDefinitionNode;
  /** All that the operation asks for. */
  fields: readonly Field[];
  /** Names under which the answer stands in the result: of a page its rows, else the answer itself. */
  at: readonly string[];
  /** What stands there. */
  answer: Field;
  /** What it needs; null when it is public. */
  scopes: Alternatives | null;
  parameters: readonly Parameter[];
  /** The input that the body is read as; null for routes without one. */
  body: GraphQLInputObjectType | null;
  /** Whether the answer is asked for beside the vehicle of the path, and has to be of that vehicle. */
  besideVehicle: boolean;
};

/** What follows from a row of the table. Throws where the row does not fit its operation. */
export function endpointOf(route: Route, operations: Operations): Endpoint {
  const operation = operations.get(route.operation);
  const queries = reads(route);
  const root = queries ? schema.getQueryType() : schema.getMutationType();
  if (operation === undefined || root == null || queries !== isQuery(operation)) {
    throw new Error(`${route.path}: there is no operation ${route.operation} for ${route.method}.`);
  }
  const fields = fieldsOf(root, operation.selectionSet);
  const names = route.answer.at.split('.');
  const at = route.answer.kind === 'page' ? [...names, 'nodes'] : names;
  const answer = fieldAt(fields, at);
  const besideVehicle = at[0] !== 'vehicle' && fields.some(({ name }) => name === 'vehicle');
  if (besideVehicle) fieldAt(fields, [at[0] ?? '', 'vehicle', 'id']);

  const variables = variablesOf(schema, operation);
  const input = getNullableType(variables.find(({ name }) => name === 'input')?.type);
  const parameters = [
    ...variables
      .filter(({ name }) => name !== 'input' && !pageVariables.includes(name))
      .filter(({ name }) => !isCommand(route) || !commandVariables.includes(name))
      .flatMap((variable) => parametersOf(variable, route)),
    ...(route.answer.kind === 'page' ? pagingParameters(route.sortedBy) : []),
    ...formParameters(route, answer),
  ];
  const missing = segmentsOf(route).filter((name) => !parameters.some((one) => one.name === name));
  if (missing.length > 0) throw new Error(`${route.path}: no variable stands for ${missing}.`);
  return {
    route,
    operation,
    fields,
    at,
    answer,
    scopes: neededScopes(fields),
    parameters,
    body: isInputObjectType(input) ? input : null,
    besideVehicle,
  };
}

/** Variables of commands that are read from the body and from headers. */
const commandVariables = ['params', 'texts', 'body', 'idempotencyKey'];

/** Whether a route answers with a command. */
export function isCommand({ answer }: Route): boolean {
  return answer.kind === 'command' || answer.kind === 'maker';
}

/** Whether a route sends a command, which costs the caller a point. */
export function isSending(route: Route): boolean {
  return isCommand(route) && route.method === 'POST';
}

function isQuery({ operation }: OperationDefinitionNode): boolean {
  return operation === OperationTypeNode.QUERY;
}

function segmentsOf({ path }: Route): string[] {
  return path.split('/').flatMap((segment) => (segment.startsWith(':') ? segment.slice(1) : []));
}

/** Every row of the table with what follows from it. Throws for a row that does not fit the schema. */
export function endpoints(): Endpoint[] {
  const operations = loadOperations();
  return routes.map((route) => endpointOf(route, operations));
}
