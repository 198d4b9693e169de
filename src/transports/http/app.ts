import type { RequestListener, Server } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Config } from '../../base/config.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { addErrors, errorAnswerer } from './errors.ts';
import { addHeaders, protectiveHeaders } from './headers.ts';
import { addHealth, type ReadinessChecks } from './health.ts';
import { answerMalformed } from './malformed.ts';
import { addMetrics, type GaugeRow } from './metrics.ts';
import { requestIdOf } from './request-id.ts';

/** Largest body taken, in bytes (contract §14). */
export const BODY_LIMIT_BYTES = 1_048_576;

/** Longest query string taken, in bytes (contract §14). */
export const QUERY_LIMIT_BYTES = 8_192;

/** What the HTTP side needs from the rest of the service. */
export type HttpParts = {
  config: Config;
  log: Log;
  /** The open server whose requests are to be answered. */
  server: Server;
  /** Called once with the function that answers requests. */
  serve: (handler: RequestListener) => void;
  checks: ReadinessChecks;
  gauges: readonly GaugeRow[];
  /** What an unexpected error means for the caller, such as a database out of reach; null when it means nothing. */
  explain: (thrown: unknown) => ServiceError | null;
};

/**
 * The HTTP application every transport is registered on: request ids, limits, headers, errors, health and metrics.
 * It answers once `ready()` has resolved; closing it leaves the port to the listener.
 */
export async function createHttpApp(parts: HttpParts): Promise<FastifyInstance> {
  const { config, server } = parts;
  const answers: RequestListener[] = [];
  // Typed as the logger Fastify asks for, else every plugin's type would carry ours.
  const loggerInstance: FastifyBaseLogger = parts.log;
  const app = fastify({
    loggerInstance,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    genReqId: requestIdOf,
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: config.trustProxy.length === 0 ? false : config.trustProxy,
    frameworkErrors: (error, request, reply) => {
      reply.headers(protectiveHeaders).header('X-Request-Id', request.id);
      answer(error, request, reply);
    },
    clientErrorHandler: answerMalformed,
    serverFactory: (handler) => {
      answers.push(handler);
      return server;
    },
  });
  // Bodies are JSON; as text it would only be taken for a string.
  app.removeContentTypeParser('text/plain');
  const answer = errorAnswerer(parts.explain);
  addErrors(app, answer);
  await addHeaders(app);
  addLimits(app);
  addHealth(app, parts.checks);
  addMetrics(app, parts.gauges);
  app.addHook('onReady', async () => {
    for (const handler of answers) parts.serve(handler);
  });
  return app;
}

function addLimits(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const queryAt = request.url.indexOf('?');
    if (queryAt >= 0 && Buffer.byteLength(request.url) - queryAt - 1 > QUERY_LIMIT_BYTES) {
      throw new ServiceError('invalid_request', 'The query string is longer than 8 KiB.');
    }
  });
}
