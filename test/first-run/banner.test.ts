import { describe, expect, it } from 'vitest';
import { packageVersion } from '../../src/base/package-root.ts';
import { banner } from '../../src/process/banner.ts';
import type { Summary } from '../../src/process/summary.ts';

const summary: Summary = {
  consoleUrl: null,
  signInUrl: null,
  graphqlUrl: 'http://127.0.0.1:8080/graphql',
  graphiqlUrl: 'http://127.0.0.1:8080/graphiql#token=odo_pat_x',
  restUrl: 'http://127.0.0.1:8080/api',
  restDocsUrl: 'http://127.0.0.1:8080/api/openapi.json',
  mcpUrl: null,
  healthUrl: 'http://127.0.0.1:8080/healthz',
  token: 'odo_pat_x',
  curl: "curl -s 'http://127.0.0.1:8080/api'",
  vehicles: ['blue-heron', 'snow-finch'],
  history: { days: 120, drives: 675, charges: 192, ms: 4_210 },
  startedInMs: 7_400,
};

const plain = { color: false, keys: false, opens: false };

describe('the banner', () => {
  it('shows every address, the garage, the token, a line to paste and how to stop', () => {
    expect(banner(summary, plain).replace(packageVersion, '1.2.3')).toBe(`
  Odograph 1.2.3 is ready after 7.4 s

  GraphiQL    http://127.0.0.1:8080/graphiql#token=odo_pat_x
  GraphQL     http://127.0.0.1:8080/graphql
  REST        http://127.0.0.1:8080/api
  OpenAPI     http://127.0.0.1:8080/api/openapi.json
  Health      http://127.0.0.1:8080/healthz

  Garage      blue-heron, snow-finch (simulated)
  History     120 days, 675 drives, 192 charges; brought up to date in 4.2 s
  Token       odo_pat_x  (every scope, until the next start)

  Paste this into another terminal:
  curl -s 'http://127.0.0.1:8080/api'

  Ctrl-C stops the service.
`);
  });

  it('leaves out the garage and the token where there is none', () => {
    const without = { ...summary, token: null, curl: null, vehicles: [], history: null };
    expect(banner(without, plain)).not.toMatch(/Garage|History|Token|Paste/);
  });

  it('names the keys only where they are listened to', () => {
    expect(banner(summary, { ...plain, keys: true, opens: true })).toContain('q or Ctrl-C stops');
    expect(banner(summary, { ...plain, keys: true })).not.toContain('o opens');
  });
});
