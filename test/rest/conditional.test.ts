import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entityTag, namesTag } from '../../src/transports/rest/conditional.ts';
import { aDrive, anAccount, aVehicle } from '../support/rows.ts';
import { type RestService, startRest } from './rest-service.ts';

describe('If-None-Match', () => {
  const tag = entityTag('body');
  it.each([
    ['the tag', tag],
    ['the tag as a weak one', `W/${tag}`],
    ['the tag among others', `"a", W/"b,c" ,${tag}`],
    ['anything', ' * '],
  ])('is true of %s', (_, header) => expect(namesTag(header, tag)).toBe(true));

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['another tag', '"other"'],
    ['the tag without quotes', tag.replaceAll('"', '')],
    ['a tag that holds it', `"x${tag.slice(1)}`],
    ['a header of another form', `${tag} ${tag}`],
  ])('is false of %s', (_, header) => expect(namesTag(header, tag)).toBe(false));
});

describe('conditional requests', () => {
  let rest: RestService;
  let path: string;
  let token: string;
  beforeAll(async () => {
    rest = await startRest();
    const account = await anAccount(rest.db.prisma);
    const vehicle = await aVehicle(rest.db.prisma, account);
    await aDrive(rest.db.prisma, vehicle, 1);
    path = `/api/vehicle/${vehicle.publicId}/drives`;
    token = await rest.token(account.id, ['vehicles']);
  });
  afterAll(() => rest?.[Symbol.asyncDispose]());

  async function tagOf(target = path): Promise<string> {
    return (await rest.get(target, token)).headers.get('etag') ?? '';
  }

  it('give equal answers one strong tag, and others another', async () => {
    const tag = await tagOf();
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    expect(await tagOf()).toBe(tag);
    expect(await tagOf(`${path}?fields=id`)).not.toBe(tag);
  });

  it('answer 304 without a body and with the headers of the answer', async () => {
    const answer = await rest.get(path, token);
    const tag = answer.headers.get('etag') ?? '';
    const response = await rest.get(path, token, { 'if-none-match': tag });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
    for (const name of ['etag', 'cache-control', 'link', 'vary']) {
      expect([name, response.headers.get(name)]).toEqual([name, answer.headers.get(name)]);
    }
  });

  it('answer 200 again when the list changed', async () => {
    const tag = await tagOf();
    const vehicle = await rest.db.prisma.vehicle.findFirstOrThrow();
    const drive = await aDrive(rest.db.prisma, vehicle, 2);
    const response = await rest.get(path, token, { 'if-none-match': tag });
    await rest.db.prisma.drive.delete({ where: { id: drive.id } });
    expect(response.status).toBe(200);
  });

  it.each([
    ['who gives no token', null, 401],
    ['who lacks the scope', 'account', 403],
  ] as const)('never answer 304 to one %s', async (_, scope, status) => {
    const { id } = await rest.db.prisma.account.findFirstOrThrow();
    const other = scope === null ? null : await rest.token(id, [scope]);
    for (const tag of ['*', await tagOf()]) {
      expect((await rest.get(path, other, { 'if-none-match': tag })).status).toBe(status);
    }
  });

  it('never answer 304 for what is not there', async () => {
    const response = await rest.get('/api/vehicle/none', token, { 'if-none-match': '*' });
    expect(response.status).toBe(404);
  });

  it('answer HEAD as GET, without the body', async () => {
    const answer = await rest.get(path, token);
    const head = await fetch(rest.baseUrl + path, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}` },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['etag', 'cache-control', 'link', 'content-type']) {
      expect([name, head.headers.get(name)]).toEqual([name, answer.headers.get(name)]);
    }
    expect(Number(head.headers.get('content-length'))).toBe((await answer.text()).length);
  });

  it('answer 304 to HEAD too', async () => {
    const response = await fetch(rest.baseUrl + path, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}`, 'if-none-match': await tagOf() },
    });
    expect(response.status).toBe(304);
  });

  it('are answered for the contract as well', async () => {
    const tag = await tagOf('/api/openapi.json');
    const response = await rest.get('/api/openapi.json', null, { 'if-none-match': tag });
    expect(response.status).toBe(304);
  });
});
