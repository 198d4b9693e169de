import type { FastifyInstance } from 'fastify';
import { within } from '../../base/disposables.ts';
import { SECOND_MS } from '../../base/units.ts';

/** What the service needs to be useful, each asked on every `/readyz`; a check that throws or hangs has failed. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

async function outcomeOf(check: () => Promise<void>): Promise<'ok' | 'failed'> {
  try {
    await within(SECOND_MS, check(), 'The check');
    return 'ok';
  } catch {
    return 'failed';
  }
}

/** `/healthz`: the process answers; `/readyz`: everything it needs answers within a second, else 503. */
export function addHealth(app: FastifyInstance, checks: ReadinessChecks): void {
  app.get('/healthz', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
    return { status: 'ok', service: 'odograph' };
  });
  app.get('/readyz', async (_request, reply) => {
    const outcomes = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check)] as const),
    );
    const ready = outcomes.every(([, outcome]) => outcome === 'ok');
    reply.code(ready ? 200 : 503).header('Cache-Control', 'no-store');
    if (!ready) reply.header('Retry-After', '5');
    return { status: ready ? 'ready' : 'not_ready', checks: Object.fromEntries(outcomes) };
  });
}
