import type { Fetcher, FetcherParams } from '@graphiql/toolkit';
import { Kind, parse } from 'graphql';

/**
 * Sends a document with one operation under the name of that operation: for a moment after a change of tabs GraphiQL still
 * gives the name of the last tab's, and a subscription goes over a socket only by its own name.
 */
export function singleOperation(fetcher: Fetcher): Fetcher {
  return (params, options) => fetcher(withFittingName(params), options);
}

function withFittingName(params: FetcherParams): FetcherParams {
  try {
    const { definitions } = parse(params.query);
    const [only, ...others] = definitions.filter(
      (definition) => definition.kind === Kind.OPERATION_DEFINITION,
    );
    if (only === undefined || others.length > 0) return params;
    return { ...params, operationName: only.name?.value ?? null };
  } catch {
    // Not a document yet: the server says what is wrong with it.
    return params;
  }
}
