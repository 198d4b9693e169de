import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packageRoot } from '../../src/base/package-root.ts';
import { liveRoute } from '../../src/transports/rest/live/live-route.ts';
import { templateOf } from '../../src/transports/rest/openapi/parameters.ts';
import { routes } from '../../src/transports/rest/routes.ts';
import { type RestService, startRest } from './rest-service.ts';

const committed = readFileSync(join(packageRoot, 'schema', 'openapi.json'), 'utf8');

const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string().min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))).min(1),
  responses: z.record(z.string(), z.unknown()),
});
const document = z
  .looseObject({
    openapi: z.literal('3.1.0'),
    paths: z.record(z.string(), z.record(z.string(), operation)),
  })
  .parse(JSON.parse(committed));

describe('the contract', () => {
  let rest: RestService;
  beforeAll(async () => {
    rest = await startRest();
  });
  afterAll(() => rest?.[Symbol.asyncDispose]());

  it('is served as it is committed, without a token', async () => {
    const response = await rest.get('/api/openapi.json');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(committed);
  });

  it('holds every route of the table, the stream of events, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const wanted = [...routes, liveRoute].map(
      ({ method, path }) => `${method} ${templateOf(path)}`,
    );
    expect(described.sort()).toEqual(wanted.sort());
  });

  it('names each operation once', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((one) => one.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is valid under redocly’s recommended rules, without an error, a warning or an exception', async () => {
    const args = [
      'lint',
      'schema/openapi.json',
      '--config',
      '.config/redocly.yaml',
      '--format',
      'json',
    ];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(packageRoot, 'node_modules/.bin/redocly'), ...args],
      { cwd: packageRoot, env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    );
    const report = z
      .object({ totals: z.record(z.string(), z.number()) })
      .parse(JSON.parse(stdout.slice(stdout.indexOf('{'))));
    expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });
});
