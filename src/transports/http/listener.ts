import { createServer, type RequestListener, type Server } from 'node:http';
import { ServiceError } from '../../base/errors.ts';
import { SECOND_MS } from '../../base/units.ts';
import { errorEnvelope } from './envelope.ts';
import { requestIdOf } from './request-id.ts';

/** An open port. It answers 503 until `serve` says who answers. */
export type Listener = {
  server: Server;
  port: number;
  serve: (handler: RequestListener) => void;
  /** Stops taking connections, lets running requests end, and cuts what is left after `graceMs`. */
  close: (graceMs: number) => Promise<void>;
};

const starting: RequestListener = (request, response) => {
  const requestId = requestIdOf(request);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
  };
  if (request.url === '/healthz') {
    response.writeHead(200, headers).end(JSON.stringify({ status: 'ok', service: 'odograph' }));
    return;
  }
  const error = new ServiceError('service_unavailable', 'The service is starting.', {
    retryAfterS: 1,
  });
  response
    .writeHead(error.status, { ...headers, 'Retry-After': '1' })
    .end(JSON.stringify(errorEnvelope(error, requestId)));
};

/**
 * Opens the port before anything slow happens, so that a taken port is known at once and probes get an answer.
 * Rejects with the system's error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`).
 */
export function openListener(place: { host: string; port: number }): Promise<Listener> {
  let handler = starting;
  const server = createServer((request, response) => handler(request, response));
  // Longer than the minute that reverse proxies keep idle connections, so that ours is never the first to close.
  server.keepAliveTimeout = 72 * SECOND_MS;
  server.requestTimeout = 60 * SECOND_MS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: place.host, port: place.port }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve({
        server,
        port: typeof address === 'object' && address !== null ? address.port : place.port,
        serve: (next) => {
          handler = next;
        },
        close: (graceMs) => drained(server, graceMs),
      });
    });
  });
}

function drained(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // Connections that become idle while draining are closed as they do (Node closes only those idle at the call).
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}
