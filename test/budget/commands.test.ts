import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CommandService, commandService, statesOf } from '../commands/command-service.ts';
import { violations } from '../rest/contract.ts';
import { every } from '../rest/requests.ts';
import { at } from '../schema/ask.ts';

let commands: CommandService;
let owner: string;
let root: string;
beforeAll(async () => {
  commands = await commandService();
  const { service } = commands;
  owner = await service.token({ scopes: ['maker-accounts', 'vehicles'] });
  const listed = await (await service.get('/api/account/maker-accounts', owner)).json();
  root = `/api/account/maker-accounts/${at(listed, 'response.0.id')}/budget`;
});
beforeEach(async () => {
  await commands.ready();
  const where = { category: { not: 'DATA' } } as const;
  await commands.service.prisma.makerSpend.deleteMany({ where });
  await commands.service.prisma.vehicleSpend.deleteMany({ where });
  await commands.service.prisma.vehicle.updateMany({ data: { budget: null } });
  await patch({ limit: null, data_limit: null, command_limit: null, wake_limit: null });
});
afterAll(() => commands?.[Symbol.asyncDispose]());

const pathOf = (route: string) => new RegExp(`^${route.replace(/:[a-z_]+/g, '[^/]+')}$`);

/** What the service says, which is as the contract promises. */
async function told(method: string, path: string, token: string, body?: object) {
  const answer = await fetch(commands.service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const [target = ''] = path.split('?');
  const own = every.find(({ route }) => route.method === method && pathOf(route.path).test(target));
  if (own === undefined) throw new Error(`No route for ${path}.`);
  expect([path, await violations(own, answer.clone())]).toEqual([path, []]);
  const json: unknown = await answer.json();
  return { status: answer.status, headers: answer.headers, json, response: at(json, 'response') };
}

const patch = (body: object) => told('PATCH', root, owner, body);
const budget = async () => (await told('GET', root, owner)).response;
const post = (path: string, body: object = {}) =>
  told('POST', `/api/vehicle/${commands.publicId}/${path}`, commands.token, body);
const ledgerRows = () => commands.service.prisma.command.count();

describe('a command without budget', () => {
  it('is refused with 402 over REST, before anything is written or sent', async () => {
    await patch({ command_limit: 0 });
    const [rows, calls] = [await ledgerRows(), commands.simulator.calls.command];
    const { status, json } = await post('command/flash_lights');
    expect([status, json]).toMatchObject([402, { error: 'budget_exhausted', response: null }]);
    expect(at(json, 'error_description')).toContain('used up until');
    expect([await ledgerRows(), commands.simulator.calls.command]).toEqual([rows, calls]);
  });

  it('is refused over GraphQL', async () => {
    await patch({ command_limit: 0 });
    const { command, errors } = await commands.send('flashLights');
    expect(command).toBeFalsy();
    expect(at(errors, '0.extensions.code')).toBe('BUDGET_EXHAUSTED');
  });

  it('is refused over the pass-through, in the maker’s shape', async () => {
    await patch({ command_limit: 0 });
    const { status, json } = await post('fleet/command/flash_lights');
    expect([status, json]).toMatchObject([402, { response: null, error: 'budget_exhausted' }]);
  });

  it('is sent where it overrides the budget, on every surface', async () => {
    await patch({ limit: 0 });
    const before = commands.simulator.calls.command;
    expect((await post('command/flash_lights?override_budget=true')).status).toBe(200);
    expect((await post('fleet/command/flash_lights?override_budget=true')).status).toBe(200);
    const { command } = await commands.send('flashLights', { overrideBudget: true });
    expect(command).toMatchObject({ state: 'SUCCEEDED' });
    expect(commands.simulator.calls.command - before).toBe(3);
    expect(await budget()).toMatchObject({ commands: 3, limit: '0.00', exhausted: true });
  });

  it('is refused where the vehicle has none of its own, and says whose it is', async () => {
    const vehicle = `/api/vehicle/${commands.publicId}`;
    const both = await commands.service.token({ scopes: ['vehicles', 'controls'] });
    const set = (budget: string | null) => told('PATCH', vehicle, both, { settings: { budget } });
    await commands.send('flashLights');
    expect((await set('0.00')).response).toMatchObject({ settings: { budget: '0.00' } });
    const { status, json } = await post('command/flash_lights');
    expect([status, json]).toMatchObject([402, { error: 'budget_exhausted' }]);
    expect(at(json, 'error_description')).toContain('budget of the vehicle');
    expect((await post('command/flash_lights?override_budget=true')).status).toBe(200);
    const own = (await told('GET', `${vehicle}/budget`, owner)).response;
    expect(own).toMatchObject({ limit: '0.00', remaining: '0.00', exhausted: true });
    const usage = { commands: 2, limit: '0.00', exhausted: true };
    const ofVehicle = { public_id: commands.publicId, usage: expect.objectContaining(usage) };
    expect(at(await budget(), 'vehicles')).toContainEqual(ofVehicle);
    expect((await set('1.50')).response).toMatchObject({ settings: { budget: '1.50' } });
    const sent = await post('command/flash_lights');
    expect(sent.status).toBe(200);
    expect(Number(sent.headers.get('x-upstream-budget-remaining'))).toBeLessThanOrEqual(1.5);
    expect((await set(null)).response).toMatchObject({ settings: { budget: null } });
  });

  it('wakes nothing: a sleeping vehicle makes it REJECTED where only wakes are used up', async () => {
    await patch({ wake_limit: 0 });
    Object.assign(commands.car.state, { awake: false, wakeAtMs: null });
    const wakes = commands.simulator.calls.wake;
    const { command } = await commands.send('flashLights');
    expect(command).toMatchObject({ state: 'REJECTED', failure: { code: 'budget_exhausted' } });
    expect(statesOf(command)).toEqual(['QUEUED', 'REJECTED']);
    expect((await post('wake')).status).toBe(402);
    expect(commands.simulator.calls.wake).toBe(wakes);
    const woken = await commands.send('flashLights', { overrideBudget: true });
    expect(woken.command).toMatchObject({ state: 'SUCCEEDED', wakeUsed: true });
  });

  it('is refused again with its idempotency key, and sent with it once there is budget', async () => {
    await patch({ command_limit: 0 });
    const key = { idempotencyKey: 'budget-1' };
    expect((await commands.send('flashLights', key)).command).toBeFalsy();
    await patch({ command_limit: null });
    const { command, replayed } = await commands.send('flashLights', key);
    expect([command, replayed]).toMatchObject([{ state: 'SUCCEEDED' }, false]);
  });

  it('is not verified where no call for data is left, and says so', async () => {
    await patch({ data_limit: 0 });
    const { command } = await commands.send('setChargeLimit', { percent: 61 });
    expect(command).toMatchObject({ state: 'SUCCEEDED', verified: false });
  });
});

describe('the cost of a command', () => {
  it('is told with it, in the headers, and in the account', async () => {
    await patch({ limit: '5.00' });
    Object.assign(commands.car.state, { awake: false, wakeAtMs: null });
    const { status, headers, response } = await post('command/set_charge_limit', { percent: 66 });
    expect(status).toBe(200);
    const cost = at(response, 'cost');
    expect(cost).toMatchObject([
      { category: 'COMMAND', units: 1, estimated: '0.001', currency: 'USD' },
      { category: 'WAKE', units: 1, estimated: '0.02' },
      { category: 'DATA' },
    ]);
    const data = Number(at(cost, '2.units'));
    expect(data).toBeGreaterThanOrEqual(1);
    expect(headers.get('x-upstream-cost')).toBe(`command=1, wake=1, data=${data}`);
    const left = Number(headers.get('x-upstream-budget-remaining'));
    const now = await budget();
    expect(now).toMatchObject({ commands: 1, wakes: 1, limit: '5.00', currency: 'USD' });
    expect(Number(at(now, 'remaining'))).toBeCloseTo(left, 1);
    expect(left).toBeLessThan(5);
  });

  it('is nothing for one that was never sent', async () => {
    Object.assign(commands.car.state, { awake: false, wakeAtMs: null });
    const { headers, response } = await post('command/lock?wake=false');
    expect(at(response, 'cost')).toEqual([]);
    expect(headers.get('x-upstream-cost')).toBe('0');
    expect(headers.get('x-upstream-budget-remaining'), 'as the garage').toBe('unlimited');
  });

  it('is told over the pass-through too', async () => {
    const { headers } = await post('fleet/command/flash_lights');
    expect(headers.get('x-upstream-cost')).toBe('command=1');
  });
});

describe('the budget of a maker account', () => {
  it('is read and set over REST, and over GraphQL', async () => {
    expect((await patch({ limit: '12.50', wake_limit: 20 })).response).toMatchObject({
      limit: '12.50',
      wake_limit: 20,
      command_limit: null,
      exhausted: false,
    });
    expect((await patch({ wake_limit: null })).response).toMatchObject({
      limit: '12.50',
      wake_limit: null,
    });
    await commands.send('flashLights');
    const query = `{ makerAccounts { nodes { usage { commands limit periodStart resetsAt }
      spend { category used limit forecast resetsAt } } } }`;
    const answer = await commands.service.graphql({ query }, owner);
    const account = at(await answer.json(), 'data.makerAccounts.nodes.0');
    expect(at(account, 'usage')).toMatchObject({ commands: 1, limit: '12.50' });
    const spend = at(account, 'spend.2');
    expect(spend).toMatchObject({ category: 'COMMAND', used: 1 });
    expect(at(spend, 'forecast')).toBeGreaterThanOrEqual(1);
    expect(at(spend, 'limit')).toBeLessThanOrEqual(12_500);
    expect(at(spend, 'resetsAt')).toBe(at(account, 'usage.resetsAt'));
  });

  it.each([
    [{ limit: -1 }, 'limit'],
    [{ limit: '1.234' }, 'limit'],
    [{ limit: 'much' }, 'limit'],
    [{ wake_limit: 1.5 }, 'wake_limit'],
    [{ wake_limit: -1 }, 'wake_limit'],
    [{ spend: 3 }, 'spend'],
  ])('takes no %j', async (body, field) => {
    const { status, json } = await patch(body);
    expect(status).toBe(422);
    expect(Object.keys(Object(at(json, 'messages')))).toEqual([field]);
  });

  it('is closed to tokens without the scope, and of some vehicles, and there for nobody else', async () => {
    const { service, token } = commands;
    expect((await told('GET', root, token)).status).toBe(403);
    const some = await service.token({
      scopes: ['maker-accounts'],
      vehicleIds: [commands.publicId],
    });
    expect((await told('PATCH', root, some, { limit: 1 })).status).toBe(403);
    const { id: accountId } = await service.prisma.account.create({
      data: { id: '01980000-0000-7000-8000-0000000000aa', name: 'Somebody else' },
    });
    const other = await service.token({ scopes: ['maker-accounts'], accountId });
    expect((await told('GET', root, other)).status).toBe(404);
    expect((await told('PATCH', root, other, { limit: 1 })).status).toBe(404);
  });

  it('is audited, and tells when it is used up as soon as it is set so', async () => {
    await commands.send('flashLights');
    const { prisma } = commands.service;
    // The cars of the garage go on, and so do the events of them.
    const exhaustions = () =>
      prisma.event.count({ where: { type: 'maker_account.budget_exhausted' } });
    const before = await exhaustions();
    await patch({ limit: '0.00' });
    expect((await exhaustions()) - before).toBe(1);
    const entry = await prisma.auditEntry.findFirst({ orderBy: { position: 'desc' } });
    expect(entry).toMatchObject({ action: 'maker_account.set_budget', details: { limit: '0.00' } });
  });
});
