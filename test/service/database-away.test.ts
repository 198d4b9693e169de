import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type BootedService, boot } from '../support/boot.ts';
import {
  type Cluster,
  removeCluster,
  startCluster,
  startNewCluster,
  stopCluster,
} from '../support/cluster.ts';

const missing = inject('serverMissing');

describe.skipIf(missing !== null)('while the database is away', { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let booted: BootedService;
  let token = '';
  beforeAll(async () => {
    cluster = await startNewCluster();
    booted = await boot({
      garageDays: 1,
      environment: { DATABASE_URL: cluster.urlOf('postgres') },
    });
    token = await booted.token({ scopes: ['vehicles'] });
    await stopCluster(cluster);
  }, 120_000);
  afterAll(async () => {
    await booted[Symbol.asyncDispose]();
    await removeCluster(cluster);
  });

  it('is alive, but not ready', async () => {
    expect((await booted.get('/healthz')).status).toBe(200);
    const ready = await booted.get('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'not_ready', checks: { database: 'failed' } });
  });

  it('answers 503 with a code and a time to come back over REST and GraphQL', async () => {
    const rest = await booted.get('/api/vehicles', token);
    expect(rest.status).toBe(503);
    expect(rest.headers.get('retry-after')).toBe('5');
    expect(await rest.json()).toMatchObject({ error: 'service_unavailable' });
    const graphql = await booted.graphql({ query: '{ vehicles { totalCount } }' }, token);
    expect(graphql.status).toBe(503);
    expect(await graphql.json()).toMatchObject({
      errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }],
    });
  });

  it('writes a log line for what it could not answer', () => {
    expect(booted.logLines.filter((line) => line.includes('"level":50')).length).toBeGreaterThan(0);
  });

  it('answers again when the database is back, without a restart', async () => {
    await startCluster(cluster);
    const deadline = Date.now() + 30_000;
    let status = 0;
    while (status !== 200 && Date.now() < deadline) {
      await sleep(100);
      status = (await booted.get('/readyz')).status;
    }
    expect(status).toBe(200);
    expect((await booted.get('/api/vehicles', token)).status).toBe(200);
    const graphql = await booted.graphql({ query: '{ vehicles { totalCount } }' }, token);
    expect(await graphql.json()).toEqual({ data: { vehicles: { totalCount: 2 } } });
  });
});
