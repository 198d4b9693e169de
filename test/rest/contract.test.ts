import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/transports/rest/endpoint.ts';
import { aWorld, type World } from '../schema/world.ts';
import { aSample, storeSamples } from '../support/rows.ts';
import { documentedStatuses, violations } from './contract.ts';
import {
  all,
  enoughFor,
  isOfLinks,
  lackingFor,
  missing,
  pathWith,
  queryFor,
  request,
  segmentsFor,
  targetOf,
  titleOf,
} from './requests.ts';
import { type RestService, startRest } from './rest-service.ts';

let rest: RestService;
let empty: RestService;
let closed: RestService;
let world: World;
beforeAll(async () => {
  rest = await startRest();
  world = await aWorld(rest.db.prisma, 1, 3);
  const from = world.vehicle.createdAt.getTime();
  await storeSamples(rest.db.prisma, world.vehicle, [
    aSample(from, { latitude: 52, longitude: 13 }),
  ]);
  empty = await startRest();
  closed = await startRest();
  await closed.db.close();
});
afterAll(async () => {
  await rest?.[Symbol.asyncDispose]();
  await empty?.[Symbol.asyncDispose]();
  await closed?.[Symbol.asyncDispose]();
});

function call(
  endpoint: Endpoint,
  target: string,
  token: string | null,
  headers = {},
): Promise<Response> {
  return request(rest, endpoint, target, token, headers);
}

const unknownToken = `odo_pat_${'a'.repeat(40)}`;

/** How each status is brought about. */
const cases: { [status: number]: (endpoint: Endpoint, token: string) => Promise<Response> } = {
  200: async (endpoint, token) => {
    const response = await call(endpoint, targetOf(endpoint, world), token);
    await world.restore();
    return response;
  },
  304: async (endpoint, token) => {
    const target = targetOf(endpoint, world);
    const { headers } = await rest.get(target, token);
    return rest.get(target, token, { 'if-none-match': headers.get('etag') ?? '' });
  },
  400: (endpoint, token) => call(endpoint, targetOf(endpoint, world, { api_key: 'k' }), token),
  401: (endpoint) =>
    call(endpoint, targetOf(endpoint, world), endpoint.scopes === null ? unknownToken : null),
  403: async (endpoint) => {
    const token = await rest.token(world.account.id, lackingFor(endpoint));
    return call(endpoint, targetOf(endpoint, world), token);
  },
  404: (endpoint, token) => {
    const segments = segmentsFor(endpoint, world);
    const none = Object.entries(segments).map(([name, value]) => [name, missing(value)]);
    const query = new URLSearchParams(queryFor(endpoint));
    const target = `${pathWith(endpoint, Object.fromEntries(none))}?${query}`;
    const ofNobody = none.length === 0 && endpoint.scopes === null;
    return ofNobody ? empty.get(target) : call(endpoint, target, token);
  },
  406: (endpoint, token) =>
    call(endpoint, targetOf(endpoint, world), token, { accept: 'image/png' }),
  413: (endpoint, token) =>
    rest.send(endpoint.route.method, targetOf(endpoint, world), token, {
      name: 'a'.repeat(1_100_000),
    }),
  415: (endpoint, token) =>
    rest.send(endpoint.route.method, targetOf(endpoint, world), token, 'name=Grace', {
      'content-type': 'text/plain',
    }),
  422: (endpoint, token) => {
    const wrong: Record<string, string> = endpoint.route.lenient
      ? { state: '' }
      : { unheard_of: '1' };
    return call(endpoint, targetOf(endpoint, world, wrong), token);
  },
  503: (endpoint, token) => {
    const target = targetOf(endpoint, world);
    return request(closed, endpoint, target, endpoint.scopes === null ? null : token);
  },
};

/** What only a maker brings about. */
const ofMaker = [200, 304, 409, 429, 502, 504];

function broughtAboutHere(endpoint: Endpoint): number[] {
  const documented = documentedStatuses(endpoint);
  if (!isOfLinks(endpoint)) return documented;
  const refused = endpoint.scopes === null ? [...ofMaker, 403] : ofMaker;
  return documented.filter((status) => !refused.includes(status));
}

for (const endpoint of all) {
  describe(titleOf(endpoint), () => {
    it.each(broughtAboutHere(endpoint))('answers %i as documented', async (status) => {
      const token = await rest.token(world.account.id, enoughFor(endpoint));
      const response = await cases[status]?.(endpoint, token);
      expect(response?.status).toBe(status);
      expect(response && (await violations(endpoint, response))).toEqual([]);
    });
  });
}
