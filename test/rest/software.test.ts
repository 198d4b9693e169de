import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { anAccount, aSoftwareUpdate } from '../support/rows.ts';
import { type RestService, startRest } from './rest-service.ts';

let rest: RestService;
beforeAll(async () => {
  rest = await startRest();
  await aSoftwareUpdate(rest.db.prisma, '2026.8.3', 1);
  await aSoftwareUpdate(rest.db.prisma, '2026.44.25.1', 3);
  await aSoftwareUpdate(rest.db.prisma, '2026.2', 5);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

const update = z.object({ version: z.string(), is_latest: z.boolean() });

async function versions(path: string): Promise<string[]> {
  const response = await rest.get(path);
  expect(response.status).toBe(200);
  const body = z.object({ response: z.array(update) }).parse(await response.json());
  return body.response.map(({ version }) => version);
}

async function one(path: string): Promise<z.infer<typeof update>> {
  const response = await rest.get(path);
  expect(response.status).toBe(200);
  return z.object({ response: update }).parse(await response.json()).response;
}

it.each(['/api/software', '/api/software/all'])(
  'lists all updates at %s without a token, the first seen last first',
  async (path) => {
    expect(await versions(path)).toEqual(['2026.8.3', '2026.44.25.1', '2026.2']);
  },
);

it('answers the first of the list as the latest', async () => {
  expect(await one('/api/software/latest')).toEqual({ version: '2026.8.3', is_latest: true });
});

it.each(['2026.8.3', '2026.44.25.1', '2026.2'])('answers the version %s alone', async (version) => {
  expect((await one(`/api/software/${version}`)).version).toBe(version);
});

it.each([
  '2026.9.9',
  'All',
  'ALL',
  'LATEST',
  'newest',
  '2026',
  '2026.1.1.1.1.1',
  '2026.8.3-beta',
  '%20',
])('answers 404 for %s', async (segment) => {
  const response = await rest.get(`/api/software/${segment}`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: 'not_found' });
});

it('lists what was seen since a time', async () => {
  expect(await versions('/api/software?since=2026-02-27')).toEqual(['2026.8.3']);
});

it('answers the same with a token of any scope', async () => {
  const account = await anAccount(rest.db.prisma);
  const token = await rest.token(account.id, ['mcp:use']);
  expect((await rest.get('/api/software/latest', token)).status).toBe(200);
});

it('answers 404 for the latest while nothing was detected', async () => {
  await using empty = await startRest();
  expect((await empty.get('/api/software/latest')).status).toBe(404);
  expect(await (await empty.get('/api/software')).json()).toMatchObject({ response: [], count: 0 });
});
