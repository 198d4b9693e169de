import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startHttpApp } from '../support/http-app.ts';

describe('health', () => {
  it('answers /healthz while a check fails, because the process is up', async () => {
    await using app = await startHttpApp({
      checks: { database: () => Promise.reject(new Error()) },
    });
    expect((await fetch(`${app.baseUrl}/healthz`)).status).toBe(200);
  });

  it('answers /readyz with 200 when every check passes', async () => {
    await using app = await startHttpApp({ checks: { database: async () => {} } });
    const answer = await fetch(`${app.baseUrl}/readyz`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ready', checks: { database: 'ok' } });
  });

  it('answers /readyz with 503 and names the check that fails', async () => {
    const checks = {
      database: () => Promise.reject(new Error('gone')),
      migrations: async () => {},
    };
    await using app = await startHttpApp({ checks });
    const answer = await fetch(`${app.baseUrl}/readyz`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toEqual({
      status: 'not_ready',
      checks: { database: 'failed', migrations: 'ok' },
    });
  });

  it('answers /readyz with 503 within about a second when a check hangs', async () => {
    await using app = await startHttpApp({ checks: { database: () => new Promise(() => {}) } });
    // Held against a timer of the same process, which is as late as the check on a busy machine.
    const answer = await Promise.race([fetch(`${app.baseUrl}/readyz`), sleep(2_500)]);
    expect(answer?.status).toBe(503);
  });
});

describe('metrics', () => {
  it('counts requests by the pattern of their route, never by the path', async () => {
    await using app = await startHttpApp({
      routes: (fastify) => {
        fastify.get('/api/vehicle/:public_id', async () => ({}));
      },
    });
    await fetch(`${app.baseUrl}/api/vehicle/secretname`);
    await fetch(`${app.baseUrl}/guess-1`);
    const metrics = await (await fetch(`${app.baseUrl}/metrics`)).text();
    expect(metrics).toContain(
      'http_request_duration_seconds_count{method="GET",route="/api/vehicle/:public_id",status="200"} 1',
    );
    expect(metrics).toContain('route="unmatched",status="404"} 1');
    expect(metrics).not.toMatch(/secretname|guess-1/);
  });

  it('carries the numbers of the process and those that parts of the service give', async () => {
    await using app = await startHttpApp({
      gauges: [{ name: 'odograph_vehicles', help: 'Vehicles that are followed.', read: () => 3 }],
    });
    const answer = await fetch(`${app.baseUrl}/metrics`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const metrics = await answer.text();
    expect(metrics).toContain('odograph_vehicles 3');
    expect(metrics).toContain('nodejs_eventloop_lag_seconds');
  });

  it('counts for each server apart when several run in one process', async () => {
    await using one = await startHttpApp();
    await using other = await startHttpApp();
    await fetch(`${one.baseUrl}/healthz`);
    const metrics = await (await fetch(`${other.baseUrl}/metrics`)).text();
    expect(metrics).not.toContain('route="/healthz"');
  });
});
