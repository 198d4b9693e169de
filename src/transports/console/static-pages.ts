import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { packageRoot } from '../../base/package-root.ts';

/** Where `vite build` puts the pages. */
const built = join(packageRoot, '.build/console');

/** Scripts and styles of our own only; the editor writes inline styles and runs its workers from blobs. */
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the pages that the build made: GraphiQL at `/graphiql`, what it loads under `/assets/`, and the icon. */
export async function staticPages(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: built, serve: false });

  const page = async (file: string, reply: FastifyReply) => {
    if (!existsSync(join(built, file))) {
      throw new ServiceError(
        'service_unavailable',
        'The pages are not built: run `npm run build`.',
      );
    }
    // Always asked for again: the names of the assets in it change with every build.
    reply.header('Content-Security-Policy', policy).header('Cache-Control', 'no-cache');
    return reply.sendFile(file, { cacheControl: false });
  };

  app.get('/graphiql', (_request, reply) => page('graphiql/index.html', reply));
  app.get('/graphiql/', (_request, reply) => reply.redirect('/graphiql', 308));
  app.get('/favicon.svg', (_request, reply) => page('favicon.svg', reply));
  app.get('/favicon.ico', (_request, reply) => page('favicon.svg', reply));
  app.get<{ Params: { file: string } }>('/assets/:file', (request, reply) => {
    reply.header('Content-Security-Policy', policy);
    // The name holds a hash of the content.
    return reply.sendFile(join('assets', request.params.file), {
      maxAge: '365d',
      immutable: true,
    });
  });
}
