import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { at } from '../schema/ask.ts';
import { anAccount, aVehicle } from '../support/rows.ts';
import { happen } from './following.ts';
import { type LiveService, startLive } from './live-service.ts';
import { openSocket, openWith } from './raw-socket.ts';

let live: LiveService;
let account: Account;
let vehicle: Vehicle;
let token = '';
beforeAll(async () => {
  live = await startLive({ initMs: 150, pingMs: 100, subscriptions: 3 });
});
afterAll(() => live[Symbol.asyncDispose]());
beforeEach(async () => {
  account = await anAccount(live.db.prisma);
  vehicle = await aVehicle(live.db.prisma, account);
  token = await live.token(account.id, ['vehicles']);
});

const vehicleUpdated = 'subscription { vehicleUpdated { publicId name } }';
const subscribe = (id: string, query = vehicleUpdated, variables = {}) => ({
  id,
  type: 'subscribe',
  payload: { query, variables },
});

describe('a socket is closed with', () => {
  it('4400 for a message that is none of the protocol', async () => {
    for (const text of ['not json', '{"type":"dance"}', '{"id":"1","type":"subscribe"}']) {
      const socket = await openWith(live.wsUrl, token);
      socket.sendText(text);
      expect((await socket.closed).code).toBe(4400);
    }
  });

  it('4401 for an operation before it was acknowledged', async () => {
    const socket = await openSocket(live.wsUrl);
    socket.send(subscribe('1'));
    expect((await socket.closed).code).toBe(4401);
  });

  it('4403 and the reason for a token that is not good', async () => {
    const tokens = ['Bearer odo_pat_nothing', 'Basic abc', `Bearer odo_pat_${'a'.repeat(40)}`];
    for (const authorization of tokens) {
      const socket = await openSocket(live.wsUrl);
      socket.send({ type: 'connection_init', payload: { authorization } });
      const { code, reason } = await socket.closed;
      expect([code, reason.length > 10]).toEqual([4403, true]);
      expect(reason).not.toContain('odo_pat');
    }
  });

  it('4406 without the protocol', async () => {
    const socket = await openSocket(live.wsUrl, { protocol: null });
    expect((await socket.closed).code).toBe(4406);
  });

  it('4408 when it is not initialised in time', async () => {
    const socket = await openSocket(live.wsUrl);
    expect((await socket.closed).code).toBe(4408);
  });

  it('4409 for an id that is in use', async () => {
    const socket = await openWith(live.wsUrl, token);
    socket.send(subscribe('1'));
    await socket.message();
    socket.send(subscribe('1'));
    expect((await socket.closed).code).toBe(4409);
  });

  it('4429 for a second initialisation', async () => {
    const socket = await openWith(live.wsUrl, token);
    socket.send({ type: 'connection_init' });
    expect((await socket.closed).code).toBe(4429);
  });

  it('4429 for a sixth connection with one token, until another one closes', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => openWith(live.wsUrl, token)));
    const sixth = await openSocket(live.wsUrl);
    sixth.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
    expect((await sixth.closed).code).toBe(4429);
    const [first] = five;
    first?.socket.close();
    await first?.closed;
    const next = await openWith(live.wsUrl, token);
    for (const each of [...five, next]) each.terminate();
  });

  it('1009 for a message over 64 KiB', async () => {
    const socket = await openWith(live.wsUrl, token);
    socket.sendText(JSON.stringify(subscribe('1', `# ${'a'.repeat(70_000)}`)));
    expect((await socket.closed).code).toBe(1009);
  });

  it('4403 soon after its token was revoked, although nothing happens', async () => {
    const socket = await openWith(live.wsUrl, token);
    socket.send(subscribe('1'));
    await socket.message();
    await live.revoke(account.id);
    expect(await socket.closed).toEqual({ code: 4403, reason: 'The token was revoked.' });
  });

  it('4403 soon after its token has ended', async () => {
    const socket = await openWith(live.wsUrl, token);
    const expiresAt = new Date(Date.now() - 1_000);
    await live.db.prisma.token.updateMany({
      where: { accountId: account.id },
      data: { expiresAt },
    });
    expect((await socket.closed).code).toBe(4403);
  });

  it('nothing, but cut, when it does not answer pings', async () => {
    const socket = await openWith(live.wsUrl, token);
    socket.socket.pong = () => {};
    Reflect.set(socket.socket, '_autoPong', false);
    expect((await socket.closed).code).toBe(1006);
  });
});

describe('a socket', () => {
  it('is not opened at other paths', async () => {
    await expect(openSocket(live.wsUrl.replace('/graphql', '/api'))).rejects.toThrow('404');
  });

  it('takes the token of the request that opens it, but not twice, and no cookie', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const socket = await openSocket(live.wsUrl, { headers });
    socket.send({ type: 'connection_init' });
    expect((await socket.message()).type).toBe('connection_ack');
    socket.send(subscribe('1'));
    expect(at(await socket.message(), 'payload.data.vehicleUpdated.publicId')).toBe(
      vehicle.publicId,
    );
    socket.terminate();
    const twice = await openSocket(live.wsUrl, { headers });
    twice.send({ type: 'connection_init', payload: headers });
    expect((await twice.closed).code).toBe(4403);
    const cookie = await openSocket(live.wsUrl, { headers: { cookie: `token=${token}` } });
    cookie.send({ type: 'connection_init' });
    expect((await cookie.message()).type).toBe('connection_ack');
    cookie.send(subscribe('1'));
    expect(at(await cookie.message(), 'payload.0.extensions.code')).toBe('MISSING_TOKEN');
    cookie.terminate();
  });

  it('opens for every origin, because only a token counts', async () => {
    const socket = await openSocket(live.wsUrl, { headers: { origin: 'https://app.example.org' } });
    socket.send({ type: 'connection_init' });
    expect((await socket.message()).type).toBe('connection_ack');
    socket.terminate();
  });

  it('answers pings, queries and mistakes as HTTP does, and stays open', async () => {
    const socket = await openWith(live.wsUrl, token);
    socket.send({ type: 'ping', payload: { now: 1 } });
    expect(await socket.message()).toEqual({ type: 'pong', payload: { now: 1 } });
    socket.send(subscribe('q', '{ vehicles { totalCount } }'));
    expect(await socket.message()).toEqual({
      id: 'q',
      type: 'next',
      payload: { data: { vehicles: { totalCount: 1 } } },
    });
    expect(await socket.message()).toEqual({ id: 'q', type: 'complete' });
    const mistakes: [string, string, object][] = [
      ['{ broken', 'INVALID_REQUEST', {}],
      ['{ nothing }', 'INVALID_REQUEST', {}],
      ['query A { __typename } query B { __typename }', 'INVALID_REQUEST', {}],
      [`{ ${'a '.repeat(3_000)} }`, 'INVALID_REQUEST', {}],
      [
        `{ ${Array.from({ length: 31 }, (_, i) => `a${i}: vehicles { totalCount }`).join(' ')} }`,
        'INVALID_REQUEST',
        {},
      ],
      [
        'subscription { makerAccountUpdated { id } }',
        'INSUFFICIENT_SCOPE',
        { requiredScope: 'maker-accounts' },
      ],
      ['subscription { vehicleUpdated(publicIds: ["x"]) { id } }', 'NOT_FOUND', {}],
    ];
    for (const [query, code, more] of mistakes) {
      socket.send(subscribe('m', query));
      const { type, payload } = await socket.message();
      expect([query.slice(0, 60), type]).toEqual([query.slice(0, 60), 'error']);
      const extensions = at(payload, '0.extensions');
      expect(extensions).toMatchObject({ code, ...more });
      expect(extensions).not.toHaveProperty('http');
    }
    socket.terminate();
  });

  it('takes so many operations at a time, and another when one is over', async () => {
    const socket = await openWith(live.wsUrl, token);
    for (const id of ['1', '2', '3']) {
      socket.send(subscribe(id));
      await socket.message();
    }
    socket.send(subscribe('4'));
    expect(at(await socket.message(), 'payload.0.extensions.code')).toBe('RATE_LIMITED');
    socket.send({ id: '1', type: 'complete' });
    socket.send(subscribe('5'));
    expect((await socket.message()).id).toBe('5');
    socket.terminate();
  });

  it('tells what happens, and nothing of an operation that was completed', async () => {
    const socket = await openWith(live.wsUrl, token);
    socket.send(subscribe('1'));
    socket.send(subscribe('2'));
    const first = [(await socket.message()).id, (await socket.message()).id];
    expect(first.sort()).toEqual(['1', '2']);
    socket.send({ id: '1', type: 'complete' });
    socket.send({ type: 'ping' });
    await socket.message();
    await live.db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { name: 'Bo' } });
    await happen(live.db.prisma, vehicle, { type: 'vehicle.updated' });
    expect(await socket.message()).toEqual({
      id: '2',
      type: 'next',
      payload: { data: { vehicleUpdated: { publicId: vehicle.publicId, name: 'Bo' } } },
    });
    socket.terminate();
  });

  it('needs no whole request: what is no WebSocket at all is answered and closed', async () => {
    const stream = connect(live.port, '127.0.0.1');
    stream.write('GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tea\r\n\r\n');
    const answer = await new Promise<string>((resolve) => {
      stream.once('data', (data) => resolve(String(data)));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    stream.destroy();
  });
});

describe('a socket that does not read', () => {
  it('is told the latest when it reads again, and no queue waits for it', async () => {
    await using patient = await startLive();
    const { prisma } = patient.db;
    const owner = await anAccount(prisma);
    const car = await aVehicle(prisma, owner);
    const socket = await openWith(patient.wsUrl, await patient.token(owner.id, ['vehicles']));
    // Some 400 KB an answer: what the kernel takes in is a small part of the 60 that happen.
    const names = Array.from({ length: 30 }, (_, i) => `a${i}: name`).join(' ');
    socket.send(subscribe('1', `subscription { vehicleUpdated { ${names} } }`));
    await socket.message();
    socket.socket.pause();
    const big = 'x'.repeat(13_000);
    const before = process.memoryUsage().external;
    for (let round = 0; round < 60; round += 1) {
      const data = { name: `${big}${round}` };
      await prisma.vehicle.update({ where: { id: car.id }, data });
      await happen(prisma, car, { type: 'vehicle.updated' });
    }
    expect(process.memoryUsage().external - before).toBeLessThan(15_000_000);
    socket.socket.resume();
    let told = 0;
    for (let last = ''; last !== `${big}59`; told += 1) {
      last = String(at(await socket.message(), 'payload.data.vehicleUpdated.a0'));
    }
    expect(told).toBeLessThan(50);
    socket.terminate();
  });
});

it('is closed with 1001 when the service stops, and told of no completion', async () => {
  await using stopping = await startLive();
  const owner = await anAccount(stopping.db.prisma);
  await aVehicle(stopping.db.prisma, owner);
  const socket = await openWith(stopping.wsUrl, await stopping.token(owner.id, ['vehicles']));
  socket.send(subscribe('1'));
  await socket.message();
  const more: unknown[] = [];
  socket.socket.on('message', (data) => more.push(String(data)));
  await stopping.feed.close();
  expect((await socket.closed).code).toBe(1001);
  expect(more).toEqual([]);
});
