import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { at } from '../schema/ask.ts';
import { anAccount, aVehicle } from '../support/rows.ts';
import { happen } from './following.ts';
import { type LiveService, startLive } from './live-service.ts';

let live: LiveService;
let account: Account;
let vehicle: Vehicle;
let token = '';
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live[Symbol.asyncDispose]());
beforeEach(async () => {
  account = await anAccount(live.db.prisma);
  vehicle = await aVehicle(live.db.prisma, account);
  token = await live.token(account.id, ['vehicles']);
});

const query = 'subscription { vehicleUpdated { publicId name } }';

function ask(
  path: string,
  accept: string,
  bearer: string | null = token,
  body: object = { query },
) {
  const headers = { accept, 'content-type': 'application/json' };
  return fetch(live.baseUrl + path, {
    method: 'POST',
    headers: bearer === null ? headers : { ...headers, authorization: `Bearer ${bearer}` },
    body: JSON.stringify(body),
  });
}

/** Reads a stream until `wanted` is in it, or it ends. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return text;
    text += part.value;
    if (text.includes(wanted)) {
      await reader?.cancel();
      return text;
    }
  }
}

describe.each(['/graphql', '/graphql/stream'])('%s', (path) => {
  it('tells a subscription as server-sent events', async () => {
    const response = await ask(path, 'text/event-stream');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const reading = readUntil(response, 'Bo');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await live.db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { name: 'Bo' } });
    await happen(live.db.prisma, vehicle, { type: 'vehicle.updated' });
    const data = { vehicleUpdated: { publicId: vehicle.publicId, name: 'Bo' } };
    expect(await reading).toContain(`event: next\ndata: ${JSON.stringify({ data })}\n\n`);
  });

  it('refuses a wrong token with 401, and tells a missing scope and a stranger’s vehicle in the stream', async () => {
    expect((await ask(path, 'text/event-stream', 'odo_pat_wrong')).status).toBe(401);
    const weak = await live.token(account.id, ['maker-accounts']);
    const denied = await ask(path, 'text/event-stream', weak);
    expect(denied.status).toBe(200);
    expect(await denied.text()).toContain('INSUFFICIENT_SCOPE');
    const other = await aVehicle(live.db.prisma, await anAccount(live.db.prisma));
    const strange = `subscription { vehicleUpdated(publicIds: ["${other.publicId}"]) { id } }`;
    const missing = await ask(path, 'text/event-stream', token, { query: strange });
    expect(missing.status).toBe(200);
    expect(await missing.text()).toContain('NOT_FOUND');
  });
});

describe('a stream', () => {
  it('is no answer for a client that takes JSON only', async () => {
    expect((await ask('/graphql', 'application/json')).status).toBe(406);
  });

  it('ends with the reason soon after its token was revoked, although nothing happens', async () => {
    const response = await ask('/graphql', 'text/event-stream');
    const reading = readUntil(response, 'never');
    await live.revoke(account.id);
    const text = await reading;
    expect(text).toContain('INVALID_TOKEN');
    expect(text).toContain('The token was revoked.');
  });

  it('follows no more when its client has gone', async () => {
    const response = await ask('/graphql', 'text/event-stream');
    await readUntil(response, 'vehicleUpdated');
    const looks = () => live.db.statements.filter((sql) => sql.includes('LATERAL')).length;
    await expect
      .poll(async () => {
        const before = looks();
        await happen(live.db.prisma, vehicle, { type: 'vehicle.updated' });
        await new Promise((resolve) => setTimeout(resolve, 30));
        return looks() - before;
      })
      .toBe(0);
  });

  it('is refused with 429 beyond fifty of one token', async () => {
    const open = await Promise.all(
      Array.from({ length: 50 }, () => ask('/graphql', 'text/event-stream')),
    );
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
    const more = await ask('/graphql', 'text/event-stream');
    expect(more.status).toBe(429);
    await Promise.all(open.map((response) => response.body?.cancel()));
  });
});

it('serves the graphql-sse client', async () => {
  const client = createClient({
    url: `${live.baseUrl}/graphql/stream`,
    headers: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
  const answers = client.iterate({ query });
  const first = await answers.next();
  expect(at(first.value, 'data.vehicleUpdated.publicId')).toBe(vehicle.publicId);
  const told = answers.next();
  await live.db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { name: 'Cy' } });
  await happen(live.db.prisma, vehicle, { type: 'vehicle.updated' });
  expect(at((await told).value, 'data.vehicleUpdated.name')).toBe('Cy');
  client.dispose();
});

it('is cut, and told of no completion, when the service stops', async () => {
  await using stopping = await startLive();
  const owner = await anAccount(stopping.db.prisma);
  await aVehicle(stopping.db.prisma, owner);
  const bearer = await stopping.token(owner.id, ['vehicles']);
  const response = await fetch(`${stopping.baseUrl}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${bearer}`,
    },
    body: JSON.stringify({ query }),
  });
  const reading = readUntil(response, 'event: complete');
  await stopping.feed.close();
  await expect(reading).rejects.toThrow();
});
