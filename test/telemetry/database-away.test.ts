import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createIngestToken } from '../../src/actions/manage-ingest.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { replay } from '../../src/ingest/replay.ts';
import { newAccount } from '../auth/household.ts';
import { type BootedService, boot } from '../support/boot.ts';
import {
  type Cluster,
  removeCluster,
  startCluster,
  startNewCluster,
  stopCluster,
} from '../support/cluster.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { streamedDay as day } from '../support/streamed-day.ts';
import { VIN } from '../support/telemetry.ts';

const missing = inject('serverMissing');

describe.skipIf(missing !== null)('telemetry while the database goes away', () => {
  let cluster: Cluster;
  let booted: BootedService;
  let token = '';
  let vehicle: Awaited<ReturnType<typeof newStreamed>>;
  beforeAll(async () => {
    cluster = await startNewCluster();
    booted = await boot({ environment: { DATABASE_URL: cluster.urlOf('postgres') } });
    const accountId = await newAccount(booted.prisma);
    vehicle = await newStreamed(booted.prisma, VIN, accountId);
    ({ token } = await createIngestToken(booted.service.access, { accountId, name: 'server' }));
  });
  afterAll(async () => {
    await booted[Symbol.asyncDispose]();
    await removeCluster(cluster);
  });

  const post = (lines: readonly string[]) =>
    fetch(`${booted.baseUrl}/ingest/telemetry`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` },
      body: lines.join('\n'),
    });

  it('is answered with 503, and nothing is lost by a sender that tries again', async () => {
    const third = Math.ceil(day.length / 3);
    const parts = [0, 1, 2].map((index) => day.slice(index * third, (index + 1) * third));
    const statuses: number[] = [];
    let away = () => {};
    const gone = new Promise<void>((resolve) => {
      away = resolve;
    });
    const sending = (async () => {
      for (const [index, part] of parts.entries()) {
        if (index === 1) await gone;
        for (;;) {
          const { status, headers } = await post(part);
          statuses.push(status);
          if (status === 200) break;
          expect(headers.get('retry-after')).toBe('5');
          await sleep(100);
        }
      }
    })();
    while (statuses.length === 0) await sleep(10);
    await stopCluster(cluster);
    away();
    while (!statuses.includes(503)) await sleep(10);
    await startCluster(cluster);
    await sending;
    expect(new Set(statuses)).toEqual(new Set([200, 503]));

    await streamIngest(booted.prisma, Date.now() + DAY_MS).settle();
    expect(await storedReport(booted.prisma, vehicle)).toEqual(replay(day));
  });

  it('keeps nothing of a request that it could not commit', async () => {
    const before = await booted.prisma.ingestRecord.count();
    let answered: Promise<Response> | null = null;
    // The statement that writes finds its table held, until the server goes away under it.
    await booted.prisma
      .$transaction(
        async (tx) => {
          await tx.$executeRaw`LOCK TABLE ingest_record IN EXCLUSIVE MODE`;
          answered = post(day.map((line) => line.replace('2026-03-02', '2026-03-03')));
          await sleep(500);
          await stopCluster(cluster);
        },
        { timeout: 60_000 },
      )
      .catch(() => {});
    const response = await (answered ?? fetch(booted.baseUrl));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    await startCluster(cluster);
    let after = Number.NaN;
    while (Number.isNaN(after))
      after = await booted.prisma.ingestRecord.count().catch(() => Number.NaN);
    expect(after).toBe(before);
  });
});
