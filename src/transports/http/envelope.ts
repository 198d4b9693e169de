import {
  type ErrorCode,
  errorTable,
  type FieldMessages,
  type ServiceError,
} from '../../base/errors.ts';

/** Body of every error outside GraphQL (contract §12). */
export type ErrorEnvelope = {
  code: number;
  response: null;
  error: ErrorCode;
  error_description: string;
  messages: FieldMessages | null;
  required_scope?: string;
  request_id: string;
  retry_after_s: number | null;
  resolution: (typeof errorTable)[ErrorCode]['resolution'];
  docs: string | null;
};

/** The error as its caller reads it; `required_scope` stands there only when a scope is missing. */
export function errorEnvelope(error: ServiceError, requestId: string): ErrorEnvelope {
  return {
    code: error.status,
    response: null,
    error: error.code,
    error_description: error.message,
    messages: error.fields,
    ...(error.requiredScope === null ? {} : { required_scope: error.requiredScope }),
    request_id: requestId,
    retry_after_s: error.retryAfterS,
    resolution: errorTable[error.code].resolution,
    docs: null,
  };
}
