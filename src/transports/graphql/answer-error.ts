import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { wwwAuthenticate } from '../../auth/challenge.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { formatError } from '../../schema/errors.ts';

const refusal = z.object({ code: z.literal('FST_ERR_CTP_BODY_TOO_LARGE') });

const RESPONSE_TYPE = 'application/graphql-response+json';

/**
 * Answers what was thrown before Yoga had the request, such as a refused credential, as a GraphQL response: errors and no
 * data, with the HTTP status of the code.
 */
export function graphqlErrorAnswerer(log: Log) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const cause = refusal.safeParse(thrown).success
      ? new ServiceError('payload_too_large', 'The body is larger than 1 MiB.', { cause: thrown })
      : thrown;
    const error = formatError(cause, { log, requestId: request.id });
    const { http: _http, ...extensions } = error.extensions;
    if (cause instanceof ServiceError) {
      const challenge = wwwAuthenticate(cause);
      if (challenge !== null) reply.header('WWW-Authenticate', challenge);
      if (cause.retryAfterS !== null)
        reply.header('Retry-After', String(Math.ceil(cause.retryAfterS)));
    }
    const type = request.headers.accept?.includes(RESPONSE_TYPE)
      ? RESPONSE_TYPE
      : 'application/json';
    reply
      .code(statusOf(error.extensions))
      .header('Cache-Control', 'no-store')
      .type(`${type}; charset=utf-8`)
      .send(JSON.stringify({ errors: [{ message: error.message, extensions }] }));
  };
}

const withStatus = z.object({ http: z.object({ status: z.number() }) });

function statusOf(extensions: unknown): number {
  return withStatus.safeParse(extensions).data?.http.status ?? 500;
}
