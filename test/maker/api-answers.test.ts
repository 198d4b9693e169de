import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Failure } from '../../src/maker/answer.ts';
import { makerApi } from '../../src/maker/api.ts';
import { always, closedPort, open, standIn } from './stand-in.ts';

const vin = 'LRW3E7FS0NC000042';
const now = Date.UTC(2024, 4, 6, 12, 0, 0);
const clock = () => now;
const token = async () => 'access-1';

type Case = {
  title: string;
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  expected: Partial<Failure> & { retryAfterMs?: number; reason?: string; baseUrl?: string | null };
};

const failed = (error: string) => ({ response: null, error, error_description: '' });

const cases: Case[] = [
  {
    title: 'rejected for a request that is wrong',
    status: 400,
    body: failed('invalid_request'),
    expected: { kind: 'rejected', retry: 'never', detail: 'invalid_request' },
  },
  {
    title: 'unauthorized for an expired token',
    status: 401,
    body: failed('token expired (401)'),
    expected: { kind: 'unauthorized', reason: 'token_expired', retry: 'with_fresh_token' },
  },
  {
    title: 'unauthorized for an invalid token',
    status: 401,
    body: failed('invalid bearer token'),
    expected: { kind: 'unauthorized', reason: 'token_invalid', retry: 'with_fresh_token' },
  },
  {
    title: 'unauthorized for ever where a login is required',
    status: 401,
    body: failed('login_required'),
    expected: { kind: 'unauthorized', reason: 'login_required', retry: 'never' },
  },
  {
    title: 'unauthorized for ever where mobile access is off',
    status: 401,
    body: failed('mobile_access_disabled'),
    expected: { kind: 'unauthorized', reason: 'mobile_access_disabled', retry: 'never' },
  },
  {
    title: 'unauthorized for an empty body',
    status: 401,
    expected: { kind: 'unauthorized', reason: 'unsaid', retry: 'with_fresh_token', detail: null },
  },
  {
    title: 'forbidden where a payment is required',
    status: 402,
    body: failed('payment required'),
    expected: { kind: 'forbidden', reason: 'payment_required', retry: 'never' },
  },
  {
    title: 'forbidden for missing scopes',
    status: 403,
    body: failed('Unauthorized missing scopes'),
    expected: { kind: 'forbidden', reason: 'missing_scopes', retry: 'never' },
  },
  {
    title: 'forbidden where commands must be signed',
    status: 403,
    body: failed(
      'Tesla Vehicle Command Protocol required, please refer to the documentation here: https://maker.example',
    ),
    expected: { kind: 'forbidden', reason: 'protocol_required', retry: 'never' },
  },
  {
    title: 'forbidden for an unsupported vehicle',
    status: 403,
    body: failed('unsupported vehicle'),
    expected: { kind: 'forbidden', reason: 'unsupported_vehicle', retry: 'never' },
  },
  {
    title: 'forbidden for 15 minutes over the limit of the account',
    status: 403,
    body: failed('account disabled: EXCEEDED_LIMIT'),
    expected: {
      kind: 'forbidden',
      reason: 'exceeded_limit',
      retry: 'after',
      retryAfterMs: 900_000,
    },
  },
  {
    title: 'forbidden for a reason that is not said',
    status: 403,
    expected: { kind: 'forbidden', reason: 'unsaid', retry: 'never' },
  },
  {
    title: 'not found',
    status: 404,
    body: failed('not_found'),
    expected: { kind: 'not_found', retry: 'never' },
  },
  {
    title: 'in service',
    status: 405,
    body: failed('vehicle is currently in service'),
    expected: { kind: 'in_service', retry: 'backoff' },
  },
  {
    title: 'rejected for a method that is not allowed',
    status: 405,
    body: failed('invalid_method'),
    expected: { kind: 'rejected', retry: 'never' },
  },
  { title: 'rejected for a content type', status: 406, expected: { kind: 'rejected' } },
  {
    title: 'asleep',
    status: 408,
    body: failed('vehicle unavailable: vehicle is offline or asleep'),
    expected: { kind: 'asleep', retry: 'when_awake' },
  },
  {
    title: 'asleep where the vehicle did not answer in time',
    status: 408,
    body: { error: 'timeout' },
    expected: { kind: 'asleep', retry: 'when_awake' },
  },
  {
    title: 'asleep where a proxy hides it behind 500',
    status: 500,
    body: failed('vehicle unavailable: vehicle is offline or asleep'),
    expected: { kind: 'asleep', status: 500, retry: 'when_awake' },
  },
  {
    title: 'asleep where it is hidden behind 200',
    status: 200,
    body: failed('vehicle unavailable: vehicle is offline or asleep'),
    expected: { kind: 'asleep', status: 200 },
  },
  {
    title: 'rejected for another error behind 200',
    status: 200,
    body: failed('invalid_resource'),
    expected: { kind: 'rejected', status: 200 },
  },
  { title: 'rejected for a failed precondition', status: 412, expected: { kind: 'rejected' } },
  { title: 'rejected for an invalid resource', status: 422, expected: { kind: 'rejected' } },
  {
    title: 'forbidden for a locked account',
    status: 423,
    expected: { kind: 'forbidden', reason: 'account_locked', retry: 'never' },
  },
  {
    title: 'upstream for a bad answer of the vehicle',
    status: 424,
    expected: { kind: 'upstream' },
  },
  {
    title: 'rate limited for the seconds of the header',
    status: 429,
    headers: { 'retry-after': '37' },
    body: failed('Retry in 12 seconds'),
    expected: { kind: 'rate_limited', retry: 'after', retryAfterMs: 37_000 },
  },
  {
    title: 'rate limited until the date of the header',
    status: 429,
    headers: { 'retry-after': new Date(now + 90_000).toUTCString() },
    expected: { kind: 'rate_limited', retryAfterMs: 90_000 },
  },
  {
    title: 'rate limited for the seconds of the sentence',
    status: 429,
    body: failed('Retry in 37829 seconds'),
    expected: { kind: 'rate_limited', retryAfterMs: 37_829_000 },
  },
  {
    title: 'rate limited for the seconds of a sentence that is no JSON',
    status: 429,
    body: 'Retry in 60 seconds',
    expected: { kind: 'rate_limited', retryAfterMs: 60_000 },
  },
  {
    title: 'rate limited until the limit is reset',
    status: 429,
    headers: { 'ratelimit-reset': '45' },
    expected: { kind: 'rate_limited', retryAfterMs: 45_000 },
  },
  {
    title: 'rate limited for 5 minutes where nothing is said',
    status: 429,
    headers: { 'retry-after': 'later' },
    expected: { kind: 'rate_limited', retryAfterMs: 300_000 },
  },
  {
    title: 'rate limited for at least a second',
    status: 429,
    headers: { 'retry-after': '-5' },
    expected: { kind: 'rate_limited', retryAfterMs: 1_000 },
  },
  {
    title: 'rate limited for at most a day',
    status: 429,
    headers: { 'retry-after': '99999999' },
    expected: { kind: 'rate_limited', retryAfterMs: 86_400_000 },
  },
  {
    title: 'forbidden by law',
    status: 451,
    expected: { kind: 'forbidden', reason: 'privacy', retry: 'never' },
  },
  { title: 'upstream for a closed client', status: 499, expected: { kind: 'upstream' } },
  {
    title: 'upstream for an error of the maker',
    status: 500,
    body: failed('upstream internal error'),
    expected: { kind: 'upstream', retry: 'backoff', detail: 'upstream internal error' },
  },
  { title: 'upstream for a service that is down', status: 503, expected: { kind: 'upstream' } },
  {
    title: 'upstream for a gateway that speaks HTML',
    status: 504,
    body: '<html>timeout</html>',
    expected: { kind: 'upstream' },
  },
  { title: 'upstream for a device that misbehaves', status: 540, expected: { kind: 'upstream' } },
  {
    title: 'malformed for a redirection, which is not followed',
    status: 302,
    headers: { location: 'https://elsewhere.example/' },
    expected: { kind: 'malformed', reason: 'redirected' },
  },
  {
    title: 'malformed for a success that is no JSON',
    status: 200,
    body: '<html>welcome</html>',
    expected: { kind: 'malformed', reason: 'not_json', retry: 'backoff' },
  },
  {
    title: 'malformed for an empty success',
    status: 200,
    expected: { kind: 'malformed', reason: 'not_json' },
  },
  {
    title: 'malformed for a success without response',
    status: 200,
    body: { response: null },
    expected: { kind: 'malformed', reason: 'no_response' },
  },
  {
    title: 'malformed for a response that is no vehicle',
    status: 200,
    body: { response: ['ok'] },
    expected: { kind: 'malformed', reason: 'no_response' },
  },
];

test.each(cases)('answers $status as $title', async ({ status, body, headers, expected }) => {
  const { baseUrl, seen } = await standIn(always(status, body, headers));
  const answer = await makerApi({ baseUrl, token, clock, gate: open }).vehicleData(vin, [
    'charge_state',
  ]);
  expect(answer).toMatchObject({ status, ...expected });
  expect(seen).toHaveLength(1);
});

const moved = 'http://127.0.0.1:4321';

test.each([
  ['the sentence', `user out of region, use base URL: ${moved}, see https://maker.example/`, ''],
  ['the header', 'user out of region', `h2=${moved}`],
  ['the header, quoted', 'user out of region', `h2="${moved}"; ma=60`],
])('answers 421 with the new base URL of %s', async (_where, error, altSvc) => {
  const { baseUrl } = await standIn(always(421, failed(error), { 'alt-svc': altSvc }));
  expect(await makerApi({ baseUrl, token, clock }).vehicle(vin)).toMatchObject({
    kind: 'out_of_region',
    status: 421,
    retry: 'at_new_base',
    baseUrl: moved,
  });
});

test('answers 421 without a base URL where the one named is a stranger', async () => {
  const stranger = failed('user out of region, use base URL: https://evil.example, see nothing');
  const { baseUrl } = await standIn(always(421, stranger));
  expect(await makerApi({ baseUrl, token, clock }).vehicle(vin)).toMatchObject({
    kind: 'out_of_region',
    retry: 'never',
    baseUrl: null,
  });
});

test('times out when the maker does not answer', async () => {
  const { baseUrl } = await standIn(() => {});
  const answer = await makerApi({ baseUrl, token, clock, timeoutMs: 50 }).vehicle(vin);
  expect(answer).toEqual({ kind: 'timeout', status: null, detail: null, retry: 'backoff' });
});

test('times out when an answer does not end', async () => {
  const { baseUrl } = await standIn((_seen, response) => {
    response.writeHead(200).write('{"response":');
  });
  const answer = await makerApi({ baseUrl, token, clock, timeoutMs: 50 }).vehicle(vin);
  expect(answer).toMatchObject({ kind: 'timeout' });
});

test('answers closed when nobody listens', async () => {
  const baseUrl = await closedPort();
  expect(await makerApi({ baseUrl, token, clock }).vehicle(vin)).toMatchObject({
    kind: 'closed',
    code: 'ECONNREFUSED',
    retry: 'backoff',
  });
});

test('answers closed when the connection breaks in mid-answer', async () => {
  const { baseUrl } = await standIn((_seen, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{');
    setTimeout(() => response.destroy(), 20);
  });
  expect(await makerApi({ baseUrl, token, clock }).vehicle(vin)).toMatchObject({ kind: 'closed' });
});

test('answers closed when it is stopped', async () => {
  const stop = new AbortController();
  const { baseUrl } = await standIn(() => stop.abort());
  const answer = await makerApi({ baseUrl, token, clock, signal: stop.signal }).vehicle(vin);
  expect(answer).toMatchObject({ kind: 'closed', code: 'STOPPED' });
});

test('reads no more of an answer than its limit, compressed or not', async () => {
  const body = JSON.stringify({ response: { vin, filler: 'x'.repeat(100_000) } });
  const plain = await standIn(always(200, body));
  const limits = { token, clock, maxBytes: 50_000 };
  const large = { kind: 'malformed', reason: 'too_large', status: 200 };
  expect(await makerApi({ ...limits, baseUrl: plain.baseUrl }).vehicle(vin)).toMatchObject(large);
  const packed = await standIn((_seen, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
  });
  expect(await makerApi({ ...limits, baseUrl: packed.baseUrl }).vehicle(vin)).toMatchObject(large);
});

test('forgives a byte order mark', async () => {
  const { baseUrl } = await standIn(always(200, '\uFEFF{"response":{}}'));
  expect(await makerApi({ baseUrl, token, clock }).vehicle(vin)).toMatchObject({ kind: 'ok' });
});

test('lets neither token nor VIN nor a long text into the detail', async () => {
  const secret = 'opaque-access-token-1';
  const error = `no vehicle ${vin} for Bearer ${secret} or ${secret}\n${'x'.repeat(10_000)}`;
  const { baseUrl } = await standIn(always(404, failed(error)));
  const answer = await makerApi({ baseUrl, token: async () => secret, clock }).vehicle(vin);
  if (answer.kind !== 'not_found') throw new Error(answer.kind);
  expect(answer.detail).toContain('no vehicle');
  expect(answer.detail).not.toContain(secret);
  expect(answer.detail).not.toContain(vin);
  expect(answer.detail?.length).toBeLessThanOrEqual(200);
});

test('answers closed without quoting a token that no header can carry', async () => {
  const { baseUrl, seen } = await standIn(always(200));
  const broken = 'access\n1';
  const answer = await makerApi({ baseUrl, token: async () => broken, clock }).vehicle(vin);
  expect(answer).toMatchObject({ kind: 'closed' });
  expect(JSON.stringify(answer)).not.toContain('access');
  expect(seen).toHaveLength(0);
});
