import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { aCharge, aDrive, anAccount, aVehicle } from '../support/rows.ts';
import { type RestService, startRest } from './rest-service.ts';

const page = z.object({
  response: z.array(z.object({ id: z.string() })),
  count: z.number(),
  pagination: z.object({
    limit: z.number(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
    prev_cursor: z.string().nullable(),
    total: z.number().nullable(),
  }),
});

let rest: RestService;
let account: Account;
let vehicle: Vehicle;
let token: string;
beforeAll(async () => {
  rest = await startRest();
  account = await anAccount(rest.db.prisma);
  vehicle = await aVehicle(rest.db.prisma, account);
  for (let day = 0; day < 7; day++) await aDrive(rest.db.prisma, vehicle, day);
  await aCharge(rest.db.prisma, vehicle, 1);
  token = await rest.token(account.id, ['vehicles']);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

const drives = (query: string) => `/api/vehicle/${vehicle.publicId}/drives?${query}`;

async function read(path: string) {
  const response = await rest.get(path, token);
  const links = new Map(
    [...(response.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map((match) => [
      match[2],
      (match[1] ?? '').replace(rest.baseUrl, ''),
    ]),
  );
  return { ...page.parse(await response.json()), links };
}

async function idsOf(query: string): Promise<string[]> {
  return (await read(drives(query))).response.map(({ id }) => id);
}

it('walks a whole list by the links to the next page, each row once and in order', async () => {
  const whole = await idsOf('limit=200');
  const seen: string[] = [];
  let path: string | undefined = drives('limit=3&fields=id');
  while (path !== undefined) {
    const { response, links } = await read(path);
    seen.push(...response.map(({ id }) => id));
    path = links.get('next');
  }
  expect(seen).toEqual(whole);
  expect(new Set(seen).size).toBe(7);
});

it('walks back by the links to the previous page', async () => {
  const first = await read(drives('limit=3'));
  const second = await read(first.links.get('next') ?? '');
  const back = await read(second.links.get('prev') ?? '');
  expect(back.response).toEqual(first.response);
  expect(back.pagination).toMatchObject({ has_more: true, prev_cursor: null });
});

it('links the first page from every page, and keeps what else was asked for', async () => {
  const path = drives('limit=2&order=started_at%3Aasc&fields=id');
  const first = await read(path);
  const second = await read(first.links.get('next') ?? '');
  expect(second.links.get('first')).toBe(path);
  expect(second.links.get('next')).toContain('order=started_at%3Aasc');
  expect((await read(second.links.get('first') ?? '')).response).toEqual(first.response);
});

it('lists the oldest first when asked', async () => {
  const newest = await idsOf('limit=200');
  expect(await idsOf('limit=200&order=started_at:asc')).toEqual(newest.toReversed());
  expect(await idsOf('order=started_at:desc')).toEqual(newest);
});

it('is stable when rows are added before the page', async () => {
  const first = await read(drives('limit=3'));
  const expected = await read(first.links.get('next') ?? '');
  const added = await aDrive(rest.db.prisma, vehicle, -0.5);
  const after = await read(first.links.get('next') ?? '');
  await rest.db.prisma.drive.delete({ where: { id: added.id } });
  expect(after.response).toEqual(expected.response);
});

it('counts the whole list only when asked', async () => {
  expect((await read(drives('limit=2'))).pagination).toMatchObject({ limit: 2, total: null });
  const counted = await read(drives('limit=2&include_total=1'));
  expect(counted.pagination.total).toBe(7);
  expect(counted.count).toBe(2);
});

it('answers fifty rows unless told otherwise', async () => {
  expect((await read(drives('')))?.pagination.limit).toBe(50);
});

it('ends without a next page', async () => {
  const { pagination, links } = await read(drives('limit=7'));
  expect(pagination).toMatchObject({ has_more: false, next_cursor: null });
  expect(links.has('next')).toBe(false);
});

it.each([
  ['of another list', 'charges'],
  ['of no list', 'nothing'],
])('refuses a cursor %s with 422', async (_, kind) => {
  const charges = await read(`/api/vehicle/${vehicle.publicId}/charges`);
  const foreign = await read(drives('limit=1'));
  const other = await aVehicle(rest.db.prisma, account);
  const path =
    kind === 'charges'
      ? `/api/vehicle/${vehicle.publicId}/charges?cursor=${foreign.pagination.next_cursor}`
      : drives(`cursor=a${Buffer.from('["drives"]').toString('base64url')}`);
  expect(charges.count).toBe(1);
  for (const target of [
    path,
    `/api/vehicle/${other.publicId}/drives?cursor=${foreign.pagination.next_cursor}`,
  ]) {
    const response = await rest.get(target, token);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      error: 'validation_failed',
      messages: { cursor: [expect.stringMatching(/cursor/)] },
    });
  }
});

it('leaves the api_key out of its links', async () => {
  const key = await rest.apiKey(account.id);
  const response = await rest.get(`/api/vehicles?limit=1&api_key=${key}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('link')).not.toContain('api_key');
});
