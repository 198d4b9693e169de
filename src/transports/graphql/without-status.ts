import { type ExecutionResult, GraphQLError } from 'graphql';

/** The error without the HTTP status it asks for. */
export function withoutStatus(error: GraphQLError): GraphQLError {
  const { http: _http, ...extensions } = error.extensions;
  const { message, nodes, source, positions, path, originalError } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
}

/** A result as it is told where there is no HTTP answer. */
export function resultWithoutStatus(result: ExecutionResult): ExecutionResult {
  return result.errors === undefined
    ? result
    : { ...result, errors: result.errors.map(withoutStatus) };
}
