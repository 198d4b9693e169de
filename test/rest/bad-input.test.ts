import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../src/contract/scopes.ts';
import { aWorld, type World } from '../schema/world.ts';
import { all, enoughFor, targetOf } from './requests.ts';
import { type RestService, startRest } from './rest-service.ts';

let rest: RestService;
let world: World;
let token: string;
beforeAll(async () => {
  rest = await startRest();
  world = await aWorld(rest.db.prisma);
  token = await rest.token(world.account.id, scopes);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

const drives = (query: string) => `/api/vehicle/${world.vehicle.publicId}/drives?${query}`;

async function messagesOf(path: string): Promise<unknown> {
  const response = await rest.get(path, token);
  expect(response.status).toBe(422);
  const body: unknown = await response.json();
  expect(body).toMatchObject({ code: 422, response: null, error: 'validation_failed' });
  return typeof body === 'object' && body !== null && 'messages' in body ? body.messages : null;
}

describe('query strings', () => {
  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=-5'],
    ['limit', 'limit=201'],
    ['limit', 'limit=1.5'],
    ['limit', 'limit=ten'],
    ['limit', 'limit=999999999999999999999'],
    ['limit', 'limit='],
    ['limit', 'limit=1&limit=2'],
    ['from', 'from=2026-02-30T00:00:00Z'],
    ['from', 'from=2026-13-01'],
    ['from', 'from=yesterday'],
    ['from', 'from=2026-03-01T08:00:00'],
    ['to', 'to=-1'],
    ['cursor', 'cursor=%F0%9F%98%80'],
    ['cursor', 'cursor=abc'],
    ['order', 'order=distance_km:asc'],
    ['state', 'state=ENDED,FOO'],
    ['min_distance_km', 'min_distance_km=Infinity'],
    ['min_distance_km', 'min_distance_km=1e3'],
    ['max_duration_s', 'max_duration_s=99999999999'],
    ['near', 'near=91,0,100'],
    ['near', 'near=52,13'],
    ['near', 'near=52,13,'],
    ['near', 'near=52,13,200000'],
    ['start_place', 'start_place=drv_01h455vb4pex5vsknk084sn02q'],
    ['start_place', 'start_place=home'],
    ['tag', 'tag=%00'],
    ['include_total', 'include_total=yes'],
    ['fields', 'fields=id,nothing'],
    ['fields', 'fields=vehicle_id.id'],
    ['fields', 'fields=,'],
    ['self_driving', 'self_driving=2'],
    ['__proto__', '__proto__=1'],
    ['constructor', 'constructor=1'],
  ])('are refused with 422 at `%s`: %s', async (name, query) => {
    expect(Object.keys((await messagesOf(drives(query))) ?? {})).toEqual([name]);
  });

  it('are refused with everything that is wrong with them at once', async () => {
    const messages = await messagesOf(drives('limit=0&from=never&colour=red&state=ended'));
    expect(Object.keys(messages ?? {}).sort()).toEqual(['colour', 'from', 'limit']);
  });

  it('are refused for an unknown parameter with the allowed ones and the one that was meant', async () => {
    const messages = await messagesOf(drives('limt=5'));
    expect(messages).toEqual({ limt: [expect.stringMatching(/Did you mean `limit`\?.*`from`/)] });
  });

  it('are refused on routes that take none', async () => {
    expect(await messagesOf('/api/software/latest?limit=1')).toEqual({
      limit: [expect.stringContaining('No such parameter')],
    });
  });

  it('are refused for a parameter that is missing', async () => {
    const messages = await messagesOf(`/api/vehicle/${world.vehicle.publicId}/positions?from=0`);
    expect(messages).toEqual({ to: ['This parameter is required.'] });
  });

  it.each([
    ['from', 'from=2026-01-01&to=2026-02-02'],
    ['to', 'from=2026-01-02&to=2026-01-01'],
    ['interval', 'from=2026-01-01&to=2026-01-02&interval=0'],
    ['max_points', 'from=2026-01-01&to=2026-01-02&max_points=50001'],
    ['simplify', 'from=2026-01-01&to=2026-01-02&simplify=-1'],
  ])('are refused with 422 at `%s` of positions: %s', async (name, query) => {
    const messages = await messagesOf(`/api/vehicle/${world.vehicle.publicId}/positions?${query}`);
    expect(Object.keys(messages ?? {})).toEqual([name]);
  });

  it('are refused for `fields` beside `compact`', async () => {
    expect(await messagesOf('/api/vehicles?fields=id&compact=1')).toHaveProperty('compact');
  });

  it('longer than 8 KiB are refused with 400', async () => {
    const response = await rest.get(drives(`tag=${'a'.repeat(8_200)}`), token);
    expect(response.status).toBe(400);
  });

  it('take the least and the greatest value of every range, and nothing beyond', async () => {
    const bounds = all.flatMap((endpoint) =>
      endpoint.parameters
        .filter((parameter) => parameter.in === 'query')
        .flatMap(({ name, reader }) =>
          Object.entries({ minimum: -1, maximum: 1 }).flatMap(([bound, beyond]) => {
            const value = reader.schema[bound];
            return typeof value === 'number' ? [{ endpoint, name, value, beyond }] : [];
          }),
        ),
    );
    expect(bounds.length).toBeGreaterThan(20);
    for (const { endpoint, name, value, beyond } of bounds) {
      const own = await rest.token(world.account.id, enoughFor(endpoint));
      const at = await rest.get(targetOf(endpoint, world, { [name]: `${value}` }), own);
      const past = await rest.get(targetOf(endpoint, world, { [name]: `${value + beyond}` }), own);
      expect([endpoint.route.path, name, value, at.status, past.status]).toEqual([
        endpoint.route.path,
        name,
        value,
        200,
        422,
      ]);
    }
  });
});

describe('times', () => {
  const ids = async (query: string) =>
    (await (await rest.get(drives(query), token)).json()) as unknown;

  it('are taken as RFC 3339 with an offset, escaped or not, as unix seconds, and as a date', async () => {
    const { startedAt } = await rest.db.prisma.drive.findFirstOrThrow({
      where: { vehicleId: world.vehicle.id },
    });
    const iso = startedAt.toISOString();
    const berlin = new Date(startedAt.getTime() + 3_600_000).toISOString().replace('Z', '+01:00');
    const inclusive = [
      iso,
      encodeURIComponent(berlin),
      berlin,
      `${startedAt.getTime() / 1000}`,
      iso.slice(0, 10),
    ];
    for (const from of inclusive)
      expect([from, await ids(`from=${from}`)]).toMatchObject([from, { count: 1 }]);
    expect(await ids(`to=${iso}`)).toMatchObject({ count: 0 });
  });
});

describe('paths', () => {
  it.each([
    'a%00b',
    'x'.repeat(200),
    '%F0%9F%9A%97',
    "'; DROP TABLE vehicle; --",
    '..%2f..',
    'veh_zzz',
  ])('with a vehicle that cannot be are answered with 404: %s', async (name) => {
    const response = await rest.get(`/api/vehicle/${name}`, token);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: 'not_found' });
  });

  it('that are no UTF-8 are answered with 400', async () => {
    expect((await rest.get('/api/vehicle/%ff', token)).status).toBe(400);
  });

  it('with an id of another kind of thing are answered with 404', async () => {
    const path = `/api/vehicle/${world.vehicle.publicId}/drives/${world.args.charge?.id}`;
    expect((await rest.get(path, token)).status).toBe(404);
  });

  it('that take another method are answered with 405 and `Allow`', async () => {
    const response = await rest.send('DELETE', drives(''), token, {});
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    const account = await rest.send('PUT', '/api/account', token, {});
    expect(account.headers.get('allow')).toBe('GET, HEAD, PATCH, POST');
  });

  it('that are no route are answered with 404', async () => {
    for (const path of ['/api', '/api/nothing', `/api/vehicle/${world.vehicle.publicId}/nothing`]) {
      expect([path, (await rest.get(path, token)).status]).toEqual([path, 404]);
    }
  });
});

describe('Accept', () => {
  it.each(['application/json', 'application/*', '*/*', 'text/html, application/json;q=0.1', ''])(
    'is answered with JSON: %s',
    async (accept) => {
      expect((await rest.get('/api/vehicles', token, { accept })).status).toBe(200);
    },
  );

  it.each([
    'text/html',
    'application/json;q=0',
    'application/json;q=0, */*;q=1',
    'application/xml',
  ])('is refused with 406: %s', async (accept) => {
    const response = await rest.get('/api/vehicles', token, { accept });
    expect(response.status).toBe(406);
    expect(await response.json()).toMatchObject({ error: 'not_acceptable' });
  });
});

it('wrote no error to the log for any of it', () => {
  expect(rest.logLines.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
});

it('is told from a failure of ours, which the log has once, with its cause and the request id', async () => {
  const { prisma } = rest.db;
  await prisma.$executeRaw`ALTER TABLE software_update RENAME TO elsewhere`;
  const headers = { 'x-request-id': 'request-17' };
  const response = await rest.get('/api/software', null, headers);
  await prisma.$executeRaw`ALTER TABLE elsewhere RENAME TO software_update`;
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: 'internal_error' });
  const lines = rest.logLines.filter((line) => line.includes('request-17'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, err: { message: expect.stringContaining('software_update') } },
  ]);
});
