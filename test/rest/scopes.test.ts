import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS } from '../../src/base/units.ts';
import { type Scope, scopes } from '../../src/contract/scopes.ts';
import { satisfies } from '../../src/schema/requires-scopes.ts';
import type { Endpoint } from '../../src/transports/rest/endpoint.ts';
import { aWorld, type World } from '../schema/world.ts';
import { all, enoughFor, isOfLinks, request, targetOf, titleOf } from './requests.ts';
import { type RestService, startRest } from './rest-service.ts';

let rest: RestService;
let world: World;
beforeAll(async () => {
  rest = await startRest();
  world = await aWorld(rest.db.prisma);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

let cells = 0;

async function statusFor(endpoint: Endpoint, token: string | null, query = {}): Promise<Response> {
  cells += 1;
  if (endpoint.route.method === 'DELETE') await world.restore();
  return request(rest, endpoint, targetOf(endpoint, world, query), token);
}

/** Each scope alone, all but each, and all. */
const sets: Scope[][] = [
  ...scopes.map((scope) => [scope]),
  ...scopes.map((scope) => scopes.filter((other) => other !== scope)),
  [...scopes],
];

it('opens every route to exactly the sets of scopes that hold what it needs', async () => {
  for (const set of sets) {
    const token = await rest.token(world.account.id, set);
    // `mcp:use` opens nothing under /api (spec 5).
    const granted = new Set(set.filter((scope) => scope !== 'mcp:use'));
    for (const endpoint of all) {
      const open = endpoint.scopes === null || satisfies(granted, endpoint.scopes);
      const response = await statusFor(endpoint, token);
      const { status } = response;
      // Where a maker is asked the answer is its own; that it was let through is what counts.
      const lacks = (await response.text()).includes('insufficient_scope');
      const told = isOfLinks(endpoint) && open && !lacks && status !== 401 ? 200 : status;
      expect([titleOf(endpoint), set, told]).toEqual([titleOf(endpoint), set, open ? 200 : 403]);
    }
  }
  process.stdout.write(`${cells} cells: ${all.length} routes x ${sets.length} sets of scopes.\n`);
});

it('names the missing scope in body and challenge', async () => {
  for (const endpoint of all.filter(({ scopes: needed }) => needed !== null)) {
    const token = await rest.token(world.account.id, ['mcp:use']);
    const response = await statusFor(endpoint, token);
    const needed = enoughFor(endpoint).join(' ');
    expect(await response.json()).toMatchObject({
      error: 'insufficient_scope',
      required_scope: needed,
    });
    expect(response.headers.get('www-authenticate')).toContain(`scope="${needed}"`);
  }
});

it('answers 401 without a token, and asks for one without naming an error', async () => {
  for (const endpoint of all) {
    if (isOfLinks(endpoint) && endpoint.scopes === null) continue;
    const response = await statusFor(endpoint, null);
    expect([titleOf(endpoint), response.status]).toEqual([
      titleOf(endpoint),
      endpoint.scopes === null ? 200 : 401,
    ]);
    if (endpoint.scopes === null) continue;
    expect(await response.json()).toMatchObject({ error: 'missing_token' });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="odograph"');
  }
});

it.each([
  ['garbage', () => Promise.resolve('garbage')],
  ['a token of nobody', () => rest.token(world.account.id, scopes).then((token) => `${token}x`)],
  ['an API key', () => rest.apiKey(world.account.id)],
])('answers 401 to %s as a bearer token, on public routes too', async (_, tokenOf) => {
  const token = await tokenOf();
  for (const endpoint of all) {
    const response = await statusFor(endpoint, token);
    expect([titleOf(endpoint), response.status]).toEqual([titleOf(endpoint), 401]);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
  }
});

it('answers 401 to a token that has ended', async () => {
  const token = await rest.token(world.account.id, scopes, { expiresInDays: 1 });
  rest.clock.at += DAY_MS;
  try {
    for (const endpoint of all) {
      const response = await statusFor(endpoint, token);
      expect([titleOf(endpoint), response.status]).toEqual([titleOf(endpoint), 401]);
      expect(await response.json()).toMatchObject({ error: 'expired_token' });
    }
  } finally {
    rest.clock.at -= DAY_MS;
  }
});

it('takes an api_key on the older routes alone, and says there when it ends', async () => {
  const key = await rest.apiKey(world.account.id, true);
  const older = [
    'GET /api/vehicles',
    'GET /api/vehicle/:public_id',
    'GET /api/vehicle/:public_id/detailed',
    'GET /api/vehicle/:public_id/state',
    'GET /api/software',
    'GET /api/software/all',
    'GET /api/software/latest',
    'GET /api/software/:version',
    'POST /api/vehicle/:public_id/command/:name',
    'POST /api/vehicle/:public_id/wakeup',
  ];
  const reader = await rest.apiKey(world.account.id);
  for (const endpoint of all) {
    const response = await statusFor(endpoint, null, { api_key: key });
    const taken = older.includes(titleOf(endpoint));
    const sends = taken && endpoint.route.method === 'POST';
    if (sends) expect((await statusFor(endpoint, null, { api_key: reader })).status).toBe(403);
    expect([titleOf(endpoint), response.status]).toEqual([
      titleOf(endpoint),
      sends
        ? expect.not.toSatisfy((status: number) => [401, 403].includes(status))
        : taken
          ? 200
          : 401,
    ]);
    if (taken) {
      expect(response.headers.get('deprecation')).toBe('@1795219200');
      expect(Date.parse(response.headers.get('sunset') ?? '')).toBe(rest.clock.at + 366 * DAY_MS);
    } else {
      expect(await response.json()).toMatchObject({ error: 'bearer_required' });
    }
  }
});

it('takes no api_key at all where the instance does not', async () => {
  await using other = await startRest({ apiKeys: false });
  const { account, vehicle } = await aWorld(other.db.prisma);
  const key = await other.apiKey(account.id);
  const response = await other.get(`/api/vehicle/${vehicle.publicId}?api_key=${key}`);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: 'bearer_required' });
});

it('ignores cookies', async () => {
  const token = await rest.token(world.account.id, scopes);
  const response = await rest.get('/api/vehicles', null, { cookie: `token=${token}; session=x` });
  expect(response.status).toBe(401);
});
