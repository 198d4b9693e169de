import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Headers of every answer (security §4.2); pages replace the policy by their own. */
export const protectiveHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

const everyOrigin: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
  exposedHeaders: [
    'Link',
    'ETag',
    'Location',
    'X-Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'WWW-Authenticate',
    'Deprecation',
    'Sunset',
    'Idempotency-Replayed',
    'X-Upstream-Cost',
    'X-Upstream-Budget-Remaining',
  ],
  maxAge: 86_400,
  strictPreflight: false,
};

const bearerApi = /^\/(api|graphql)([/?]|$)/;

/** Sets the protective headers on every answer, and opens the bearer APIs to every origin without cookies (security §4.2). */
export async function addHeaders(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(protectiveHeaders).header('X-Request-Id', request.id);
  });
  await app.register(cors, {
    delegator: (
      request: { url?: string | undefined },
      decide: (error: Error | null, options: FastifyCorsOptions) => void,
    ) => decide(null, bearerApi.test(request.url ?? '') ? everyOrigin : { origin: false }),
  });
}
