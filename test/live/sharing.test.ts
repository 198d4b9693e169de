import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/contract/scopes.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { at } from '../schema/ask.ts';
import { aDrive, aMakerAccount, anAccount, aVehicle } from '../support/rows.ts';
import { happen } from './following.ts';
import { type LiveService, startLive } from './live-service.ts';
import { openWith, type RawSocket } from './raw-socket.ts';

let live: LiveService;
let account: Account;
let vehicle: Vehicle;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live[Symbol.asyncDispose]());
beforeEach(async () => {
  account = await anAccount(live.db.prisma);
  vehicle = await aVehicle(live.db.prisma, account);
});

const named = 'subscription { vehicleUpdated { publicId name } }';

type Asked = { id?: string; query?: string; variables?: object; operationName?: string };

/** Asks and waits for the first answer. */
async function follow(socket: RawSocket, { id = '1', ...asked }: Asked = {}): Promise<void> {
  socket.send({ id, type: 'subscribe', payload: { query: named, ...asked } });
  const first = await socket.message();
  if (first.type !== 'next') throw new Error(`Refused: ${JSON.stringify(first)}`);
}

async function rename(name: string): Promise<void> {
  await live.db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { name } });
  await happen(live.db.prisma, vehicle, { type: 'vehicle.updated' });
}

/** Rows of a table that are read while something is done, by statement. */
async function reads(table: string, done: () => Promise<unknown>): Promise<number> {
  const { statements } = live.db;
  const before = statements.length;
  await done();
  const from = new RegExp(`^SELECT .* FROM (\\S*\\.)?"${table}"`, 'is');
  return statements.slice(before).filter((sql) => from.test(sql)).length;
}

async function sockets(count: number, ...tokens: string[]): Promise<RawSocket[]> {
  return Promise.all(
    tokens.flatMap((token) => Array.from({ length: count }, () => openWith(live.wsUrl, token))),
  );
}

function end(all: readonly RawSocket[]): void {
  for (const socket of all) socket.terminate();
}

describe('equal subscriptions', () => {
  it('are executed once for an event, whoever holds them', async () => {
    const tokens = await Promise.all([1, 2, 3].map(() => live.token(account.id, ['vehicles'])));
    const all = await sockets(4, ...tokens);
    await Promise.all(all.map((socket) => follow(socket)));
    const executed = await reads('vehicle', async () => {
      const told = Promise.all(all.map((socket) => socket.message()));
      await happen(live.db.prisma, vehicle, { type: 'vehicle.updated' });
      expect(new Set((await told).map((one) => JSON.stringify(one))).size).toBe(1);
    });
    expect(executed).toBe(1);
    end(all);
  });

  it('are not those of vehicles that had a name one after the other', async () => {
    const [one, other] = await sockets(2, await live.token(account.id, ['vehicles']));
    if (one === undefined || other === undefined) throw new Error('No socket.');
    const { publicId } = vehicle;
    const query = `subscription { vehicleUpdated(publicIds: ["${publicId}"]) { publicId name } }`;
    await follow(one, { query });
    await live.db.prisma.vehicle.delete({ where: { id: vehicle.id } });
    vehicle = await aVehicle(live.db.prisma, account, { publicId });
    await follow(other, { query });
    await rename('Bo');
    const data = { vehicleUpdated: { publicId, name: 'Bo' } };
    expect(await other.message()).toMatchObject({ type: 'next', payload: { data } });
    end([one, other]);
  });

  it('are told the same under the ids that each of them chose', async () => {
    const [socket] = await sockets(1, await live.token(account.id, ['vehicles']));
    if (socket === undefined) throw new Error('No socket.');
    const ids = ['1', 'b6f7c3a2-0f4e-4c8e-9d57-6a2f0f3a1c11', 'ünï"cödé'];
    for (const id of ids) await follow(socket, { id });
    await rename('Bo');
    const data = { vehicleUpdated: { publicId: vehicle.publicId, name: 'Bo' } };
    const told = [await socket.message(), await socket.message(), await socket.message()];
    expect(told).toEqual(ids.map((id) => ({ id, type: 'next', payload: { data } })));
    end([socket]);
  });

  it.each([1, 125, 126, 65_535, 65_536, 200_000])(
    'are told answers of %d characters and more',
    async (length) => {
      const [socket] = await sockets(1, await live.token(account.id, ['vehicles']));
      if (socket === undefined) throw new Error('No socket.');
      await follow(socket);
      const name = 'é'.repeat(length);
      await rename(name);
      expect(at(await socket.message(), 'payload.data.vehicleUpdated.name')).toBe(name);
      end([socket]);
    },
  );

  it('go on for the others when one socket is cut, and one completes', async () => {
    const kept = await live.token(account.id, ['vehicles']);
    const [cut, done, stays] = await sockets(3, kept);
    if (cut === undefined || done === undefined || stays === undefined) throw new Error('Three.');
    for (const socket of [cut, done, stays]) await follow(socket);
    cut.terminate();
    done.send({ id: '1', type: 'complete' });
    done.send({ type: 'ping' });
    expect((await done.message()).type).toBe('pong');
    await rename('Bo');
    expect(at(await stays.message(), 'payload.data.vehicleUpdated.name')).toBe('Bo');
    done.send({ type: 'ping' });
    expect((await done.message()).type).toBe('pong');
    end([done, stays]);
  });

  it('close with 4403 with their token, which is told nothing more, while those of another go on', async () => {
    const tokens = await Promise.all([1, 2].map(() => live.token(account.id, ['vehicles'])));
    const all = await sockets(2, ...tokens);
    for (const socket of all) await follow(socket);
    const [revoked] = await live.db.prisma.token.findMany({ where: { accountId: account.id } });
    // As another process does it: nobody tells this one.
    const data = { revokedAt: new Date() };
    await live.db.prisma.token.update({ where: { id: revoked?.id ?? '' }, data });
    const closed = all.map((socket) => socket.closed.then(({ code }) => ({ socket, code })));
    const one = await Promise.race(closed);
    const pair = all.indexOf(one.socket) < 2 ? all.slice(0, 2) : all.slice(2);
    const others = all.filter((socket) => !pair.includes(socket));
    for (const socket of pair) expect((await socket.closed).code).toBe(4403);
    const told = others.map((socket) => socket.message());
    await rename('Bo');
    for (const message of await Promise.all(told)) {
      expect(at(message, 'payload.data.vehicleUpdated.name')).toBe('Bo');
    }
    end(others);
  });

  it('are told the present each for itself, however long the others have followed', async () => {
    const token = await live.token(account.id, ['vehicles']);
    const [early] = await sockets(1, token);
    if (early === undefined) throw new Error('No socket.');
    await follow(early);
    // A change that makes no event is in the first answer all the same.
    await live.db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { name: 'Quiet' } });
    const late = await openWith(live.wsUrl, token);
    late.send({ id: '1', type: 'subscribe', payload: { query: named } });
    expect(at(await late.message(), 'payload.data.vehicleUpdated.name')).toBe('Quiet');
    end([early, late]);
  });
});

describe('callers with different grants are never told one answer:', () => {
  it('location precision', async () => {
    await aDrive(live.db.prisma, vehicle, 2);
    const query = 'subscription { driveUpdated { start { location { latitude precision } } } }';
    const told = await Promise.all(
      (['EXACT', 'APPROXIMATE', 'HIDDEN'] as const).map(async (locationPrecision) => {
        const token = await live.token(account.id, ['vehicles'], { locationPrecision });
        const socket = await openWith(live.wsUrl, token);
        await follow(socket, { query });
        return socket;
      }),
    );
    const drive = await aDrive(live.db.prisma, vehicle, 1);
    const data = { driveId: drive.id };
    await happen(live.db.prisma, vehicle, { type: 'drive.updated', data });
    const answers = await Promise.all(told.map((socket) => socket.message()));
    expect(answers.map((one) => at(one, 'payload.data.driveUpdated.start.location'))).toEqual([
      { latitude: 52.520008, precision: 'EXACT' },
      { latitude: 52.52, precision: 'APPROXIMATE' },
      { latitude: null, precision: 'HIDDEN' },
    ]);
    end(told);
  });

  it('scopes', async () => {
    const { id: makerAccountId } = await aMakerAccount(live.db.prisma, account);
    await live.db.prisma.vehicle.update({
      where: { id: vehicle.id },
      data: { makerAccountId },
    });
    const query = 'subscription { vehicleUpdated { name makerAccount { status } } }';
    const grants: Scope[][] = [['vehicles'], ['vehicles', 'maker-accounts']];
    const told = await Promise.all(
      grants.map(async (scopes) => openWith(live.wsUrl, await live.token(account.id, scopes))),
    );
    for (const socket of told) await follow(socket, { query });
    await rename('Bo');
    const [narrow, wide] = await Promise.all(told.map((socket) => socket.message()));
    expect(at(narrow, 'payload.data.vehicleUpdated.makerAccount')).toBeNull();
    expect(at(narrow, 'payload.errors.0.extensions')).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
      requiredScope: 'maker-accounts',
    });
    expect(narrow?.payload).not.toHaveProperty('errors.0.extensions.http');
    expect(at(wide, 'payload.data.vehicleUpdated.makerAccount.status')).toBe('ACTIVE');
    expect(wide?.payload).not.toHaveProperty('errors');
    end(told);
  });

  it('vehicles, accounts and variables', async () => {
    const hidden = await aVehicle(live.db.prisma, account, { name: 'Hidden' });
    const strange = await aVehicle(live.db.prisma, await anAccount(live.db.prisma));
    const query = 'subscription ($ids: [ID!]) { vehicleUpdated(publicIds: $ids) { publicId } }';
    const wide = await live.token(account.id, ['vehicles']);
    const limited = { vehicleIds: [vehicle.id] };
    const asking: [string, object][] = [
      [await live.token(account.id, ['vehicles'], limited), {}],
      [await live.token(strange.accountId, ['vehicles']), {}],
      [wide, { ids: [vehicle.publicId] }],
      [wide, { ids: [hidden.publicId] }],
    ];
    const told = await Promise.all(
      asking.map(async ([token, variables]) => {
        const socket = await openWith(live.wsUrl, token);
        await follow(socket, { query, variables });
        return socket;
      }),
    );
    for (const one of [hidden, strange, vehicle]) {
      await happen(live.db.prisma, one, { type: 'vehicle.updated' });
    }
    const answers = await Promise.all(told.map((socket) => socket.message()));
    expect(answers.map((one) => at(one, 'payload.data.vehicleUpdated.publicId'))).toEqual([
      vehicle.publicId,
      strange.publicId,
      vehicle.publicId,
      hidden.publicId,
    ]);
    end(told);
  });

  it('operations of one document', async () => {
    const query =
      'subscription A { vehicleUpdated { name } } subscription B { vehicleUpdated { publicId } }';
    const [a, b] = await sockets(2, await live.token(account.id, ['vehicles']));
    if (a === undefined || b === undefined) throw new Error('Two.');
    await follow(a, { query, operationName: 'A' });
    await follow(b, { query, operationName: 'B' });
    await rename('Bo');
    expect(at(await a.message(), 'payload.data')).toEqual({ vehicleUpdated: { name: 'Bo' } });
    expect(at(await b.message(), 'payload.data')).toEqual({
      vehicleUpdated: { publicId: vehicle.publicId },
    });
    end([a, b]);
  });
});

it('one socket that does not read holds up nobody, and is told the latest when it reads again', async () => {
  const [slow, quick] = await sockets(2, await live.token(account.id, ['vehicles']));
  if (slow === undefined || quick === undefined) throw new Error('Two.');
  const names = Array.from({ length: 30 }, (_, i) => `a${i}: name`).join(' ');
  const query = `subscription { vehicleUpdated { ${names} } }`;
  await follow(slow, { query });
  await follow(quick, { query });
  slow.socket.pause();
  const big = 'x'.repeat(13_000);
  for (let round = 0; round < 40; round += 1) {
    await rename(`${big}${round}`);
    expect(at(await quick.message(), 'payload.data.vehicleUpdated.a29')).toBe(`${big}${round}`);
  }
  slow.socket.resume();
  let told = 0;
  for (let last = ''; last !== `${big}39`; told += 1) {
    last = String(at(await slow.message(), 'payload.data.vehicleUpdated.a0'));
  }
  expect(told).toBeLessThan(35);
  end([slow, quick]);
});
