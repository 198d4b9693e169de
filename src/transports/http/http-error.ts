import { z } from 'zod';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';

/** What the HTTP server calls its own refusals, in our words. */
const ours: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'payload_too_large',
    message: 'The body is larger than 1 MiB.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'The body must be JSON with the content type application/json.',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: {
    code: 'invalid_request',
    message: 'The body is not valid JSON.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'invalid_request',
    message: 'The content type says JSON, and the body is empty.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    message: 'The body is not as long as its Content-Length says.',
  },
  FST_ERR_BAD_URL: { code: 'invalid_request', message: 'The path is not a valid URL path.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found', message: 'Nothing is found at this path.' },
};

const refusal = z.object({ code: z.string() });

/**
 * The error as its caller may see it: a ServiceError as it is, a refusal of the HTTP server in our words, and
 * everything else `internal_error` with the original as its cause.
 */
export function callerError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const known = ours[refusal.safeParse(thrown).data?.code ?? ''];
  return known === undefined
    ? new ServiceError('internal_error', 'Something failed inside the service.', { cause: thrown })
    : new ServiceError(known.code, known.message, { cause: thrown });
}
