import type { Fetcher, FetcherParams } from '@graphiql/toolkit';
import { Kind, parse } from 'graphql';

/**
 * Sends a document with one operation without naming the operation: for a moment after a change of tabs GraphiQL still
 * gives the name of the last tab's.
 */
export function singleOperation(fetcher: Fetcher): Fetcher {
  return (params, options) => fetcher(withFittingName(params), options);
}

function withFittingName(params: FetcherParams): FetcherParams {
  try {
    const { definitions } = parse(params.query);
    const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    return operations.length === 1 ? { ...params, operationName: null } : params;
  } catch {
    // Not a document yet: the server says what is wrong with it.
    return params;
  }
}
