import type { FastifyInstance } from 'fastify';
import { type Config, loadConfig } from '../../src/base/config.ts';
import { createLog, type Log } from '../../src/base/log.ts';
import { createHttpApp, type HttpParts } from '../../src/transports/http/app.ts';
import { openListener } from '../../src/transports/http/listener.ts';

/** The HTTP side alone on a port of its own, with the log lines it wrote. */
export type RunningApp = AsyncDisposable & { baseUrl: string; port: number; logLines: string[] };

type Options = Partial<Pick<HttpParts, 'checks' | 'gauges' | 'explain'>> & {
  environment?: Record<string, string>;
  /** Adds routes, which may write to the log whose lines are kept. */
  routes?: (app: FastifyInstance, config: Config, log: Log) => void;
};

/** Starts the HTTP side with the routes a test adds. */
export async function startHttpApp(options: Options = {}): Promise<RunningApp> {
  const { environment, routes, ...parts } = options;
  const config = loadConfig({ PORT: '0', ...environment });
  const logLines: string[] = [];
  const log = createLog('info', { write: (line) => logLines.push(line) });
  const listener = await openListener({ host: config.host, port: config.port });
  const app = await createHttpApp({
    config,
    log,
    server: listener.server,
    serve: listener.serve,
    checks: {},
    gauges: [],
    explain: () => null,
    ...parts,
  });
  routes?.(app, config, log);
  await app.ready();
  return {
    baseUrl: `http://127.0.0.1:${listener.port}`,
    port: listener.port,
    logLines,
    async [Symbol.asyncDispose]() {
      await listener.close(100);
      await app.close();
    },
  };
}
