import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { type ErrorCode, errorTable, ServiceError } from '../base/errors.ts';
import { logFailure, standsForLogged } from '../base/failure-log.ts';
import type { Log } from '../base/log.ts';
import { isDatabaseUnavailable, isDiskFull, isUnstorableText } from '../store/database-errors.ts';

/** What a failure is logged with. */
export type FailureContext = { log: Log; requestId: string };

const finished = new WeakSet<GraphQLError>();

const INTERNAL = 'Something went wrong here; the log has the details under this request id.';
const UNSTORABLE = 'A text has a character that cannot be stored: U+0000.';
const FULL = 'The database has no room left; nothing was changed.';
const UNAVAILABLE = 'The database is out of reach for now.';
/** When asking again may help after the database was out of reach [s]. */
const RETRY_AFTER_S = 5;

/** An error as it leaves the service: `extensions.code` is the word of contract §12 in upper case. */
export function codedError(
  code: ErrorCode,
  message: string,
  options: GraphQLErrorOptions = {},
): GraphQLError {
  const { status, resolution } = errorTable[code];
  const error = new GraphQLError(message, {
    ...options,
    extensions: { code: code.toUpperCase(), http: { status }, resolution, ...options.extensions },
  });
  finished.add(error);
  return error;
}

function fromServiceError(error: ServiceError, at: GraphQLErrorOptions): GraphQLError {
  const { fields, retryAfterS, requiredScope } = error;
  return codedError(error.code, error.message, {
    ...at,
    extensions: {
      ...(fields === null ? {} : { fields }),
      ...(retryAfterS === null ? {} : { retryAfterS }),
      ...(requiredScope === null ? {} : { requiredScope }),
    },
  });
}

/** What an error goes back to, under graphql-js's own wrappings. */
export function rootCause(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError
    ? rootCause(error.originalError)
    : error;
}

/** Status and headers that the HTTP side put on an error of its own, such as 405 with `Allow`. */
function httpOf(error: GraphQLError): { status: number } | null {
  const { http } = error.extensions;
  return typeof http === 'object' &&
    http !== null &&
    'status' in http &&
    typeof http.status === 'number'
    ? { ...http, status: http.status }
    : null;
}

const codeByStatus: { readonly [status: number]: ErrorCode } = {
  405: 'method_not_allowed',
  406: 'not_acceptable',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

function ofTheRequest(error: GraphQLError, at: GraphQLErrorOptions): GraphQLError {
  const { status } = errorTable.invalid_request;
  // `spec` tells Yoga to answer 200 where the client asked for `application/json` (GraphQL over HTTP 6.4.1); a body
  // that is no JSON, of which it keeps the parser's error, is 400 for every client.
  const unread = error.extensions.originalError !== undefined;
  const http = unread ? { status } : (httpOf(error) ?? { status, spec: true });
  return codedError(codeByStatus[http.status] ?? 'invalid_request', error.message, {
    ...at,
    extensions: { http },
  });
}

/** The error as it leaves the service, where it is our fault or the maker's, with a line in the log. */
function loggedError(made: GraphQLError, cause: unknown, context: FailureContext): GraphQLError {
  logFailure(context.log, cause, { requestId: context.requestId });
  standsForLogged(made);
  return made;
}

/**
 * The error as a caller may see it. What is not meant for callers becomes `INTERNAL_ERROR`, or `SERVICE_UNAVAILABLE`
 * when the database is out of reach. Whatever is answered with a status of 500 or more is logged with its cause, once. An
 * error that went through here stays as it is.
 */
export function formatError(error: unknown, context: FailureContext): GraphQLError {
  if (error instanceof GraphQLError && finished.has(error)) return error;
  const at: GraphQLErrorOptions =
    error instanceof GraphQLError
      ? { nodes: error.nodes, source: error.source, positions: error.positions, path: error.path }
      : {};
  const cause = rootCause(error);
  if (cause instanceof ServiceError) {
    const told = fromServiceError(cause, at);
    return cause.status < 500 ? told : loggedError(told, cause, context);
  }
  if (error instanceof GraphQLError && error.path === undefined) {
    if (cause instanceof GraphQLError || httpOf(error) !== null) return ofTheRequest(error, at);
  }
  if (isUnstorableText(cause)) return codedError('validation_failed', UNSTORABLE, at);
  const trouble = isDiskFull(cause) ? FULL : isDatabaseUnavailable(cause) ? UNAVAILABLE : null;
  const told =
    trouble === null
      ? codedError('internal_error', INTERNAL, at)
      : codedError('service_unavailable', trouble, {
          ...at,
          extensions: { retryAfterS: RETRY_AFTER_S },
        });
  return loggedError(told, cause, context);
}
