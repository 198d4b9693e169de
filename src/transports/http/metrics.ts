import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A number that is read when somebody asks for the metrics. */
export type GaugeRow = { name: string; help: string; read: () => number };

/** Measures every request by route, and serves it with the process's own numbers at `/metrics` (Prometheus text format). */
export function addMetrics(app: FastifyInstance, gauges: readonly GaugeRow[]): void {
  // One registry per server: several run in one process in tests.
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name, help, read } of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    // The pattern, never the path: a path holds ids, and a scanner would make a series of every guess.
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
    duration.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
  });
  app.get('/metrics', async (_request, reply) => {
    reply.type(registry.contentType).header('Cache-Control', 'no-store');
    return registry.metrics();
  });
}
