import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { type AuditFact, audited, verifyAudit } from '../../src/store/audit.ts';
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
      lastHash: last?.hash,
      fault: null,
    });
  });

  it('verifies when it is empty and when it is longer than one read', async () => {
    expect(await verifyAudit(db.prisma, await newAccount(db.prisma))).toEqual({
      entries: 0,
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
});
