import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { typeIdOf, uuidOf } from '../../src/base/ids.ts';
import { at } from '../schema/ask.ts';
import { type CommandService, commandService, statesOf } from './command-service.ts';

let service: CommandService;
beforeAll(async () => {
  service = await commandService();
});
beforeEach(() => service.ready());
afterAll(() => service?.[Symbol.asyncDispose]());

describe('a command', () => {
  it('goes its way to a success that the vehicle shows', async () => {
    const { command } = await service.send('setChargeLimit', { percent: 75 });
    expect(command).toMatchObject({
      name: 'set_charge_limit',
      group: 'charging',
      parameters: { percent: 75 },
      state: 'SUCCEEDED',
      verified: true,
      noOp: false,
      attempts: 1,
      wakeUsed: false,
      via: 'GRAPHQL',
      requestedBy: { kind: 'TOKEN', name: 'test' },
      result: { makerResult: true },
      failure: null,
    });
    expect(statesOf(command)).toEqual(['QUEUED', 'SENDING', 'ACKNOWLEDGED', 'SUCCEEDED']);
    expect(service.car.state.charge.limitPct).toBe(75);
  });

  it('is watched by a subscription until its end', async () => {
    service.simulator.setWakeTime(400);
    Object.assign(service.car.state, { awake: false, wakeAtMs: null });
    const { command } = await service.send('flashLights', { waitSeconds: 0 });
    const query = 'subscription($id: ID!) { commandUpdated(id: $id) { state } }';
    const answer = await fetch(`${service.service.baseUrl}/graphql/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query, variables: { id: at(command, 'id') } }),
    });
    // The stream ends by itself after the last state.
    const states = [...(await answer.text()).matchAll(/"state":"(\w+)"/g)].map(
      ([, state]) => state,
    );
    expect(states.length).toBeGreaterThan(1);
    expect(states.at(-1)).toBe('SUCCEEDED');
  });

  it('tells places no more exactly than the reader may know them', async () => {
    const { command } = await service.send('navigate', { latitude: 47.06641, longitude: 9.50321 });
    expect(at(command, 'parameters')).toEqual({ latitude: 47.06641, longitude: 9.50321 });
    const { prisma } = service.service;
    const { publicId } = service;
    await prisma.vehicle.updateMany({
      where: { publicId },
      data: { locationPrecision: 'APPROXIMATE' },
    });
    const coarse = await service.find(at(command, 'id'));
    const { command: named } = await service.send('navigate', { address: 'Somewhere 1' });
    await prisma.vehicle.updateMany({ where: { publicId }, data: { locationPrecision: 'EXACT' } });
    expect(at(coarse, 'parameters')).toEqual({ latitude: 47.07, longitude: 9.5 });
    expect(at(named, 'parameters')).toMatchObject({ address: null });
  });

  it('leaves what it saw of the vehicle in the recorded state', async () => {
    const reader = await service.service.token({ scopes: ['vehicles'] });
    const query = `{ vehicle(publicId: "${service.publicId}") { state { charge { limitPct source } } } }`;
    let percent = 63;
    // Where the worker looked again in between, it is its word: then another command is sent.
    const seen = async () => {
      percent += 1;
      await service.send('setChargeLimit', { percent });
      const answer = await (await service.service.graphql({ query }, reader)).json();
      const limitPct = at(answer, 'data.vehicle.state.charge.limitPct');
      return [limitPct === percent, at(answer, 'data.vehicle.state.charge.source')];
    };
    await expect.poll(seen, { timeout: 20_000 }).toEqual([true, 'COMMAND']);
  });

  it('is answered at once, and goes on, where the caller does not wait', async () => {
    const { command } = await service.send('flashLights', { waitSeconds: 0 });
    expect(command).toMatchObject({ state: 'QUEUED', completedAt: null });
    await service.until(at(command, 'id'), 'SUCCEEDED');
  });

  it('is a success that changed nothing where the vehicle was already so', async () => {
    const { command } = await service.send('setChargeLimit', { percent: 70 });
    expect(command).toMatchObject({
      state: 'SUCCEEDED',
      noOp: true,
      result: { makerReason: 'already_set' },
    });
  });

  it('wakes a sleeping vehicle, once for all that wait', async () => {
    service.car.state.awake = false;
    const before = service.simulator.calls.wake;
    const sent = await Promise.all(
      ['lock', 'flashLights', 'honkHorn'].map((name) => service.send(name)),
    );
    for (const { command } of sent) expect(command).toMatchObject({ state: 'SUCCEEDED' });
    expect(service.simulator.calls.wake - before).toBe(1);
    expect(sent.filter(({ command }) => at(command, 'wakeUsed') === true)).toHaveLength(1);
  });

  it('that is to wake succeeds where the vehicle woke, and changes nothing where it was awake', async () => {
    expect((await service.send('wake')).command).toMatchObject({ state: 'SUCCEEDED', noOp: true });
    service.car.state.awake = false;
    const { command } = await service.send('wake');
    expect(command).toMatchObject({ state: 'SUCCEEDED', noOp: false, wakeUsed: true });
    expect(statesOf(command)).toEqual(['QUEUED', 'WAKING', 'SUCCEEDED']);
  });

  it('is rejected where the vehicle sleeps and may not be woken', async () => {
    service.car.state.awake = false;
    const { command } = await service.send('lock', { wake: false });
    expect(command).toMatchObject({
      state: 'REJECTED',
      attempts: 0,
      failure: { code: 'vehicle_unavailable' },
    });
  });

  it('keeps PINs out of the ledger, the events and the log', async () => {
    const { command } = await service.send('setPinToDrive', { on: true, pin: '7351' });
    expect(command).toMatchObject({
      state: 'SUCCEEDED',
      parameters: { on: true, pin: '[redacted]' },
    });
    expect(service.car.state.remote.pinToDrive).toEqual({ on: true, pin: '7351' });
    const { prisma, logLines } = service.service;
    const rows = [
      await prisma.command.findMany(),
      await prisma.event.findMany({ where: { type: 'command.updated' } }),
      await prisma.auditEntry.findMany(),
    ];
    const written = JSON.stringify(rows, (_key, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    expect(written + logLines.join()).not.toContain('7351');
  });

  it('writes an event for every step, in the order of its life', async () => {
    const { command } = await service.send('lock');
    const events = await service.service.prisma.event.findMany({
      where: { type: 'command.updated' },
      orderBy: { position: 'asc' },
    });
    const own = events
      .map(({ data }) => data)
      .filter((data) => at(data, 'commandId') === uuidOf('Command', String(at(command, 'id'))));
    expect(own.map((data) => at(data, 'state'))).toEqual([
      'QUEUED',
      'SENDING',
      'ACKNOWLEDGED',
      'SUCCEEDED',
    ]);
  });
});

describe('before anything is sent', () => {
  it('a vehicle’s settings are heard', async () => {
    const { prisma } = service.service;
    const before = service.simulator.calls.command;
    const where = { publicId: service.publicId };
    await prisma.vehicle.updateMany({ where, data: { allowUnlock: false } });
    const unlock = await service.send('unlock');
    await prisma.vehicle.updateMany({ where, data: { allowControls: false } });
    const flash = await service.send('flashLights');
    for (const { command } of [unlock, flash]) {
      expect(command).toMatchObject({ state: 'REJECTED', failure: { code: 'setting_forbids' } });
      expect(statesOf(command)).toEqual(['REJECTED']);
    }
    expect(service.simulator.calls.command).toBe(before);
  });

  it('what the vehicle lacks is known', async () => {
    const where = { publicId: service.publicId };
    await service.service.prisma.vehicle.updateMany({ where, data: { capabilities: ['SENTRY'] } });
    const { command } = await service.send('sunroof', { action: 'VENT' });
    expect(command).toMatchObject({
      state: 'REJECTED',
      failure: { code: 'unsupported_by_vehicle' },
    });
  });

  it('parameters are checked, and nothing is kept of a request that is wrong', async () => {
    const { prisma } = service.service;
    const before = await prisma.command.count();
    const { errors } = await service.send('setChargeLimit', { percent: 20 });
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', fields: { percent: [expect.any(String)] } } },
    ]);
    const other = await service.send('sendCommand', { name: 'self_destruct' });
    expect(other.errors).toMatchObject([{ extensions: { code: 'INVALID_COMMAND' } }]);
    const foreign = await service.send('lock', { publicId: 'somebody-elses' });
    expect(foreign.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(await prisma.command.count()).toBe(before);
  });
});

describe('under a fault of the maker', () => {
  it('a vehicle that never wakes makes the command time out, unsent, and those behind it too', async () => {
    service.car.state.awake = false;
    service.simulator.setWakeTime('never');
    const before = service.simulator.calls.command;
    const sent = await Promise.all([service.send('lock'), service.send('flashLights')]);
    for (const { command } of sent) {
      expect(command).toMatchObject({
        state: 'TIMED_OUT',
        attempts: 0,
        failure: { code: 'vehicle_unavailable', retryable: true },
      });
    }
    expect(service.simulator.calls.command).toBe(before);
  });

  it('a refusal is a failure with the vehicle’s own reason', async () => {
    service.simulator.fault({ kind: 'refused', reason: 'user_present', times: 1 });
    const { command } = await service.send('lock');
    expect(command).toMatchObject({
      state: 'FAILED',
      attempts: 1,
      failure: { code: 'precondition_failed', makerReason: 'user_present', retryable: false },
    });
  });

  it('a limit is waited for where there is time, and told where there is none', async () => {
    service.simulator.fault({ kind: 'rate_limited', on: ['command'], retryAfterS: 1, times: 1 });
    expect((await service.send('lock')).command).toMatchObject({ state: 'SUCCEEDED', attempts: 2 });
    // To another vehicle, which is then left alone for as long.
    const publicId = service.otherPublicId;
    service.simulator.fault({ kind: 'rate_limited', on: ['command'], retryAfterS: 500 });
    const { command } = await service.send('lock', { publicId });
    expect(command).toMatchObject({
      state: 'FAILED',
      attempts: 1,
      failure: { code: 'maker_rate_limited', retryable: true },
    });
    service.simulator.clearFaults();
    const sent = service.simulator.calls.command;
    const { command: next } = await service.send('lock', { publicId });
    expect(next).toMatchObject({ state: 'REJECTED', failure: { code: 'maker_rate_limited' } });
    expect(service.simulator.calls.command, 'and nothing is sent before that').toBe(sent);
  });

  it('a vehicle that wants signatures says what to set up', async () => {
    service.simulator.fault({ kind: 'protocol_required' });
    const { command } = await service.send('lock');
    expect(command).toMatchObject({
      state: 'FAILED',
      failure: {
        code: 'precondition_failed',
        message: expect.stringContaining('ODOGRAPH_COMMAND_PROXY_URL'),
      },
    });
    const vehicle = await service.service.prisma.vehicle.findUniqueOrThrow({
      where: { publicId: service.publicId },
    });
    expect(vehicle.commandProtocolRequired).toBe(true);
  });

  it('a token that ended is renewed, and the command sent again', async () => {
    service.simulator.fault({ kind: 'token_expired', on: ['command'], times: 1 });
    expect((await service.send('lock')).command).toMatchObject({ state: 'SUCCEEDED', attempts: 2 });
  });

  it('what cannot be repeated and got no answer is unknown, and was sent once', async () => {
    service.simulator.fault({ kind: 'closed', on: ['command'] });
    const before = service.car.state.remote.honks;
    const { command } = await service.send('honkHorn');
    expect(command).toMatchObject({
      state: 'UNKNOWN',
      attempts: 1,
      failure: { code: 'maker_timeout', retryable: false },
    });
    expect(service.car.state.remote.honks - before).toBe(1);
  });

  it('what got no answer is read from the vehicle’s state before it is sent again', async () => {
    service.car.state.locked = false;
    service.simulator.fault({ kind: 'hang', on: ['command'], times: 1 });
    const { command } = await service.send('lock');
    expect(command).toMatchObject({ state: 'SUCCEEDED', verified: true, attempts: 1 });
  });

  it('what surely did not happen is sent again where that is harmless', async () => {
    service.car.state.locked = false;
    service.simulator.fault({ kind: 'upstream_error', on: ['command'], times: 1 });
    expect((await service.send('lock')).command).toMatchObject({ state: 'SUCCEEDED', attempts: 2 });
  });

  it('a yes that the vehicle does not show is a failure, and one that cannot be checked a success', async () => {
    service.simulator.fault({ kind: 'unavailable', on: ['data'] });
    expect((await service.send('setSentryMode', { on: true })).command).toMatchObject({
      state: 'SUCCEEDED',
      verified: false,
    });
    service.simulator.clearFaults();
    service.simulator.fault({ kind: 'refused', reason: 'already_set', times: 1 });
    expect((await service.send('setSentryMode', { on: false })).command).toMatchObject({
      state: 'SUCCEEDED',
      noOp: true,
    });
  });
});

describe('the order of things', () => {
  it('a later wish of the same group takes the earlier one back before it is sent', async () => {
    service.car.state.awake = false;
    service.simulator.setWakeTime(1_500);
    const first = await service.send('flashLights', { waitSeconds: 0 });
    const older = await service.send('setChargeLimit', { percent: 60, waitSeconds: 0 });
    const newer = await service.send('setChargeLimit', { percent: 66 });
    expect(newer.command).toMatchObject({ state: 'SUCCEEDED' });
    expect(await service.find(at(older.command, 'id'))).toMatchObject({
      state: 'CANCELLED',
      attempts: 0,
    });
    expect(await service.find(at(first.command, 'id'))).toMatchObject({ state: 'SUCCEEDED' });
    expect(service.car.state.charge.limitPct).toBe(66);
  });

  it('is taken back while it waits or the vehicle wakes, and not after', async () => {
    const cancel = async (id: unknown) => {
      const query = 'mutation($id: ID!) { cancelCommand(id: $id) { command { state } } }';
      const body: unknown = await (
        await service.service.graphql({ query, variables: { id } }, service.token)
      ).json();
      return [at(body, 'data.cancelCommand.command.state'), at(body, 'errors.0.extensions.code')];
    };
    service.car.state.awake = false;
    service.simulator.setWakeTime('never');
    const { command } = await service.send('honkHorn', { waitSeconds: 0 });
    await service.until(at(command, 'id'), 'WAKING');
    expect(await cancel(at(command, 'id'))).toEqual(['CANCELLED', undefined]);
    expect(await cancel(at(command, 'id'))).toEqual(['CANCELLED', undefined]);
    await service.ready();
    const done = await service.send('flashLights');
    expect(await cancel(at(done.command, 'id'))).toEqual([undefined, 'PRECONDITION_FAILED']);
    expect(await cancel(typeIdOf('Command', '018f2f4e-0000-7000-8000-000000000000'))).toEqual([
      undefined,
      'NOT_FOUND',
    ]);
  });
});

it('is read before it is sent again unanswered, also where nothing was to be confirmed', async () => {
  service.car.state.locked = false;
  service.simulator.fault({ kind: 'closed', on: ['command'], times: 1 });
  const { command } = await service.send('lock', { confirm: 'NONE' });
  expect(command).toMatchObject({ state: 'SUCCEEDED', attempts: 1, confirm: 'NONE' });
});

describe('an idempotency key', () => {
  it('gives the first command again, also when it failed', async () => {
    service.simulator.fault({ kind: 'refused', reason: 'user_present', times: 1 });
    const first = await service.send('lock', { idempotencyKey: 'a' });
    const again = await service.send('lock', { idempotencyKey: 'a' });
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(at(again.command, 'id')).toBe(at(first.command, 'id'));
    expect(again.command).toMatchObject({ state: 'FAILED', idempotencyKey: 'a' });
  });

  it('is refused for another request, and while the first is under way', async () => {
    await service.send('setChargeLimit', { percent: 61, idempotencyKey: 'b' });
    const other = await service.send('setChargeLimit', { percent: 62, idempotencyKey: 'b' });
    expect(other.errors).toMatchObject([{ extensions: { code: 'IDEMPOTENCY_KEY_REUSED' } }]);
    const sooner = { percent: 61, idempotencyKey: 'b', deadlineSeconds: 30 };
    const { errors } = await service.send('setChargeLimit', sooner);
    expect(errors).toMatchObject([{ extensions: { code: 'IDEMPOTENCY_KEY_REUSED' } }]);
    service.simulator.fault({ kind: 'slow', on: ['command'], delayMs: 400, times: 1 });
    const slow = await service.send('flashLights', { waitSeconds: 0, idempotencyKey: 'c' });
    const early = await service.send('flashLights', { idempotencyKey: 'c' });
    expect(early.errors).toMatchObject([{ extensions: { code: 'IDEMPOTENCY_IN_FLIGHT' } }]);
    await service.until(at(slow.command, 'id'), 'SUCCEEDED');
  });

  it('makes a storm of 200 requests with 20 keys 20 commands', async () => {
    const before = service.car.state.remote.flashes;
    const keys = Array.from({ length: 20 }, (_, index) => `storm-${index}`);
    // Two hundred at once may also be more than a busy machine takes.
    const comesAgain = ['IDEMPOTENCY_IN_FLIGHT', 'SERVICE_UNAVAILABLE'];
    const ids = await Promise.all(
      keys.map(async (idempotencyKey) => {
        const send = () => service.send('flashLights', { idempotencyKey });
        const found = new Set<unknown>();
        for (let waiting = 10; waiting > 0; ) {
          const answers = await Promise.all(Array.from({ length: waiting }, send));
          const refused = answers.filter(({ errors }) => errors !== undefined);
          for (const { errors } of refused) {
            expect(comesAgain).toContain(at(errors, '0.extensions.code'));
          }
          for (const { command } of answers) if (command) found.add(at(command, 'id'));
          for (const id of found) await service.until(id, 'SUCCEEDED');
          waiting = refused.length;
        }
        return [...found];
      }),
    );
    expect(ids.map(({ length }) => length)).toEqual(keys.map(() => 1));
    expect(new Set(ids.flat()).size).toBe(20);
    expect(service.car.state.remote.flashes - before).toBe(20);
  });
});
