import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';

/** Shorter than anybody would wait after the key changed. */
const FRESH_S = 300;

/**
 * The public key of the application at its well-known `path`, where the maker and its app fetch it; 404 before there is
 * one, which nobody may remember.
 */
export function addPublicKey(
  app: FastifyInstance,
  path: string,
  publicKey: () => Promise<string | null>,
): void {
  app.get(path, async (_request, reply) => {
    const pem = await publicKey();
    if (pem === null) {
      reply.header('Cache-Control', 'no-store');
      throw new ServiceError('not_found', 'This service has no public key.');
    }
    reply.header('Cache-Control', `public, max-age=${FRESH_S}`);
    return reply.type('application/x-pem-file').send(pem);
  });
}
