import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newUuid } from '../../src/base/ids.ts';
import { verifyAudit } from '../../src/store/audit.ts';
import { violations } from '../rest/contract.ts';
import { every } from '../rest/requests.ts';
import { type RestService, startRest } from '../rest/rest-service.ts';
import { at } from '../schema/ask.ts';
import { anAccount } from '../support/rows.ts';

let rest: RestService;
let token: string;
let accountId: string;
beforeAll(async () => {
  rest = await startRest();
  accountId = (await anAccount(rest.db.prisma)).id;
  token = await rest.token(accountId, ['account', 'vehicles']);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

const ROOT = '/api/account/places';

/** The answer to a request, held against the contract. */
async function call(method: string, path: string, body?: object, as = token) {
  const response = await (method === 'GET'
    ? rest.get(path, as)
    : method === 'DELETE'
      ? fetch(rest.baseUrl + path, { method, headers: { authorization: `Bearer ${as}` } })
      : rest.send(method, path, as, body));
  const template = path === ROOT || path.endsWith('/import') ? path : `${ROOT}/:id`;
  const endpoint = every.find(({ route }) => route.method === method && route.path === template);
  if (endpoint === undefined) throw new Error(`No ${method} ${template}.`);
  expect(await violations(endpoint, response.clone())).toEqual([]);
  return z.looseObject({ response: z.unknown() }).parse(await response.json());
}

const circle = { name: 'Lake', latitude: 47.05, longitude: 9.5, radius_m: 120 };
const made = z.looseObject({ response: z.looseObject({ id: z.string() }) });

async function newPlace(body: object = circle): Promise<string> {
  return made.parse(await call('POST', ROOT, body)).response.id;
}

const corner = (latitude: number, longitude: number) => ({ latitude, longitude });
const triangle = [corner(47, 9), corner(47, 9.01), corner(47.01, 9)];

describe('a place', () => {
  it('is made, read, changed and removed', async () => {
    const id = await newPlace({
      ...circle,
      kind: 'FAVORITE',
      auto_tags: ['swim', 'swim'],
      purpose_default: 'PERSONAL',
      notify_enter: true,
    });
    expect((await call('GET', `${ROOT}/${id}`)).response).toMatchObject({
      ...circle,
      kind: 'FAVORITE',
      polygon: null,
      auto_tags: ['swim'],
      purpose_default: 'PERSONAL',
      notify_enter: true,
      notify_exit: false,
      hide_on_share: false,
    });
    expect(
      (await call('PATCH', `${ROOT}/${id}`, { name: 'Pond', radius_m: 60 })).response,
    ).toMatchObject({
      ...circle,
      name: 'Pond',
      radius_m: 60,
      kind: 'FAVORITE',
      auto_tags: ['swim'],
    });
    expect((await call('DELETE', `${ROOT}/${id}`)).response).toEqual({ id, name: 'Pond' });
    expect(await call('GET', `${ROOT}/${id}`)).toMatchObject({ code: 404, error: 'not_found' });
    expect(await call('DELETE', `${ROOT}/${id}`)).toMatchObject({ code: 404, error: 'not_found' });
    expect(await call('PATCH', `${ROOT}/${id}`, { name: 'x' })).toMatchObject({ code: 404 });
  });

  it('becomes a polygon and a circle again', async () => {
    const id = await newPlace({ name: 'Field', polygon: triangle });
    const before = (await call('GET', `${ROOT}/${id}`)).response;
    expect(before).toMatchObject({ radius_m: null, polygon: triangle });
    expect(await call('PATCH', `${ROOT}/${id}`, { radius_m: 50 })).toMatchObject({
      code: 422,
      messages: { latitude: expect.any(Array), longitude: expect.any(Array) },
    });
    const round = { latitude: 46, longitude: 8, radius_m: 50 };
    expect((await call('PATCH', `${ROOT}/${id}`, round)).response).toMatchObject({
      ...round,
      polygon: null,
    });
    expect((await call('PATCH', `${ROOT}/${id}`, { polygon: triangle })).response).toMatchObject({
      radius_m: null,
      polygon: triangle,
    });
  });

  it.each<[string, object, string[]]>([
    ['without a name', { ...circle, name: undefined }, ['name']],
    ['with a blank name', { ...circle, name: ' ' }, ['name']],
    ['without a shape', { name: 'x' }, ['latitude', 'longitude', 'radius_m']],
    ['with both shapes', { ...circle, polygon: triangle }, ['latitude', 'longitude', 'radius_m']],
    ['with too small a circle', { ...circle, radius_m: 19.9 }, ['radius_m']],
    ['with too large a circle', { ...circle, radius_m: 5_001 }, ['radius_m']],
    ['beyond the pole', { ...circle, latitude: 90.1 }, ['latitude']],
    ['beyond the antimeridian', { ...circle, longitude: 180.1 }, ['longitude']],
    ['with two corners', { name: 'x', polygon: triangle.slice(0, 2) }, ['polygon']],
    ['with a long tag', { ...circle, auto_tags: ['a'.repeat(41)] }, ['auto_tags.0']],
    ['with eleven tags', { ...circle, auto_tags: [...'abcdefghijk'] }, ['auto_tags']],
    ['with a null name', { ...circle, name: null }, ['name']],
    ['of a strange kind', { ...circle, kind: 'PUB' }, ['kind']],
    ['with a strange field', { ...circle, colour: 'red' }, ['colour']],
  ])('%s is refused with what is wrong', async (_, body, fields) => {
    const refused = await call('POST', ROOT, body);
    expect(refused).toMatchObject({ code: 422, error: 'validation_failed' });
    expect(Object.keys(z.record(z.string(), z.unknown()).parse(refused.messages)).sort()).toEqual(
      [...fields].sort(),
    );
  });

  it('comes out of a file, once however often the file comes', async () => {
    const file = {
      format: 'CSV',
      data: 'name,latitude,longitude,radius_m\nA,47.2,9.2,80\nB,47.3,9.3,90\n',
    };
    const first = await call('POST', `${ROOT}/import`, file);
    expect(first.response).toMatchObject({ places: [{ name: 'A' }, { name: 'B' }], unchanged: 0 });
    const again = await call('POST', `${ROOT}/import`, file);
    expect(again.response).toEqual({ places: [], unchanged: 2 });
    const twice = { ...file, data: `${file.data}E,47.4,9.4,80\nE,47.4,9.4,80\n` };
    const [one, two] = await Promise.all([
      call('POST', `${ROOT}/import`, twice),
      call('POST', `${ROOT}/import`, twice),
    ]);
    const where = { accountId, name: { in: ['A', 'B', 'E'] } };
    expect(await rest.db.prisma.place.count({ where })).toBe(3);
    const left = [one, two].map(({ response }) => at(response, 'unchanged'));
    expect(left.sort()).toEqual([3, 4]);
    const wrong = { ...file, data: `${file.data}C,99,9,80\nD,1,1,80\n` };
    const before = await rest.db.prisma.place.count({ where: { accountId } });
    expect(await call('POST', `${ROOT}/import`, wrong)).toMatchObject({
      code: 422,
      messages: { '2.latitude': expect.any(Array) },
    });
    expect(await rest.db.prisma.place.count({ where: { accountId } })).toBe(before);
  });

  it('is one of at most 500 of an account', async () => {
    const crowded = await anAccount(rest.db.prisma);
    const its = await rest.token(crowded.id, ['account']);
    const row = {
      accountId: crowded.id,
      name: 'P',
      kind: 'OTHER',
      latitude: 47,
      longitude: 9,
    } as const;
    const data = Array.from({ length: 499 }, () => ({ ...row, id: newUuid(), radiusM: 80 }));
    await rest.db.prisma.place.createMany({ data });
    expect(await call('POST', ROOT, circle, its)).toMatchObject({ code: 200 });
    expect(await call('POST', ROOT, circle, its)).toMatchObject({ code: 422 });
  });

  it('is nobody else’s to see, to change or to remove', async () => {
    const id = await newPlace();
    const stranger = await anAccount(rest.db.prisma);
    const theirs = await rest.token(stranger.id, ['account', 'vehicles']);
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'Mine' }],
      ['DELETE', undefined],
    ] as const) {
      expect(await call(method, `${ROOT}/${id}`, body, theirs)).toMatchObject({ code: 404 });
    }
    expect((await call('GET', `${ROOT}/${id}`)).response).toMatchObject({ name: 'Lake' });
  });

  it('is written by `account` alone, and read by `vehicles`', async () => {
    const writer = await rest.token(accountId, ['account']);
    const reader = await rest.token(accountId, ['vehicles']);
    const body = made.parse(await call('POST', ROOT, circle, writer));
    expect(body.response).toMatchObject({ name: 'Lake' });
    const path = `${ROOT}/${body.response.id}`;
    expect(await call('GET', path, undefined, reader)).toMatchObject({ code: 200 });
    expect(await call('GET', path, undefined, writer)).toMatchObject({ code: 403 });
    expect(await call('PATCH', path, { name: 'x' }, reader)).toMatchObject({ code: 403 });
  });

  it('is in the audit without its position', async () => {
    const id = await newPlace();
    await call('PATCH', `${ROOT}/${id}`, { latitude: 12.3456 });
    const entries = await rest.db.prisma.auditEntry.findMany({ where: { accountId, object: id } });
    expect(entries.map(({ action }) => action)).toEqual(['place.create', 'place.update']);
    expect(JSON.stringify(entries, (_, v) => (typeof v === 'bigint' ? `${v}` : v))).not.toContain(
      '12.3456',
    );
    expect(await verifyAudit(rest.db.prisma, accountId)).toMatchObject({ fault: null });
  });
});
