import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { gateTo, type MakerLimits } from '../../src/ingest/maker-gate.ts';
import { type Charge, type SpendLedger, spendLedger } from '../../src/ingest/spend-ledger.ts';
import type { Answer } from '../../src/maker/answer.ts';
import { lockAccount } from '../../src/store/audit.ts';
import type { Account, MakerAccount } from '../../src/store/generated/prisma/client.ts';
import { countSignals } from '../../src/store/maker-spend.ts';
import {
  describeEachEngine,
  describeOnServer,
  type ScratchDatabase,
  scratchDatabase,
} from '../support/database.ts';
import {
  aCommand,
  aMakerAccount,
  anAccount,
  aVehicle,
  someLimits,
  someRates,
} from '../support/rows.ts';

const MAY = Date.UTC(2026, 4, 20);
const JUNE = Date.UTC(2026, 5, 1);

describeEachEngine('the spend ledger', (engine) => {
  let db: ScratchDatabase;
  let account: Account;
  let linked: MakerAccount;
  let now = MAY;
  const nobody = newUuid();
  const clock = () => now;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db?.close());
  beforeEach(async () => {
    now = MAY;
    account = await anAccount(db.prisma);
    linked = await limited({});
  });

  const limited = (data: Parameters<typeof aMakerAccount>[2]) =>
    aMakerAccount(db.prisma, account, { createdAt: new Date(0), ...data });
  const open = (): SpendLedger => spendLedger({ prisma: db.prisma, clock, rates: someRates });
  const one = (category: Charge['category'], more: Partial<Charge> = {}): Charge => ({
    makerAccountId: linked.id,
    vehicleId: nobody,
    category,
    commandId: null,
    override: false,
    ...more,
  });
  const oneOf = (category: Charge['category'], vehicleId: string) => one(category, { vehicleId });
  const stored = async () => {
    const rows = await db.prisma.makerSpend.findMany({ where: { accountId: account.id } });
    return Object.fromEntries(rows.map(({ category, used }) => [category, used]));
  };
  const eventsOf = async () => {
    const rows = await db.prisma.event.findMany({
      where: { accountId: account.id },
      orderBy: { position: 'asc' },
    });
    return rows.map(({ type, data }) => ({ type, data }));
  };

  it('has counted a call in the database before it lets it pass', async () => {
    const ledger = open();
    for (const category of ['COMMAND', 'WAKE', 'DATA'] as const) {
      expect(await ledger.charge(one(category))).toBe(true);
      expect((await stored())[category]).toBeGreaterThanOrEqual(1);
    }
    expect((await ledger.standing(linked.id))?.usage).toEqual({
      SIGNAL: 0,
      COMMAND: 1,
      WAKE: 1,
      DATA: 1,
    });
  });

  it('never counts too few where the process dies, and exactly where it closes', async () => {
    const dying = open();
    for (let count = 0; count < 30; count += 1) await dying.charge(one('DATA'));
    expect((await stored()).DATA).toBeGreaterThanOrEqual(30);
    const ledger = open();
    await ledger.charge(one('DATA'));
    const { DATA: before = 0 } = await stored();
    await ledger.close();
    const { DATA: after = 0 } = await stored();
    // What the dead process had paid for ahead stays counted; what this one had, is given back.
    expect(after).toBeGreaterThanOrEqual(31);
    expect(after).toBeLessThan(before);
    expect(after - 31).toBeLessThan(25);
  });

  it('stops at the limit to the call, over processes that do not know of each other', async () => {
    await db.prisma.makerAccount.update({
      where: { id: linked.id },
      data: { budgetLimit: '0.04', simulated: true },
    });
    const ledgers = [open(), open(), open()];
    const passed = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        ledgers[index % ledgers.length]?.charge(one('COMMAND')),
      ),
    );
    expect(passed.filter((allowed) => allowed === true)).toHaveLength(40);
    expect(await stored()).toEqual({ COMMAND: 40 });
  });

  it('holds to a limit of calls, and lets other kinds pass', async () => {
    await db.prisma.makerAccount.update({ where: { id: linked.id }, data: { wakeLimit: 1 } });
    const ledger = open();
    expect(await ledger.charge(one('WAKE'))).toBe(true);
    expect(await ledger.charge(one('WAKE'))).toBe(false);
    expect(await ledger.charge(one('COMMAND'))).toBe(true);
  });

  it('lets a command pass that overrides the budget, and counts it', async () => {
    linked = await limited({ budgetLimit: 0 });
    const ledger = open();
    expect(await ledger.charge(one('COMMAND'))).toBe(false);
    expect(await ledger.charge(one('COMMAND', { override: true }))).toBe(true);
    expect(await stored()).toEqual({ COMMAND: 1 });
  });

  it('writes what a command takes into the command, in the same transaction', async () => {
    const vehicle = await aVehicle(db.prisma, account, { makerAccountId: linked.id });
    const { id: commandId } = await aCommand(db.prisma, vehicle, 0);
    const ledger = open();
    for (const category of ['WAKE', 'COMMAND', 'DATA', 'DATA'] as const) {
      await ledger.charge(one(category, { commandId }));
    }
    await ledger.refund(one('DATA', { commandId }));
    const row = await db.prisma.command.findUniqueOrThrow({ where: { id: commandId } });
    expect(row).toMatchObject({ costWakes: 1, costCommands: 1, costData: 1 });
    expect(await stored()).toEqual({ WAKE: 1, COMMAND: 1, DATA: 1 });
  });

  it('tells once that most is used, once that it is used up, and anew in the next month', async () => {
    linked = await limited({ budgetLimit: '0.10' });
    const ledger = open();
    for (let count = 0; count < 110; count += 1) await ledger.charge(one('COMMAND'));
    const [threshold, exhausted, ...more] = await eventsOf();
    expect(threshold).toMatchObject({
      type: 'maker_account.budget_threshold',
      data: { cost: '0.08', limit: '0.1', currency: 'USD', sharePct: 80, commands: 80 },
    });
    expect(exhausted).toMatchObject({ type: 'maker_account.budget_exhausted' });
    expect(more).toEqual([]);
    now = JUNE;
    expect(await ledger.charge(one('COMMAND'))).toBe(true);
    for (let count = 0; count < 80; count += 1) await ledger.charge(one('COMMAND'));
    expect((await eventsOf()).slice(2)).toMatchObject([{ type: 'maker_account.budget_threshold' }]);
  });

  it('takes the instance’s limit, and none for the simulated garage', async () => {
    const { makerSubject, maker } = linked;
    const period = new Date(Date.UTC(2026, 4, 1));
    const spent = { accountId: account.id, maker, makerSubject, period };
    await db.prisma.makerSpend.create({ data: { ...spent, category: 'DATA', used: 5_000 } });
    expect(await open().charge(one('COMMAND'))).toBe(false);
    await db.prisma.makerAccount.update({ where: { id: linked.id }, data: { simulated: true } });
    expect(await open().charge(one('COMMAND'))).toBe(true);
  });

  it('goes on where it was when the same account is linked anew', async () => {
    const ledger = open();
    await ledger.charge(one('WAKE'));
    const { makerSubject } = linked;
    await db.prisma.makerAccount.delete({ where: { id: linked.id } });
    linked = await limited({ makerSubject });
    expect((await ledger.standing(linked.id))?.usage.WAKE).toBe(1);
  });

  it('lets nothing pass for an account that is gone', async () => {
    expect(await open().charge(one('COMMAND', { makerAccountId: newUuid() }))).toBe(false);
  });

  const usedBy = async (vehicleId: string) => {
    const rows = await db.prisma.vehicleSpend.findMany({ where: { vehicleId } });
    return Object.fromEntries(rows.map(({ category, used }) => [category, used]));
  };

  it('counts each call for its vehicle and for the account, and what is taken back too', async () => {
    const one = await aVehicle(db.prisma, account, { makerAccountId: linked.id });
    const two = await aVehicle(db.prisma, account, { makerAccountId: linked.id });
    const ledger = open();
    const call = (category: Charge['category'], vehicleId: string) =>
      ledger.charge(oneOf(category, vehicleId));
    for (let count = 0; count < 7; count += 1) await call('DATA', one.id);
    await call('DATA', two.id);
    await call('WAKE', two.id);
    await ledger.refund(oneOf('WAKE', two.id));
    await call('COMMAND', two.id);
    const ids = [one.id, two.id, linked.id];
    const seen = await ledger.standings(ids);
    expect(seen.map((standing) => standing?.usage)).toMatchObject([
      { DATA: 7, COMMAND: 0, WAKE: 0 },
      { DATA: 1, COMMAND: 1, WAKE: 0 },
      { DATA: 8, COMMAND: 1, WAKE: 0 },
    ]);
    await ledger.close();
    expect([await usedBy(one.id), await usedBy(two.id), await stored()]).toMatchObject([
      { DATA: 7 },
      { DATA: 1, COMMAND: 1, WAKE: 0 },
      { DATA: 8, COMMAND: 1, WAKE: 0 },
    ]);
  });

  it('stops a vehicle at its own budget to the call, says so, and lets another go on', async () => {
    const budget = { makerAccountId: linked.id, budget: '0.02' };
    const one = await aVehicle(db.prisma, account, budget);
    const ledgers = [open(), open()];
    const passed = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        ledgers[index % 2]?.charge(oneOf('COMMAND', one.id)),
      ),
    );
    expect(passed.filter((allowed) => allowed === true)).toHaveLength(20);
    expect(await usedBy(one.id)).toEqual({ COMMAND: 20 });
    const two = await aVehicle(db.prisma, account, { makerAccountId: linked.id });
    expect(await open().charge(oneOf('COMMAND', two.id))).toBe(true);
    const override = { ...oneOf('COMMAND', one.id), override: true };
    expect(await open().charge(override)).toBe(true);
    const told = await db.prisma.event.findMany({
      where: { accountId: account.id },
      orderBy: { position: 'asc' },
    });
    expect(told).toMatchObject([
      { type: 'maker_account.budget_threshold', vehiclePublicId: one.publicId },
      { type: 'maker_account.budget_exhausted', data: { limit: '0.02', commands: 19 } },
    ]);
    expect((await ledgers[0]?.lately(oneOf('DATA', one.id)))?.map(({ word }) => word)).toEqual([
      null,
      'EXHAUSTED',
    ]);
  });

  it('lets no vehicle use what another was counted ahead for', async () => {
    await db.prisma.makerAccount.update({ where: { id: linked.id }, data: { dataLimit: 200 } });
    const vehicles = [newUuid(), newUuid(), newUuid()];
    const ledger = open();
    let passed = 0;
    for (let count = 0; count < 300; count += 1) {
      const call = oneOf('DATA', vehicles[count % 3] ?? '');
      if (await ledger.charge(call)) passed += 1;
    }
    expect(passed).toBe(200);
    expect(await stored()).toEqual({ DATA: 200 });
  });

  it('counts what streams in for the vehicle and for the account', async () => {
    const one = await aVehicle(db.prisma, account, { makerAccountId: linked.id });
    const two = await aVehicle(db.prisma, account, { makerAccountId: linked.id });
    const period = Date.UTC(2026, 4, 1);
    for (const units of [3, 4]) {
      await countSignals(
        db.prisma,
        new Map([
          [one.id, units],
          [two.id, 10],
        ]),
        period,
      );
    }
    expect([await usedBy(one.id), await usedBy(two.id), await stored()]).toEqual([
      { SIGNAL: 7 },
      { SIGNAL: 20 },
      { SIGNAL: 27 },
    ]);
  });

  const answered = (status: number): Answer<unknown> =>
    status === 200
      ? { kind: 'ok', status, value: {} }
      : { kind: 'upstream', status, detail: null, retry: 'backoff' };
  const afterCall = async (limits: MakerLimits, answer: Answer<unknown>) => {
    const target = { makerAccountId: linked.id, vehicleId: newUuid(), commandId: null };
    const leave = await gateTo({ ...target, override: false }, limits).pass('COMMAND');
    if (leave.kind !== 'passed') throw new Error('It was held back.');
    await leave.settle(answer);
    return (await stored()).COMMAND ?? 0;
  };

  it('takes back what the maker does not bill, and nothing else', async () => {
    const limits = someLimits(db.prisma, clock);
    expect(await afterCall(limits, answered(200))).toBe(1);
    expect(await afterCall(limits, answered(503))).toBe(1);
    const late = { kind: 'timeout', status: null, detail: null, retry: 'backoff' } as const;
    expect(await afterCall(limits, late)).toBe(2);
    const broken = { ...late, kind: 'closed', code: 'ECONNRESET' } as const;
    expect(await afterCall(limits, broken)).toBe(3);
    expect(await afterCall(limits, { ...broken, code: 'ECONNREFUSED' })).toBe(3);
    const asleep = { kind: 'asleep', status: 408, detail: null, retry: 'when_awake' } as const;
    expect(await afterCall(limits, asleep)).toBe(4);
  });

  it('leaves an account alone that is over its limit at the maker, whatever the vehicle', async () => {
    const limits = someLimits(db.prisma, clock);
    const refused = {
      kind: 'forbidden',
      reason: 'exceeded_limit',
      status: 403,
      detail: null,
    } as const;
    await afterCall(limits, { ...refused, retry: 'after', retryAfterMs: 900_000 });
    const other = {
      makerAccountId: linked.id,
      vehicleId: newUuid(),
      commandId: null,
      override: true,
    };
    expect(await gateTo(other, limits).pass('WAKE')).toMatchObject({
      kind: 'held_back',
      reason: 'rate',
      retryAfterMs: 900_000,
    });
    expect(await stored()).toEqual({ COMMAND: 1 });
  });
});

describeOnServer('the spend ledger', () => {
  it('never waits in a circle with a change of the account', async () => {
    await using db = await scratchDatabase('server');
    const account = await anAccount(db.prisma);
    const linked = await aMakerAccount(db.prisma, account, { wakeLimit: 0 });
    const ledger = spendLedger({ prisma: db.prisma, clock: () => MAY, rates: someRates });
    const waiting = async () => {
      const [row] = await db.prisma.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return row?.count;
    };
    const told = await db.prisma.$transaction(async (tx) => {
      await lockAccount(tx, account.id);
      const refused = ledger.charge({
        ...{ makerAccountId: linked.id, vehicleId: newUuid() },
        ...{ category: 'WAKE', commandId: null, override: false },
      });
      refused.catch(() => {});
      await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
      await tx.makerAccount.update({ where: { id: linked.id }, data: { label: 'Ours' } });
      return { refused };
    });
    expect(await told.refused).toBe(false);
  });
});
