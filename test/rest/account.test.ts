import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/store/generated/prisma/client.ts';
import { anAccount } from '../support/rows.ts';
import { type RestService, startRest } from './rest-service.ts';

let rest: RestService;
let account: Account;
let token: string;
beforeAll(async () => {
  rest = await startRest();
  account = await anAccount(rest.db.prisma, { name: 'Ada', timezone: 'UTC' });
  token = await rest.token(account.id, ['account']);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

const post = (body: unknown, headers = {}) =>
  rest.send('POST', '/api/account', token, body, headers);

describe('a change of the profile', () => {
  it.each(['POST', 'PATCH'])('by %s changes what it names and leaves the rest', async (method) => {
    const name = `Grace ${method}`;
    const response = await rest.send(method, '/api/account', token, {
      name,
      preferences: { distance: 'MI', week_start: 'SUNDAY' },
    });
    expect(response.status).toBe(200);
    const expected = {
      name,
      timezone: 'UTC',
      preferences: { distance: 'MI', temperature: 'C', week_start: 'SUNDAY' },
    };
    expect(await response.json()).toMatchObject({ code: 200, response: expected });
    expect(await (await rest.get('/api/account', token)).json()).toMatchObject({
      response: expected,
    });
  });

  it('takes null for what may be unknown', async () => {
    expect((await post({ country: 'DE' })).status).toBe(200);
    expect(await (await post({ country: null })).json()).toMatchObject({
      response: { country: null },
    });
  });

  it('is a no-op for an empty object', async () => {
    expect((await post({})).status).toBe(200);
  });

  it.each([
    ['nickname', { nickname: 'x' }],
    ['id', { id: 'acc_01h455vb4pex5vsknk084sn02q' }],
    ['email_verified', { email_verified: true }],
    ['emailVerified', { emailVerified: true }],
    ['preferences.unit', { preferences: { unit: 'KM' } }],
    ['preferences.distance', { preferences: { distance: 'km' } }],
    ['preferences', { preferences: 'KM' }],
    ['name', { name: 7 }],
    ['name', { name: 'a\0b' }],
    ['name', { name: '' }],
    ['timezone', { timezone: 'Moon/Base' }],
    ['country', { country: 'Germany' }],
    ['email', { email: 'nobody' }],
  ])('is refused with 422 at `%s`', async (name, body) => {
    const response = await post(body);
    const answer: unknown = await response.json();
    expect([response.status, answer]).toMatchObject([422, { error: 'validation_failed' }]);
    expect(answer).toHaveProperty(['messages', name]);
  });

  it('names every field that is wrong, and the one that was meant', async () => {
    expect(await (await post({ nam: 'x', locale: 5 })).json()).toMatchObject({
      messages: { nam: [expect.stringContaining('`name`')], locale: ['Give a text.'] },
    });
  });

  it('changes nothing when a part of it is refused', async () => {
    const before = await (await rest.get('/api/account', token)).json();
    await post({ name: 'Nobody', colour: 'red' });
    expect(await (await rest.get('/api/account', token)).json()).toEqual(before);
  });
});

describe('a body', () => {
  it.each([
    ['that is no JSON', '{', 400],
    ['that is no object', '[]', 400],
    ['that is null', 'null', 400],
    ['that is a text', '"name"', 400],
    ['that is empty', '', 400],
    ['over 1 MiB', JSON.stringify({ name: 'a'.repeat(1_048_577) }), 413],
    ['that would change a prototype', '{"__proto__": {"name": "x"}}', 400],
  ])('%s is refused', async (_, body, status) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: status, response: null });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'of the type %s is refused with 415',
    async (type) => {
      expect((await post('{}', { 'content-type': type })).status).toBe(415);
    },
  );

  it('is not read before it is known who calls', async () => {
    expect((await rest.send('POST', '/api/account', null, '{')).status).toBe(401);
  });
});

it('answers the profile with everything it promises', async () => {
  const response = await rest.get('/api/account', token);
  expect(await response.json()).toMatchObject({
    response: {
      email: null,
      email_verified: false,
      vehicles_count: 0,
      maker_accounts_count: 0,
      legacy_api_key: { exists: false, last_used_at: null, expires_at: null },
    },
  });
});
