import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandDesk } from '../../src/actions/command-desk.ts';
import type { CommandLimits } from '../../src/actions/command-limits.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { newUuid } from '../../src/base/ids.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/base/units.ts';
import { quotasLeft } from '../../src/schema/command-quotas.ts';
import { aContext, aPrincipal } from '../support/rows.ts';
import { openYard, send, type Yard } from './desks.ts';

let yard: Yard;
beforeAll(async () => {
  yard = await openYard('embedded');
});
beforeEach(async () => {
  await yard.ready();
  await yard.prisma.command.deleteMany();
});
afterAll(() => yard?.[Symbol.asyncDispose]());

const deskWith = (limits: Partial<CommandLimits>) => yard.desk({ alone: true, limits });
const flash = (desk: CommandDesk, asked: object = {}) =>
  send(desk, yard.vehicle, 'flash_lights', { waitSeconds: 0, ...asked });
/** The seconds after which a refused command may be asked for again. */
const refusedFor = async (sent: Promise<unknown>) => {
  const error = await sent.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ code: 'rate_limited', status: 429 });
  return error instanceof ServiceError ? error.retryAfterS : null;
};

describe('commands of a minute', () => {
  it('are limited for each token, and leave no row beyond', async () => {
    const desk = deskWith({ tokenPerMinute: 2 });
    const credentialId = newUuid();
    for (let count = 0; count < 2; count += 1) await flash(desk, { credentialId });
    const retryAfterS = await refusedFor(flash(desk, { credentialId }));
    expect(retryAfterS).toBeGreaterThan(0);
    expect(retryAfterS).toBeLessThanOrEqual(60);
    expect(await yard.prisma.command.count()).toBe(2);
    await flash(desk);
  });

  it('are limited for each vehicle, whoever sends them', async () => {
    const desk = deskWith({ vehiclePerMinute: 2 });
    for (let count = 0; count < 2; count += 1) await flash(desk);
    await refusedFor(flash(desk));
  });

  it('cost nothing where they are wrong, replayed or refused for their key', async () => {
    const desk = deskWith({ tokenPerMinute: 2 });
    const credentialId = newUuid();
    const sent = await flash(desk, { credentialId, key: 'k', waitSeconds: 20 });
    expect(sent.state).toBe('SUCCEEDED');
    for (let count = 0; count < 3; count += 1) {
      expect(await flash(desk, { credentialId, key: 'k' })).toMatchObject({ id: sent.id });
      const wrong = send(desk, yard.vehicle, 'flash_lights', { credentialId, waitSeconds: 61 });
      await expect(wrong).rejects.toMatchObject({ code: 'validation_failed' });
      const reused = flash(desk, { credentialId, key: 'k', wake: false });
      await expect(reused).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    }
    await flash(desk, { credentialId });
    await refusedFor(flash(desk, { credentialId }));
    expect(await flash(desk, { credentialId, key: 'k' })).toMatchObject({ id: sent.id });
  });

  it('are counted over processes and restarts, also where they are sent at once', async () => {
    const desks = [1, 2].map(() => deskWith({ tokenPerMinute: 3 }));
    const credentialId = newUuid();
    const sent = await Promise.allSettled(
      [...desks, ...desks, ...desks].map((desk) => flash(desk, { credentialId })),
    );
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await yard.prisma.command.count()).toBe(3);
    await refusedFor(flash(deskWith({ tokenPerMinute: 3 }), { credentialId }));
  });

  it('are taken again a minute later, and those of a clock that was wrong do not count', async () => {
    const desk = deskWith({ vehiclePerMinute: 1 });
    const { id } = await flash(desk);
    const { id: later } = await flash(deskWith({ vehiclePerMinute: 2 }));
    const move = (which: string, byMs: number) =>
      yard.prisma.command.update({
        where: { id: which },
        data: { createdAt: new Date(Date.now() + byMs) },
      });
    await move(id, -61 * SECOND_MS);
    await move(later, HOUR_MS);
    await flash(desk);
    expect(await refusedFor(flash(desk))).toBeGreaterThan(50);
  });

  it('are told by an answer where they can be read, and leave it alone where not', async () => {
    const { accountId } = yard.vehicle;
    const account = await yard.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    const desk = deskWith({ tokenPerMinute: 7 });
    const told = (prisma: typeof yard.prisma) =>
      quotasLeft(aContext(prisma, aPrincipal(account), { desk }));
    expect(await told(yard.prisma)).toMatchObject([{ name: 'token', quota: 7, remaining: 7 }]);
    const away = new Proxy(yard.prisma, {
      get: (target, name) =>
        name === '$queryRaw'
          ? () => Promise.reject(new Error('The database is away.'))
          : Reflect.get(target, name),
    });
    expect(await told(away)).toEqual([]);
  });

  it('that no database took cost nothing', async () => {
    const desk = deskWith({ tokenPerMinute: 1 });
    const credentialId = newUuid();
    const gone = { ...yard.vehicle, accountId: newUuid() };
    await expect(
      send(desk, gone, 'flash_lights', { credentialId, waitSeconds: 0 }),
    ).rejects.toThrow();
    await flash(desk, { credentialId });
  });

  it('may wait for one vehicle up to a number', async () => {
    const desk = deskWith({ waiting: 2 });
    yard.car.state.awake = false;
    yard.maker.setWakeTime('never');
    for (let count = 0; count < 2; count += 1) await flash(desk);
    expect(await refusedFor(flash(desk))).toBe(10);
  });
});

describe('wakes of a vehicle', () => {
  const asleep = () => {
    Object.assign(yard.car.state, { awake: false, wakeAtMs: null });
  };
  const limited = { state: 'REJECTED', failureCode: 'rate_limited', retryable: true, attempts: 0 };
  const wakes = () => yard.prisma.commandTransition.count({ where: { wake: true } });

  it('are limited in a minute: the next command says when it may', async () => {
    const desk = deskWith({ wakes: { perMinute: 1, perDay: 100 } });
    asleep();
    expect(await flash(desk, { waitSeconds: 20 })).toMatchObject({ state: 'SUCCEEDED' });
    asleep();
    const before = yard.maker.calls.wake;
    const next = await flash(desk, { waitSeconds: 20, deadlineSeconds: 20 });
    expect(next).toMatchObject({ ...limited, wakeUsed: false });
    const inMs = (next.retryAt?.getTime() ?? 0) - Date.now();
    expect(inMs).toBeGreaterThan(30 * SECOND_MS);
    expect(inMs).toBeLessThanOrEqual(60 * SECOND_MS);
    expect(yard.maker.calls.wake).toBe(before);
  });

  it('are limited in a day by the ledger, also after a restart', async () => {
    const limits = { wakes: { perMinute: 100, perDay: 2 } };
    const first = deskWith(limits);
    for (let count = 0; count < 2; count += 1) {
      asleep();
      expect(await flash(first, { waitSeconds: 20 })).toMatchObject({ wakeUsed: true });
    }
    await first.close();
    await yard.prisma.commandTransition.updateMany({
      where: { wake: true },
      data: { at: new Date(Date.now() - 23 * HOUR_MS) },
    });
    asleep();
    const next = await flash(deskWith(limits), { waitSeconds: 20 });
    expect(next).toMatchObject(limited);
    const freeMs = Date.now() + DAY_MS - 23 * HOUR_MS;
    expect(Math.abs((next.retryAt?.getTime() ?? 0) - freeMs)).toBeLessThan(10 * SECOND_MS);
  });

  it('are counted too where the vehicle fell asleep on the way', async () => {
    const desk = deskWith({ wakes: { perMinute: 1, perDay: 100 } });
    // The list says nothing, so that the command finds out by itself.
    const unseen = () => {
      asleep();
      yard.maker.fault({ kind: 'unavailable', on: ['item'], times: 1 });
    };
    unseen();
    expect(await flash(desk, { waitSeconds: 20 })).toMatchObject({
      state: 'SUCCEEDED',
      attempts: 2,
      wakeUsed: true,
    });
    expect(await wakes()).toBe(1);
    unseen();
    expect(await flash(desk, { waitSeconds: 20, deadlineSeconds: 20 })).toMatchObject({
      state: 'FAILED',
      failureCode: 'vehicle_unavailable',
      attempts: 1,
    });
    expect(await wakes()).toBe(1);
  });

  it('that a command’s own deadline cuts short end no other command', async () => {
    const desk = yard.desk({ alone: true, pace: { wakeLimit: 20_000 } });
    asleep();
    yard.maker.setWakeTime(6_000);
    const short = await flash(desk, { deadlineSeconds: 5 });
    const patient = send(desk, yard.vehicle, 'lock', { waitSeconds: 20 });
    expect(await patient).toMatchObject({ state: 'SUCCEEDED' });
    expect(await yard.find(short.id)).toMatchObject({ state: 'TIMED_OUT', attempts: 0 });
  });

  it('that the maker limits twice say so, and end no other command', async () => {
    const desk = deskWith({});
    asleep();
    yard.maker.fault({ kind: 'rate_limited', on: ['wake'], retryAfterS: 1, times: 2 });
    const limitedOne = await flash(desk);
    const behind = send(desk, yard.vehicle, 'lock', { waitSeconds: 20 });
    expect(await behind).toMatchObject({ state: 'SUCCEEDED' });
    expect(await yard.find(limitedOne.id)).toMatchObject({
      state: 'REJECTED',
      failureCode: 'maker_rate_limited',
      attempts: 0,
    });
  });
});
