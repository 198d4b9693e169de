import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { happen } from '../live/following.ts';
import { at } from '../schema/ask.ts';
import { type BootedService, boot } from '../support/boot.ts';
import {
  type Cluster,
  removeCluster,
  startCluster,
  startNewCluster,
  stopCluster,
} from '../support/cluster.ts';

const missing = inject('serverMissing');

describe.skipIf(missing !== null)('while the database is away', () => {
  let cluster: Cluster;
  let booted: BootedService;
  let token = '';
  /** What a subscription from before told, and how often it ended. */
  const names: unknown[] = [];
  let ends = 0;
  beforeAll(async () => {
    cluster = await startNewCluster();
    booted = await boot({
      garageDays: 1,
      environment: { DATABASE_URL: cluster.urlOf('postgres') },
    });
    token = await booted.token({ scopes: ['vehicles'] });
    const end = () => {
      ends += 1;
    };
    const client = createClient({
      url: `${booted.baseUrl.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${token}` },
      retryAttempts: 0,
    });
    await new Promise<void>((resolve) => {
      client.subscribe(
        { query: 'subscription { vehicleUpdated { name } }' },
        {
          next: ({ data }) => {
            names.push(at(data, 'vehicleUpdated.name'));
            resolve();
          },
          error: end,
          complete: end,
        },
      );
    });
    await stopCluster(cluster);
  });
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
    const deadline = Date.now() + 120_000;
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

  it('tells a subscription from before what happens, on the same socket', async () => {
    const { prisma } = booted;
    const { id } = await prisma.vehicle.findFirstOrThrow();
    const vehicle = await prisma.vehicle.update({
      where: { id },
      data: { name: 'After the outage' },
    });
    await happen(prisma, vehicle, { type: 'vehicle.updated' });
    const deadline = Date.now() + 120_000;
    while (!names.includes('After the outage') && Date.now() < deadline) await sleep(50);
    expect(names).toContain('After the outage');
    expect(ends).toBe(0);
  });
});
