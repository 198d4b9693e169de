import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { isInTurn } from '../../src/store/command-leases.ts';
import { keepKey, sweepKeys } from '../../src/store/idempotency.ts';
import { openYard, send, type Yard } from './desks.ts';

let yard: Yard;
beforeAll(async () => {
  yard = await openYard('embedded');
});
const desk = () => yard.desk({ alone: true });
beforeEach(() => yard.ready());
afterAll(() => yard?.[Symbol.asyncDispose]());

const ended = ({ completedAt }: { completedAt: Date | null }) => completedAt !== null;
/** The next use of the access token asks the token endpoint. */
const endToken = () =>
  yard.prisma.makerAccount.update({
    where: { id: yard.makerAccountId },
    data: { accessExpiresAt: new Date(0) },
  });

describe('while the maker’s token endpoint does not answer', () => {
  it('a command fails unsent and retryable, and the next one is carried out', async () => {
    await endToken();
    yard.maker.fault({ kind: 'token_unavailable' });
    const one = desk();
    const before = yard.maker.calls.command;
    expect(await send(one, yard.vehicle, 'honk_horn')).toMatchObject({
      state: 'FAILED',
      failureCode: 'maker_unavailable',
      retryable: true,
    });
    expect(yard.maker.calls.command).toBe(before);
    yard.maker.clearFaults();
    expect(await send(one, yard.vehicle, 'honk_horn')).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('a command ends by its deadline, however long the endpoint takes', async () => {
    await endToken();
    yard.maker.fault({ kind: 'hang', on: ['token'] });
    const sent = send(desk(), yard.vehicle, 'honk_horn', { deadlineSeconds: 5 });
    // A timer of the same process, which is as late as it on a busy machine.
    const command = await Promise.race([sent, sleep(10_000)]);
    expect(command?.completedAt).not.toBeNull();
    expect(['FAILED', 'TIMED_OUT']).toContain(command?.state);
  });

  it('nothing is sent once its lease may have ended meanwhile', async () => {
    await endToken();
    yard.maker.fault({ kind: 'slow', on: ['token'], delayMs: 500 });
    const before = yard.maker.calls.command;
    // Without looks it prolongs no lease, like a process that is stopped.
    const still = yard.desk({ pace: { lease: 200, request: 5_000 } });
    expect(await send(still, yard.vehicle, 'honk_horn')).toMatchObject({
      state: 'FAILED',
      failureCode: 'vehicle_unavailable',
      retryable: true,
    });
    expect(yard.maker.calls.command).toBe(before);
  });

  it('what was being sent when its process died is unknown, and not in the way for ever', async () => {
    await endToken();
    yard.maker.fault({ kind: 'token_unavailable' });
    const id = await yard.leave({ name: 'lock', expiresAt: new Date(Date.now() - 1_000) });
    await desk().recover();
    expect(await yard.until(id, ended)).toMatchObject({ state: 'UNKNOWN' });
  });
});

it('a command that was begun is passed by none of the same process', async () => {
  const ownerId = newUuid();
  const begun = await yard.leave({ ownerId, createdAt: new Date(0) });
  const younger = await yard.leave({ ownerId, state: 'QUEUED' });
  expect(await isInTurn(yard.prisma, younger, ownerId)).toBe(false);
  await yard.prisma.command.update({ where: { id: begun }, data: { state: 'QUEUED' } });
  expect(await isInTurn(yard.prisma, younger, ownerId)).toBe(true);
  expect(await isInTurn(yard.prisma, younger, newUuid())).toBe(false);
  await yard.prisma.command.deleteMany({ where: { id: { in: [begun, younger] } } });
});

describe('a harmless command that was being sent when its process died', () => {
  it('is sent again where the vehicle does not show it', async () => {
    yard.car.state.locked = false;
    const id = await yard.leave({ name: 'lock', attempts: 1 });
    await desk().recover();
    expect(await yard.until(id, ended)).toMatchObject({ state: 'SUCCEEDED', attempts: 2 });
    expect(yard.car.state.locked).toBe(true);
  });

  it('is not sent again where the vehicle shows it', async () => {
    yard.car.state.locked = true;
    const id = await yard.leave({ name: 'lock', attempts: 1 });
    await desk().recover();
    expect(await yard.until(id, ended)).toMatchObject({
      state: 'SUCCEEDED',
      verified: true,
      attempts: 1,
    });
  });
});

describe('a refused command that waits for its repetition', () => {
  it('is sent again after a stop, because it surely did not happen', async () => {
    yard.maker.fault({ kind: 'rate_limited', on: ['command'], retryAfterS: 30, times: 1 });
    const before = yard.car.state.remote.honks;
    const first = desk();
    const { id } = await send(first, yard.vehicle, 'honk_horn', { waitSeconds: 0 });
    await yard.until(id, ({ refused }) => refused);
    await first.close();
    expect(await yard.find(id)).toMatchObject({ state: 'SENDING', attempts: 1 });
    await desk().recover();
    expect(await yard.until(id, ended)).toMatchObject({ state: 'SUCCEEDED', attempts: 2 });
    expect(yard.car.state.remote.honks - before).toBe(1);
  });

  it('has failed, and is not unknown, where its deadline passed meanwhile', async () => {
    const id = await yard.leave({ refused: true, expiresAt: new Date(Date.now() - 1_000) });
    await desk().recover();
    expect(await yard.until(id, ended)).toMatchObject({
      state: 'FAILED',
      failureCode: 'maker_unavailable',
      retryable: true,
    });
  });
});

it('a command that was acknowledged has succeeded unverified where its vehicle is linked no more', async () => {
  const status = (word: 'ACTIVE' | 'NEEDS_REAUTH') =>
    yard.prisma.makerAccount.update({
      where: { id: yard.makerAccountId },
      data: { status: word },
    });
  await status('NEEDS_REAUTH');
  const said = await yard.leave({ name: 'lock', state: 'ACKNOWLEDGED' });
  const sent = await yard.leave({ name: 'lock', state: 'SENDING' });
  const waiting = await yard.leave({ name: 'lock', state: 'QUEUED' });
  await desk().recover();
  expect(await yard.until(said, ended)).toMatchObject({ state: 'SUCCEEDED', verified: false });
  expect(await yard.until(sent, ended)).toMatchObject({ state: 'UNKNOWN' });
  expect(await yard.until(waiting, ended)).toMatchObject({
    state: 'FAILED',
    failureCode: 'maker_unavailable',
  });
  await status('ACTIVE');
});

it('is not taken back where what belongs to that cannot be kept', async () => {
  const id = await yard.leave({ state: 'QUEUED' });
  const command = await yard.find(id);
  const failing = () => Promise.reject(new Error('The audit is full.'));
  await expect(desk().withdraw(command, 'Taken back.', failing)).rejects.toThrow('audit is full');
  expect(await yard.find(id)).toMatchObject({ state: 'QUEUED', completedAt: null });
  await yard.prisma.command.delete({ where: { id } });
});

describe('a command that fails again and again for a reason of our own', () => {
  it('is ended as it allows to say, is logged once, and holds up no other', async () => {
    const errors: object[] = [];
    const broken = yard.desk({
      alone: true,
      pace: { again: 5 },
      log: { info() {}, warn() {}, error: (facts) => errors.push(facts) },
      session: () => {
        throw new TypeError('It broke.');
      },
    });
    const said = await yard.leave({ name: 'lock', state: 'ACKNOWLEDGED', createdAt: new Date(1) });
    const sent = await yard.leave({ state: 'SENDING', createdAt: new Date(2) });
    const waiting = await yard.leave({ state: 'QUEUED', createdAt: new Date(3) });
    await broken.recover();
    expect(await yard.until(said, ended)).toMatchObject({ state: 'SUCCEEDED', verified: false });
    expect(await yard.until(sent, ended)).toMatchObject({ state: 'UNKNOWN' });
    expect(await yard.until(waiting, ended)).toMatchObject({
      state: 'FAILED',
      failureCode: 'internal_error',
    });
    expect(errors).toMatchObject([
      { err: { message: 'It broke.' } },
      { err: { message: 'It broke.' } },
      { err: { message: 'It broke.' } },
    ]);
  });
});

describe('idempotency keys', () => {
  it('that are over are swept, and used again before they are', async () => {
    const commandId = await yard.leave({ state: 'SUCCEEDED', completedAt: new Date() });
    const at = Date.now();
    const keyed = (key: string) => {
      return { credentialId: newUuid(), route: 'r', key, requestHash: 'h' };
    };
    const keep = (key: ReturnType<typeof keyed>, when: number) =>
      yard.prisma.$transaction((tx) => keepKey(tx, key, commandId, when));
    const [old, again, fresh] = [keyed('old'), keyed('again'), keyed('fresh')];
    for (const key of [old, again]) await keep(key, at - DAY_MS);
    await keep(again, at);
    await keep(fresh, at - DAY_MS + 1_000);
    expect(await sweepKeys(yard.prisma, at)).toBe(1);
    const left = await yard.prisma.idempotencyKey.findMany({ orderBy: { key: 'asc' } });
    expect(left.map(({ key }) => key)).toEqual(['again', 'fresh']);
  });
});

describe('a command that this version does not know', () => {
  it.each([
    ['QUEUED', 'FAILED'],
    ['WAKING', 'FAILED'],
    ['SENDING', 'UNKNOWN'],
  ] as const)('ends from %s as %s, with its reason', async (state, as) => {
    const id = await yard.leave({ name: 'warp_drive', state });
    await desk().recover();
    expect(await yard.until(id, ended)).toMatchObject({
      state: as,
      failureCode: 'invalid_command',
    });
  });

  it('has succeeded unverified where the maker had said yes', async () => {
    const id = await yard.leave({ name: 'warp_drive', state: 'ACKNOWLEDGED' });
    await desk().recover();
    expect(await yard.until(id, ended)).toMatchObject({ state: 'SUCCEEDED', verified: false });
  });
});
