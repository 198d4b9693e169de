import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { violations } from '../rest/contract.ts';
import { every } from '../rest/requests.ts';
import { at } from '../schema/ask.ts';
import { type CommandService, commandService } from './command-service.ts';

/** More than the tests of the routes send, and few enough to use up. */
const perMinute = 80;

let service: CommandService;
beforeAll(async () => {
  service = await commandService({ ODOGRAPH_COMMAND_TOKEN_PER_MINUTE: String(perMinute) });
});
beforeEach(() => service.ready());
afterAll(() => service?.[Symbol.asyncDispose]());

type Asked = { method?: string; body?: unknown; headers?: Record<string, string>; token?: string };

async function call(path: string, { method = 'POST', body, headers, token }: Asked = {}) {
  const json: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(
    `${service.service.baseUrl}/api/vehicle/${service.publicId}${path}`,
    {
      method,
      headers: { authorization: `Bearer ${token ?? service.token}`, ...json, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    },
  );
  const text = await response.clone().text();
  const said: unknown = JSON.parse(text);
  const found = every.filter(
    ({ route: one }) => one.method === method && matches(one.path, path.split('?')[0] ?? ''),
  );
  // A path without parameters wins, as in the router.
  const segments = ({ route: one }: (typeof every)[number]) => one.path.split('/:').length;
  const [route] = found.sort((a, b) => segments(a) - segments(b));
  if (route === undefined) throw new Error(`No route for ${path}.`);
  expect([path, await violations(route, response)]).toEqual([path, []]);
  return { response, status: response.status, said };
}

function matches(route: string, path: string): boolean {
  const own = route.replace('/api/vehicle/:public_id', '');
  return new RegExp(`^${own.replace(/:[a-z_]+/g, '[^/]+')}$`).test(path);
}

describe('POST /command/:name', () => {
  it('answers 200 with the command once it succeeded', async () => {
    const { status, said } = await call('/command/set_charge_limit', { body: { percent: 72 } });
    expect([status, said]).toMatchObject([
      200,
      {
        code: 200,
        response: {
          name: 'set_charge_limit',
          state: 'SUCCEEDED',
          verified: true,
          via: 'REST',
          parameters: { percent: 72 },
        },
      },
    ]);
  });

  it('takes older names and parameters from the query', async () => {
    const { status, said } = await call('/command/setChargeLimit?limit=73');
    expect([status, said]).toMatchObject([
      200,
      { response: { via: 'LEGACY', parameters: { percent: 73 } } },
    ]);
    expect(service.car.state.charge.limitPct).toBe(73);
    expect((await call('/command/open_frunk')).status).toBe(200);
    expect((await call('/command/ventWindows?wait=20')).said).toMatchObject({
      response: { name: 'windows', parameters: { action: 'VENT' } },
    });
  });

  it('answers 202 with the place of the command where it goes on', async () => {
    const asked: Asked[] = [{ headers: { prefer: 'respond-async' } }, {}];
    for (const one of asked) {
      const { response, status, said } = await call(
        `/command/flash_lights${one.headers ? '' : '?wait=0'}`,
        one,
      );
      expect([status, said]).toMatchObject([202, { code: 202, response: { state: 'QUEUED' } }]);
      const place = response.headers.get('location') ?? '';
      expect(place).toBe(
        `${service.service.baseUrl}/api/vehicle/${service.publicId}/commands/${at(said, 'response.id')}`,
      );
      await service.until(at(said, 'response.id'), 'SUCCEEDED');
      expect((await call(`/commands/${at(said, 'response.id')}`, { method: 'GET' })).status).toBe(
        200,
      );
    }
  });

  it('answers what became of it otherwise with the status of its failure, and the command', async () => {
    service.simulator.fault({ kind: 'refused', reason: 'user_present', times: 1 });
    const refused = await call('/command/lock');
    expect([refused.status, refused.said]).toMatchObject([
      412,
      {
        error: 'precondition_failed',
        response: { state: 'FAILED', failure: { maker_reason: 'user_present' } },
      },
    ]);
    await service.service.prisma.vehicle.updateMany({
      where: { publicId: service.publicId },
      data: { allowUnlock: false },
    });
    const forbidden = await call('/command/unlock');
    expect([forbidden.status, forbidden.said]).toMatchObject([
      403,
      { error: 'setting_forbids', response: { state: 'REJECTED' } },
    ]);
    service.car.state.awake = false;
    const asleep = await call('/command/lock?wake=false');
    expect([asleep.status, asleep.said]).toMatchObject([408, { error: 'vehicle_unavailable' }]);
    service.car.state.awake = true;
    service.simulator.fault({ kind: 'closed', on: ['command'] });
    const lost = await call('/command/honk_horn');
    expect([lost.status, lost.said]).toMatchObject([
      504,
      { error: 'maker_timeout', response: { state: 'UNKNOWN' } },
    ]);
    service.simulator.clearFaults();
    service.simulator.fault({ kind: 'rate_limited', on: ['command'], retryAfterS: 900 });
    // Another vehicle, which is then left alone for as long.
    const other = `${service.service.baseUrl}/api/vehicle/${service.otherPublicId}/command/lock`;
    const headers = { authorization: `Bearer ${service.token}` };
    expect((await fetch(other, { method: 'POST', headers })).status).toBe(429);
  });

  it('answers 422 for wrong parameters, 400 for no command, and keeps nothing', async () => {
    const before = await service.service.prisma.command.count();
    const wrong = await call('/command/set_charge_limit', { body: { percent: 7, speed: 3 } });
    expect([wrong.status, at(wrong.said, 'messages')]).toEqual([
      422,
      { percent: [expect.any(String)], speed: [expect.any(String)] },
    ]);
    expect((await call('/command/self_destruct')).said).toMatchObject({
      error: 'invalid_command',
      code: 400,
    });
    expect((await call('/command/set_charge_limit', { body: [80] })).status).toBe(400);
    expect((await call('/command/flash_lights?wait=61')).status).toBe(422);
    expect((await call('/command/set_charge_limit?percent=80&percent=70')).said).toMatchObject({
      messages: { percent: ['Give this parameter once.'] },
    });
    expect(await service.service.prisma.command.count()).toBe(before);
  });

  it('needs the scope controls, and no less', async () => {
    const reader = await service.service.token({
      scopes: ['vehicles', 'account', 'maker-accounts', 'mcp:use'],
    });
    for (const path of [
      '/command/flash_lights',
      '/wake',
      '/wakeup',
      '/fleet/command/flash_lights',
    ]) {
      expect((await call(path, { token: reader })).said).toMatchObject({
        error: 'insufficient_scope',
        required_scope: 'controls',
      });
    }
  });

  it('is carried out once for an idempotency key', async () => {
    const headers = { 'idempotency-key': '"rest-1"' };
    const first = await call('/command/set_charge_limit', { body: { percent: 74 }, headers });
    const again = await call('/command/set_charge_limit', { body: { percent: 74 }, headers });
    expect(first.response.headers.get('idempotency-replayed')).toBeNull();
    expect(again.response.headers.get('idempotency-replayed')).toBe('true');
    expect(again.said).toEqual(first.said);
    const other = await call('/command/set_charge_limit', { body: { percent: 75 }, headers });
    expect([other.status, at(other.said, 'error')]).toEqual([422, 'idempotency_key_reused']);
  });
});

describe('other routes of commands', () => {
  it('wake the vehicle under both names', async () => {
    for (const path of ['/wake', '/wakeup']) {
      service.car.state.awake = false;
      const { status, said } = await call(path);
      expect([status, said]).toMatchObject([200, { response: { name: 'wake', wake_used: true } }]);
    }
  });

  it('take a command back that was not sent', async () => {
    service.car.state.awake = false;
    service.simulator.setWakeTime('never');
    const { said } = await call('/command/honk_horn?wait=0');
    const { status, said: taken } = await call(`/commands/${at(said, 'response.id')}`, {
      method: 'DELETE',
    });
    expect([status, taken]).toMatchObject([200, { response: { state: 'CANCELLED' } }]);
    await service.ready();
    const done = await call('/command/flash_lights');
    const late = await call(`/commands/${at(done.said, 'response.id')}`, { method: 'DELETE' });
    expect([late.status, at(late.said, 'error')]).toEqual([412, 'precondition_failed']);
  });

  it('list what a vehicle can be told', async () => {
    const { status, said } = await call('/commands/catalogue', { method: 'GET' });
    expect(status).toBe(200);
    const names = at(said, 'response');
    expect(Array.isArray(names) && names.map((one) => at(one, 'name'))).toContain(
      'set_charge_limit',
    );
  });
});

describe('the pass-through', () => {
  it('answers in the maker’s shape, and keeps the command in the same ledger', async () => {
    const { status, said } = await call('/fleet/command/set_charge_limit', {
      body: { percent: 76 },
    });
    expect([status, said]).toEqual([
      200,
      { response: { result: true, reason: '' }, error: '', error_description: '' },
    ]);
    expect(service.car.state.charge.limitPct).toBe(76);
    const again = await call('/fleet/command/set_charge_limit', { body: { percent: 76 } });
    expect(again.said).toMatchObject({ response: { result: false, reason: 'already_set' } });
    const last = await service.service.prisma.command.findFirstOrThrow({
      orderBy: { createdAt: 'desc' },
    });
    expect(last).toMatchObject({
      name: 'set_charge_limit',
      via: 'FLEET_PROXY',
      parameters: { percent: 76 },
    });
  });

  it('refuses what the maker would refuse, in its words and before anything is sent', async () => {
    const before = service.simulator.calls.command;
    const unknown = await call('/fleet/command/self_destruct', { body: {} });
    expect([unknown.status, unknown.said]).toEqual([
      400,
      { response: null, error: 'invalid_command', error_description: '' },
    ]);
    const wrong = await call('/fleet/command/set_temps', { body: { passenger_temp: 21 } });
    expect([wrong.status, at(wrong.said, 'response')]).toEqual([
      400,
      { result: false, reason: 'missing driver_temp param' },
    ]);
    const never = await call('/fleet/command/erase_user_data', { body: {} });
    expect([never.status, at(never.said, 'error')]).toEqual([403, 'command_group_disabled']);
    expect(service.simulator.calls.command).toBe(before);
  });

  it('answers 202 with the place of a command that goes on, so that nobody sends it again', async () => {
    service.simulator.fault({ kind: 'slow', on: ['command'], delayMs: 400 });
    const { response, status, said } = await call('/fleet/command/honk_horn?wait=0', { body: {} });
    const place = response.headers.get('location') ?? '';
    expect([status, at(said, 'response')]).toEqual([202, { result: false, reason: 'in progress' }]);
    const root = `${service.service.baseUrl}/api/vehicle/${service.publicId}/commands/`;
    expect(place.startsWith(root)).toBe(true);
    await service.until(place.slice(root.length), 'SUCCEEDED');
  });

  it('does not wake a vehicle unasked', async () => {
    service.car.state.awake = false;
    const { status, said } = await call('/fleet/command/door_lock', { body: {} });
    expect([status, at(said, 'response')]).toEqual([408, null]);
  });
});

describe('the limits of a minute', () => {
  it('are told by every route that sends a command', async () => {
    const token = await service.service.token({ scopes: ['controls'] });
    const answers = [];
    for (const path of ['/command/flash_lights', '/wake', '/fleet/command/flash_lights']) {
      answers.push((await call(path, { token })).response.headers);
    }
    for (const [index, headers] of answers.entries()) {
      expect(headers.get('ratelimit-policy')).toBe(
        `"token";q=${perMinute};w=60, "vehicle";q=10000;w=60`,
      );
      expect(headers.get('ratelimit')).toMatch(
        new RegExp(`^"token";r=${perMinute - 1 - index};t=\\d+, "vehicle";r=\\d+;t=\\d+$`),
      );
    }
  });

  it('are 429 on every route and in GraphQL once they are used up, with the seconds to wait', async () => {
    const token = await service.service.token({ scopes: ['controls'] });
    const { prisma } = service.service;
    const where = { publicId: service.publicId };
    // What the vehicle’s settings forbid is in the ledger at once.
    await prisma.vehicle.updateMany({ where, data: { allowControls: false } });
    const kept = await call('/command/lock', { token, headers: { 'idempotency-key': 'kept' } });
    expect(kept.status).toBe(403);
    await Promise.all(
      Array.from({ length: perMinute - 1 }, () => call('/command/flash_lights', { token })),
    );
    const before = await prisma.command.count();
    for (const path of ['/command/lock', '/wake', '/wakeup']) {
      const { status, said, response } = await call(path, { token });
      expect([status, said]).toMatchObject([429, { error: 'rate_limited' }]);
      const seconds = Number(response.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(at(said, 'retry_after_s')).toBe(seconds);
      expect(response.headers.get('ratelimit')).toContain('"token";r=0;');
    }
    const passed = await call('/fleet/command/door_lock', { body: {}, token });
    expect([passed.status, at(passed.said, 'error')]).toEqual([429, 'rate_limited']);
    expect(Number(passed.response.headers.get('retry-after'))).toBeGreaterThan(0);
    const query = `mutation { lock(input: { publicId: "${service.publicId}" }) { replayed } }`;
    const typed: unknown = await (await service.service.graphql({ query }, token)).json();
    expect(at(typed, 'errors')).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', retryAfterS: expect.any(Number) } },
    ]);
    const replayed = await call('/command/lock', {
      token,
      headers: { 'idempotency-key': 'kept' },
    });
    expect(replayed.response.headers.get('idempotency-replayed')).toBe('true');
    expect(await prisma.command.count()).toBe(before);
  });

  it('of the maker are told with the seconds that it asked for', async () => {
    service.simulator.fault({ kind: 'rate_limited', on: ['command'], retryAfterS: 900 });
    // Another vehicle, which is then left alone for as long.
    const other = `${service.service.baseUrl}/api/vehicle/${service.otherPublicId}/command/lock`;
    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(other, { method: 'POST', headers });
    const said: unknown = await response.json();
    expect([response.status, at(said, 'error')]).toEqual([429, 'maker_rate_limited']);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(600);
    expect(seconds).toBeLessThanOrEqual(900);
  });
});

describe('a token that is limited to groups of commands', () => {
  it('sends those, and is refused others before anything is kept or spent', async () => {
    const token = await service.service.token({ scopes: ['controls'], commandGroups: ['alerts'] });
    expect((await call('/command/flash_lights', { token })).status).toBe(200);
    const { prisma } = service.service;
    const before = [await prisma.command.count(), service.simulator.calls.command];
    for (const path of ['/command/lock', '/wake', '/fleet/command/door_lock']) {
      const { status, said } = await call(path, { body: {}, token });
      expect([path, status, at(said, 'error')]).toEqual([path, 403, 'command_group_disabled']);
    }
    expect([await prisma.command.count(), service.simulator.calls.command]).toEqual(before);
  });

  it('takes back only what it may send', async () => {
    service.car.state.awake = false;
    service.simulator.setWakeTime('never');
    const { command } = await service.send('honkHorn', { waitSeconds: 0 });
    const path = `/commands/${at(command, 'id')}`;
    const token = await service.service.token({ scopes: ['controls'], commandGroups: ['climate'] });
    const { status, said } = await call(path, { method: 'DELETE', token });
    expect([status, at(said, 'error')]).toEqual([403, 'command_group_disabled']);
    const own = await service.service.token({ scopes: ['controls'], commandGroups: ['alerts'] });
    expect((await call(path, { method: 'DELETE', token: own })).status).toBe(200);
  });

  it('is told only what it can send', async () => {
    const token = await service.service.token({ scopes: ['controls'], commandGroups: ['alerts'] });
    const { said } = await call('/commands/catalogue', { method: 'GET', token });
    const rows = at(said, 'response');
    const groups = Array.isArray(rows) ? rows.map((one) => at(one, 'group')) : [];
    expect(new Set(groups)).toEqual(new Set(['alerts']));
  });
});
