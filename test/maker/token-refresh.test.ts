import { expect, test } from 'vitest';
import { makerIdentity } from '../../src/maker/identity.ts';
import { always, standIn } from './stand-in.ts';

const now = Date.UTC(2024, 4, 6, 12, 0, 0);
const clock = () => now;

function jwt(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}

const claims = {
  sub: 'subject-1',
  scp: ['openid', 'offline_access', 'vehicle_device_data'],
  ou_code: 'EU',
  aud: ['https://one.example', 'https://two.example'],
  exp: now / 1000 + 60,
};

async function refreshed(status: number, body: unknown, headers: Record<string, string> = {}) {
  const { baseUrl, seen } = await standIn(always(status, body, headers));
  const identity = makerIdentity({
    tokenUrl: `${baseUrl}/oauth2/v3/token`,
    clientId: 'app',
    clock,
  });
  return { outcome: await identity.refresh('refresh-1'), seen };
}

test('posts the refresh token as a form without a secret', async () => {
  const { seen } = await refreshed(200, { access_token: 'a' });
  expect(seen).toHaveLength(1);
  expect(seen[0]?.method).toBe('POST');
  expect(seen[0]?.url).toBe('/oauth2/v3/token');
  expect(seen[0]?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
  expect(Object.fromEntries(new URLSearchParams(seen[0]?.body))).toEqual({
    grant_type: 'refresh_token',
    client_id: 'app',
    refresh_token: 'refresh-1',
  });
});

test('answers the new pair with its expiry, scopes, region and subject', async () => {
  const access = jwt(claims);
  const { outcome } = await refreshed(200, {
    access_token: access,
    refresh_token: 'refresh-2',
    expires_in: 28_800,
    token_type: 'Bearer',
  });
  expect(outcome).toEqual({
    kind: 'ok',
    tokens: {
      accessToken: access,
      refreshToken: 'refresh-2',
      expiresAt: now + 28_800_000,
      scopes: ['openid', 'offline_access', 'vehicle_device_data'],
      region: 'EU',
      subject: 'subject-1',
      audiences: ['https://one.example', 'https://two.example'],
    },
  });
});

test.each([
  ['the token, where the answer does not say', { access_token: jwt(claims) }, 60_000],
  ['text', { access_token: 'opaque', expires_in: '600' }, 600_000],
  ['an hour, where nothing says', { access_token: 'opaque' }, 3_600_000],
  ['now, where it is negative', { access_token: 'opaque', expires_in: -5 }, 0],
  ['30 days at most', { access_token: 'opaque', expires_in: 1e12 }, 30 * 86_400_000],
])('takes the expiry from %s', async (_source, body, expectedMs) => {
  const { outcome } = await refreshed(200, body);
  expect(outcome).toMatchObject({ kind: 'ok', tokens: { expiresAt: now + expectedMs } });
});

test.each([
  [
    'scopes in one text',
    jwt({ ...claims, scp: 'openid  user_data' }),
    { scopes: ['openid', 'user_data'] },
  ],
  [
    'a single audience',
    jwt({ ...claims, aud: 'https://one.example' }),
    { audiences: ['https://one.example'] },
  ],
  ['an unknown region', jwt({ ...claims, ou_code: 'MOON' }), { region: null }],
  [
    'claims of wrong types',
    jwt({ sub: 5, scp: 7, aud: {}, ou_code: [] }),
    { scopes: null, region: null, subject: null, audiences: [] },
  ],
  ['claims that are no object', jwt(['x']), { scopes: null, subject: null }],
  ['a token that is no JWT', 'opaque', { scopes: null, region: null, subject: null }],
  ['a token that is no JSON', 'a.b.c', { scopes: null, region: null, subject: null }],
])('accepts %s', async (_what, access_token, expected) => {
  const { outcome } = await refreshed(200, { access_token, refresh_token: 'refresh-2' });
  expect(outcome).toMatchObject({ kind: 'ok', tokens: expected });
});

test('says that no refresh token came', async () => {
  const { outcome } = await refreshed(200, { access_token: 'opaque' });
  expect(outcome).toMatchObject({ kind: 'ok', tokens: { refreshToken: null } });
});

test.each([
  [401, 'login_required'],
  [400, 'invalid_grant'],
  [401, 'invalid_grant'],
])('asks for a new login on %i %s', async (status, error) => {
  const { outcome } = await refreshed(status, { error, error_description: 'refresh-1 is dead' });
  expect(outcome).toEqual({ kind: 'reauth', reason: error, status });
});

test.each([
  [400, 'invalid_request'],
  [401, 'invalid_client'],
  [403, 'unauthorized_client'],
])('blames the settings on %i %s', async (status, error) => {
  const { outcome } = await refreshed(status, { error });
  expect(outcome).toEqual({ kind: 'misconfigured', reason: error, status });
});

test.each([
  ['an error of the maker', 500, { error: 'login_required' }, 'upstream'],
  ['a service that is down', 503, '', 'upstream'],
  ['401 without a reason', 401, '', 'unsaid'],
  ['a page of a firewall', 403, '<html>denied</html>', 'unsaid'],
  ['a redirection', 302, '', 'unsaid'],
  ['a success that is no JSON', 200, 'welcome', 'malformed'],
  ['a success without access token', 200, { refresh_token: 'refresh-2' }, 'malformed'],
])('knows nothing of the refresh token after %s', async (_what, status, body, reason) => {
  const { outcome } = await refreshed(status, body);
  expect(outcome).toEqual({ kind: 'unknown', reason, status, retryAfterMs: null });
});

test('waits as long as a rate limit says', async () => {
  const { outcome } = await refreshed(429, '', { 'retry-after': '7' });
  expect(outcome).toEqual({
    kind: 'unknown',
    reason: 'rate_limited',
    status: 429,
    retryAfterMs: 7_000,
  });
});

test('knows nothing of the refresh token after a timeout', async () => {
  const { baseUrl } = await standIn(() => {});
  const identity = makerIdentity({ tokenUrl: baseUrl, clientId: 'app', clock, timeoutMs: 50 });
  expect(await identity.refresh('refresh-1')).toMatchObject({ kind: 'unknown', reason: 'timeout' });
});

test('knows nothing of the refresh token after a broken connection', async () => {
  const { baseUrl } = await standIn((_seen, response) => response.destroy());
  const identity = makerIdentity({ tokenUrl: baseUrl, clientId: 'app', clock });
  expect(await identity.refresh('refresh-1')).toMatchObject({ kind: 'unknown', reason: 'closed' });
});

test('knows nothing of the refresh token after an answer that is too large', async () => {
  const { outcome } = await refreshed(200, 'x'.repeat(1024 * 1024 + 1));
  expect(outcome).toMatchObject({ kind: 'unknown', reason: 'malformed' });
});
