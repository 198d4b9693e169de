import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import type { FaultKind } from '../../src/simulator/faults.ts';
import { readTokens } from '../../src/store/maker-accounts.ts';
import { vault } from '../link/linked.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { type Following, startFollowing } from './following.ts';

const NOON = Date.parse('2026-03-03T12:00:00Z');

describe('following a vehicle while the maker', () => {
  let db: ScratchDatabase;
  let one: Following;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  afterAll(() => db?.close());
  beforeEach(async () => {
    one = await startFollowing(db.prisma, { startMs: NOON });
    Object.assign(one.car.state, { awake: true, wakeAtMs: null, lastActivityMs: NOON });
    await one.look();
    expect(one.news('data'), 'an online vehicle is asked at first').toBe(1);
    one.news('item');
    one.pass(5 * MINUTE_MS);
  });

  const row = () => db.prisma.makerAccount.findUniqueOrThrow({ where: { id: one.account.id } });
  const used = async () => (await one.limits.ledger.standing(one.account.id))?.usage.DATA;
  const fault = (kind: FaultKind, more: object = {}) => one.simulator.fault({ kind, ...more });

  it('names a time to come back (429), lets that time pass and no less', async () => {
    fault('rate_limited', { on: ['data'], retryAfterS: 90 });
    expect(await one.look()).toBe(90 * SECOND_MS);
    expect(one.news('data')).toBe(1);
    one.simulator.clearFaults();
    one.pass(60 * SECOND_MS);
    expect(await one.look(), 'whoever asks sooner is held back').toBe(30 * SECOND_MS);
    expect(one.news('data')).toBe(0);
    one.pass(30 * SECOND_MS);
    await one.look();
    expect(one.news('data'), 'whoever asks then is answered').toBe(1);
  });

  it('names a time to come back on the list, lets that time pass', async () => {
    fault('rate_limited', { on: ['item'], retryAfterS: 3_600 });
    expect(await one.look()).toBe(3_600 * SECOND_MS);
  });

  it.each(['item', 'data'] as const)(
    'says EXCEEDED_LIMIT on %s, leaves the whole account alone for a quarter of an hour',
    async (kind) => {
      fault('exceeded_limit', { on: [kind] });
      expect(await one.look()).toBe(15 * MINUTE_MS);
      expect((await row()).lastErrorCode).toBe('exceeded_limit');
      one.simulator.clearFaults();
      one.news('item');
      one.pass(14 * MINUTE_MS);
      expect(await one.look()).toBe(MINUTE_MS);
      expect(one.news('item'), 'not even the list is asked').toBe(0);
      one.pass(MINUTE_MS);
      await one.look();
      expect(one.news('item')).toBe(1);
    },
  );

  it('wants to be paid (402), leaves the account alone and says so', async () => {
    fault('payment_required', { on: ['data'] });
    expect(await one.look()).toBe(15 * MINUTE_MS);
    expect((await row()).lastErrorCode).toBe('payment_required');
    expect(one.limits.windows.accountHeldMs(one.account.id)).toBe(15 * MINUTE_MS);
  });

  it('has moved the account (421), goes there at once, and after a restart too', async () => {
    const { port } = new URL(one.simulator.baseUrl);
    const regionUrl = `http://localhost:${port}`;
    // Twice, because fetch itself asks once more after 421.
    fault('out_of_region', { on: ['item'], times: 2, regionUrl });
    expect(await one.look()).toBe(SECOND_MS);
    expect((await row()).baseUrl).toBe(regionUrl);
    one.pass(SECOND_MS);
    await one.look();
    expect(one.news('data')).toBe(1);
    await one.restarted();
    expect(one.follower().vehicle.makerAccount.baseUrl).toBe(regionUrl);
  });

  it('moves the account to and fro, follows it once an hour and waits longer each time', async () => {
    const { port } = new URL(one.simulator.baseUrl);
    fault('out_of_region', { on: ['item'], regionUrl: `http://localhost:${port}` });
    const waits: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const waitMs = await one.look();
      waits.push(waitMs);
      one.pass(waitMs);
    }
    expect(waits).toEqual([1, 2, 4, 8].map((seconds) => seconds * SECOND_MS));
  });

  it('says that the vehicle is in service (405), is billed for it once in a while at most', async () => {
    fault('in_service');
    for (let minute = 0; minute < 12; minute += 1) one.pass(await one.look());
    expect(one.news('data'), 'the list says it as well').toBe(0);
    expect(one.news('item')).toBeGreaterThan(10);
    const { status } = await db.prisma.vehicle.findUniqueOrThrow({ where: { id: one.vehicle.id } });
    expect(status).toBe('IN_SERVICE');
    one.simulator.clearFaults();
    await one.look();
    expect(one.news('data')).toBe(1);
  });

  it('says that the vehicle is asleep (408), goes back to the list without calling it a failure', async () => {
    const before = await used();
    fault('timeout', { on: ['data'] });
    await one.look();
    expect([one.warnings, one.follower().failures]).toEqual([[], 0]);
    expect(await used(), 'and counts it, for it is billed').toBe((before ?? 0) + 1);
  });

  it('does not find the vehicle any more (404), archives it, and keeps it while the list has it', async () => {
    fault('not_found', { on: ['item'] });
    await one.look();
    expect(one.follower().gone).toBe(false);
    one.simulator.clearFaults();
    fault('sold');
    await one.look();
    expect(one.follower().gone).toBe(true);
    const { archivedAt } = await db.prisma.vehicle.findUniqueOrThrow({
      where: { id: one.vehicle.id },
    });
    expect(archivedAt).not.toBeNull();
  });

  it('has locked the account (423), notes it and gives no token any more', async () => {
    fault('account_locked');
    await one.look();
    expect(await row()).toMatchObject({ status: 'LOCKED', lastErrorCode: 'account_locked' });
    expect(await readTokens(db.prisma, vault, one.account.id)).toBeNull();
  });

  it.each([
    ['upstream_error', 11],
    ['unavailable', 3],
    ['malformed', 3],
    ['closed', 3],
  ] as const)(
    'fails (%s), waits longer each time, and takes up where it was',
    async (kind, rounds) => {
      const before = await used();
      fault(kind, { on: ['item'] });
      const waits: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const waitMs = await one.look();
        waits.push(waitMs);
        one.pass(waitMs);
      }
      const doubled = waits.map((_, index) => Math.min(2 ** (index + 1), 900) * SECOND_MS);
      expect(waits).toEqual(doubled);
      expect(await used(), 'and costs nothing').toBe(before);
      one.simulator.clearFaults();
      one.news('data');
      Object.assign(one.car.state, { awake: true, wakeAtMs: null, lastActivityMs: one.now() });
      await one.look();
      expect(one.news('data')).toBe(1);
    },
  );

  it('fails at a call for data (5xx), takes back what is not billed', async () => {
    const before = await used();
    fault('upstream_error', { on: ['data'] });
    await one.look();
    expect(one.news('data')).toBe(1);
    expect(await used()).toBe(before);
  });

  it('does not answer in time, counts what it may have begun to bill', async () => {
    const before = await used();
    fault('hang', { on: ['data'] });
    one.hurry(300);
    await one.look();
    expect(await used()).toBe((before ?? 0) + 1);
  });

  it('takes the token no more, renews it once and asks again', async () => {
    one.pass(6 * MINUTE_MS);
    fault('token_expired', { on: ['item'], times: 1 });
    one.pass(await one.look());
    await one.look();
    expect(one.news('token')).toBe(1);
    expect(one.news('data')).toBe(1);
    expect((await row()).status).toBe('ACTIVE');
  });

  it('was told by the person to let nobody in, ends the link', async () => {
    one.pass(6 * MINUTE_MS);
    fault('token_expired', { on: ['item'] });
    fault('login_required');
    one.pass(await one.look());
    await one.look();
    expect(await row()).toMatchObject({ status: 'NEEDS_REAUTH', lastErrorCode: 'login_required' });
    const asked = one.news('item');
    await one.look();
    expect([asked, one.news('item')], 'and is asked nothing more').toEqual([1, 0]);
  });

  it('lacks a scope (403), says so and comes back seldom', async () => {
    fault('missing_scopes', { on: ['data'] });
    expect(await one.look()).toBe(15 * MINUTE_MS);
    expect((await row()).lastErrorCode).toBe('missing_scopes');
  });
});

describe('following a vehicle', () => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  afterAll(() => db?.close());

  it('makes no call for data beyond the budget, and looks at the free list on', async () => {
    const one = await startFollowing(db.prisma, { startMs: NOON });
    const { prisma } = db;
    await prisma.makerAccount.update({ where: { id: one.account.id }, data: { dataLimit: 2 } });
    let rounds = 0;
    for (const until = NOON + 40 * MINUTE_MS; one.now() < until; rounds += 1) {
      Object.assign(one.car.state, { awake: true, lastActivityMs: one.now() });
      one.pass(await one.look());
    }
    expect(one.news('data')).toBe(2);
    expect(one.news('item')).toBe(rounds);
    expect(rounds).toBeGreaterThan(30);
    const events = await prisma.event.findMany({ where: { accountId: one.vehicle.accountId } });
    expect(events.map(({ type }) => type)).toContain('maker_account.budget_exhausted');
  });

  it('makes no call for data beyond the budget of the vehicle', async () => {
    const one = await startFollowing(db.prisma, { startMs: NOON });
    const { id } = one.vehicle;
    await db.prisma.vehicle.update({ where: { id }, data: { budget: '0.01' } });
    const until = NOON + 40 * MINUTE_MS;
    while (one.now() < until) {
      Object.assign(one.car.state, { awake: true, lastActivityMs: one.now() });
      one.pass(await one.look());
    }
    expect(one.news('data')).toBe(5);
    expect(one.news('item')).toBeGreaterThan(30);
  });

  it('costs no call for data at a restart', async () => {
    const one = await startFollowing(db.prisma, { startMs: NOON });
    Object.assign(one.car.state, { awake: true, lastActivityMs: NOON });
    await one.look();
    expect(one.news('data')).toBe(1);
    for (let start = 0; start < 5; start += 1) {
      one.pass(10 * SECOND_MS);
      await one.restarted();
      await one.look();
    }
    expect(one.news('data')).toBe(0);
  });
});
