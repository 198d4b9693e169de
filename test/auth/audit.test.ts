import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRetention } from '../../src/actions/retention.ts';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { type AuditFact, audited, verifyAudit } from '../../src/store/audit.ts';
import { sweepAudit } from '../../src/store/audit-retention.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { newAccount } from './household.ts';

function fact(action: string): AuditFact {
  return {
    at: Date.UTC(2026, 11, 1),
    actor: 'operator',
    action,
    object: 'tok_1',
    details: { zebra: 'å"\\', apple: 1.5, list: ['b', 'a'], none: null, much: 1e21 },
    requestId: null,
  };
}

describeEachEngine('the audit of an account', (engine) => {
  let db: ScratchDatabase;

  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });

  afterAll(async () => {
    await db.close();
  });

  function append(accountId: string, ...actions: string[]): Promise<null> {
    return audited(db.prisma, accountId, async () => ({ result: null, facts: actions.map(fact) }));
  }

  /** An account with a chain of `length` entries. */
  async function chain(length: number): Promise<string> {
    const accountId = await newAccount(db.prisma);
    await append(accountId, ...Array.from({ length }, (_, index) => `act.${index + 1}`));
    return accountId;
  }

  it('verifies when nobody touched it, entry by entry', async () => {
    const accountId = await chain(5);
    await append(accountId, 'act.6');
    const last = await db.prisma.auditEntry.findFirst({
      where: { accountId },
      orderBy: { position: 'desc' },
    });
    expect(await verifyAudit(db.prisma, accountId)).toEqual({
      entries: 6,
      letGo: 0,
      lastHash: last?.hash,
      fault: null,
    });
  });

  it('verifies when it is empty and when it is longer than one read', async () => {
    expect(await verifyAudit(db.prisma, await newAccount(db.prisma))).toEqual({
      entries: 0,
      letGo: 0,
      lastHash: null,
      fault: null,
    });
    expect(await verifyAudit(db.prisma, await chain(1_001))).toMatchObject({
      entries: 1_001,
      fault: null,
    });
  });

  it('stays one chain under parallel appends', async () => {
    const accountId = await newAccount(db.prisma);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => append(accountId, `a.${index}`, `b.${index}`)),
    );
    expect(await verifyAudit(db.prisma, accountId)).toMatchObject({ entries: 40, fault: null });
  });

  it('keeps the chains of two accounts apart', async () => {
    const [first, second] = [await newAccount(db.prisma), await newAccount(db.prisma)];
    await Promise.all([append(first, 'a'), append(second, 'b'), append(first, 'c')]);
    expect(await verifyAudit(db.prisma, first)).toMatchObject({ entries: 2, fault: null });
    expect(await verifyAudit(db.prisma, second)).toMatchObject({ entries: 1, fault: null });
  });

  it('holds nothing of work that failed, nor the work of an entry that failed', async () => {
    const accountId = await chain(1);
    const failing = audited(db.prisma, accountId, async () => {
      throw new Error('the work failed');
    });
    await expect(failing).rejects.toThrow('the work failed');
    const unwritable = audited(db.prisma, accountId, async (tx) => {
      await tx.account.update({ where: { id: accountId }, data: { name: 'Changed' } });
      return { result: null, facts: [{ ...fact('act.2'), action: 'a\u0000b' }] };
    });
    await expect(unwritable).rejects.toThrow();
    expect(await verifyAudit(db.prisma, accountId)).toMatchObject({ entries: 1, fault: null });
    const account = await db.prisma.account.findUnique({ where: { id: accountId } });
    expect(account?.name).toBe('Somebody');
  });

  it('is not_found for an account that does not exist', async () => {
    await expect(append(newUuid(), 'act.1')).rejects.toMatchObject({ code: 'not_found' });
  });

  describe.each([
    ['another actor', `actor = 'somebody'`],
    ['another action', `action = 'act.9'`],
    ['another object', `object = 'tok_2'`],
    ['no object', 'object = NULL'],
    ['other details', `details = '{"apple": 2}'`],
    ['another time', `at = at + interval '1 ms'`],
    ['another request', `request_id = 'r'`],
    ['another hash', `hash = repeat('0', 64)`],
    ['another hash before it', `previous = repeat('0', 64)`],
    ['another id', `id = gen_random_uuid()`],
  ])('with %s in one entry', (_, change) => {
    it('is found to be changed there', async () => {
      const accountId = await chain(3);
      await db.pool.query(
        `UPDATE audit_entry SET ${change} WHERE account_id = $1 AND position = 2`,
        [accountId],
      );
      expect((await verifyAudit(db.prisma, accountId)).fault).toEqual({
        position: 2,
        reason: 'CHANGED',
      });
    });
  });

  it.each([1, 2])('is found to miss entry %d', async (position) => {
    const accountId = await chain(3);
    await db.pool.query('DELETE FROM audit_entry WHERE account_id = $1 AND position = $2', [
      accountId,
      position,
    ]);
    expect((await verifyAudit(db.prisma, accountId)).fault).toEqual({
      position,
      reason: 'OUT_OF_PLACE',
    });
  });

  it('is found to be changed when an entry is taken out and the rest moved up', async () => {
    const accountId = await chain(3);
    await db.pool.query('DELETE FROM audit_entry WHERE account_id = $1 AND position = 2', [
      accountId,
    ]);
    await db.pool.query(
      'UPDATE audit_entry SET position = 2 WHERE account_id = $1 AND position = 3',
      [accountId],
    );
    expect((await verifyAudit(db.prisma, accountId)).fault).toEqual({
      position: 2,
      reason: 'CHANGED',
    });
  });

  it('is found to hold an entry that was put before the first', async () => {
    const accountId = await chain(2);
    await db.pool.query(
      `INSERT INTO audit_entry SELECT gen_random_uuid(), account_id, 0, at, actor, action, object, details, request_id, previous, hash
         FROM audit_entry WHERE account_id = $1 AND position = 1`,
      [accountId],
    );
    expect((await verifyAudit(db.prisma, accountId)).fault).toEqual({
      position: 1,
      reason: 'OUT_OF_PLACE',
    });
  });

  it('shows that its end was cut off by another last hash', async () => {
    const accountId = await chain(3);
    const before = await verifyAudit(db.prisma, accountId);
    await db.pool.query('DELETE FROM audit_entry WHERE account_id = $1 AND position = 3', [
      accountId,
    ]);
    const after = await verifyAudit(db.prisma, accountId);
    expect(after.fault).toBeNull();
    expect(after.lastHash).not.toBe(before.lastHash);
  });

  describe('of which old entries are let go of', () => {
    const now = Date.UTC(2027, 11, 3, 12);
    const before = now - 365 * DAY_MS;
    const sweep = (prisma = db.prisma) => sweepAudit(prisma, { now, before });
    const kept = (accountId: string) => db.prisma.auditEntry.count({ where: { accountId } });

    beforeEach(() => db.prisma.account.deleteMany());

    /** Three entries of 367 days ago, and two of now. */
    async function aged(): Promise<string> {
      const accountId = await chain(3);
      const facts = ['new.1', 'new.2'].map((action) => ({ ...fact(action), at: now }));
      await audited(db.prisma, accountId, async () => ({ result: null, facts }));
      return accountId;
    }

    it('verifies from there on, and goes on', async () => {
      const accountId = await aged();
      expect(await sweep()).toEqual({ swept: 3, faulty: [] });
      expect(await verifyAudit(db.prisma, accountId)).toMatchObject({
        ...{ entries: 3, letGo: 3, fault: null },
      });
      await append(accountId, 'act.4');
      expect(await sweep()).toEqual({ swept: 0, faulty: [] });
      expect(await verifyAudit(db.prisma, accountId)).toMatchObject({ entries: 4, fault: null });
    });

    it('verifies when the process died before they were gone, and lets go of them later', async () => {
      const accountId = await aged();
      const dying = new Proxy(db.prisma, {
        get: (target, name) => {
          if (name === '$executeRaw') throw new Error('The process died.');
          return Reflect.get(target, name);
        },
      });
      await expect(sweep(dying)).rejects.toThrow('died');
      expect(await kept(accountId)).toBe(6);
      const verdict = { entries: 3, letGo: 3, fault: null };
      expect(await verifyAudit(db.prisma, accountId)).toMatchObject(verdict);
      await db.pool.query('DELETE FROM audit_entry WHERE account_id = $1 AND position = 1', [
        accountId,
      ]);
      expect(await verifyAudit(db.prisma, accountId)).toMatchObject(verdict);
      expect(await sweep()).toEqual({ swept: 2, faulty: [] });
      expect(await kept(accountId)).toBe(3);
    });

    it('are let go of once by two that do it at once', async () => {
      const accountId = await aged();
      await Promise.all([sweep(), sweep()]);
      expect(await verifyAudit(db.prisma, accountId)).toMatchObject({ entries: 3, fault: null });
    });

    it('is found to miss one more, and to begin elsewhere than it says', async () => {
      const missing = await aged();
      const moved = await aged();
      await sweep();
      await db.pool.query('DELETE FROM audit_entry WHERE account_id = $1 AND position = 4', [
        missing,
      ]);
      expect((await verifyAudit(db.prisma, missing)).fault).toEqual({
        ...{ position: 4, reason: 'OUT_OF_PLACE' },
      });
      const details = `jsonb_set(details::jsonb, '{hash}', '"0"')`;
      await db.pool.query(
        `UPDATE audit_entry SET details = ${details} WHERE account_id = $1 AND action = 'audit.let_go'`,
        [moved],
      );
      expect((await verifyAudit(db.prisma, moved)).fault).toEqual({
        ...{ position: 4, reason: 'CHANGED' },
      });
    });

    it('lets go of them although other things that are kept for a time cannot be let go of', async () => {
      const accountId = await aged();
      const prisma = new Proxy(db.prisma, {
        get: (target, name) => {
          if (name !== '$executeRaw') return Reflect.get(target, name);
          return async (parts: TemplateStringsArray, ...values: unknown[]) => {
            if (!parts.join().includes('audit_entry')) throw new Error('It cannot be reached.');
            return target.$executeRaw(parts, ...values);
          };
        },
      });
      const kept = { eventDays: 30, auditDays: 365 };
      const retention = startRetention({ prisma, clock: () => now, log: silentLog, ...kept });
      const first = () =>
        db.prisma.auditEntry.findFirst({ where: { accountId }, orderBy: { position: 'asc' } });
      await expect.poll(first, { timeout: 10_000 }).toMatchObject({ position: 4n });
      await retention.close();
    });

    it('keeps those that do not verify', async () => {
      const accountId = await aged();
      await db.pool.query(
        `UPDATE audit_entry SET actor = 'somebody' WHERE account_id = $1 AND position = 2`,
        [accountId],
      );
      expect(await sweep()).toEqual({ swept: 0, faulty: [accountId] });
      expect(await kept(accountId)).toBe(5);
    });
  });
});
