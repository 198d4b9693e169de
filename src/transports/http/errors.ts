import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { wwwAuthenticate } from '../../auth/challenge.ts';
import { ServiceError } from '../../base/errors.ts';
import { logFailure } from '../../base/failure-log.ts';
import { allowedMethods } from './allowed-methods.ts';
import { errorEnvelope } from './envelope.ts';
import { callerError } from './http-error.ts';

/** Answers a request with what was thrown. */
export type ErrorAnswerer = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * The one place that turns what was thrown outside GraphQL into an answer and, when it is our fault, a log line;
 * `explain` is asked about errors that are nobody's word yet.
 */
export function errorAnswerer(explain: (thrown: unknown) => ServiceError | null): ErrorAnswerer {
  return (thrown, request, reply) => {
    const error = explain(thrown) ?? callerError(thrown);
    if (error.status >= 500) {
      const { method, routeOptions } = request;
      logFailure(request.log, error.cause ?? error, { method, route: routeOptions?.url });
    }
    const challenge = wwwAuthenticate(error);
    if (challenge !== null) reply.header('WWW-Authenticate', challenge);
    if (error.retryAfterS !== null) {
      reply.header('Retry-After', String(Math.ceil(error.retryAfterS)));
    }
    reply
      .code(error.status)
      .header('Cache-Control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorEnvelope(error, request.id)));
  };
}

/** Answers thrown errors, unknown paths (404) and methods that a path does not take (405 with `Allow`) in the envelope. */
export function addErrors(app: FastifyInstance, answer: ErrorAnswerer): void {
  const allowed = allowedMethods();
  app.addHook('onRoute', (route) => allowed.add(route));
  app.setErrorHandler(answer);
  app.setNotFoundHandler((request, reply) => {
    const methods = allowed.at(request.url);
    // A route that takes the method has looked and found nothing.
    if (methods.length === 0 || methods.includes(request.method)) {
      throw new ServiceError('not_found', 'Nothing is found at this path.');
    }
    reply.header('Allow', methods.join(', '));
    throw new ServiceError('method_not_allowed', `This path takes ${methods.join(', ')}.`);
  });
}
