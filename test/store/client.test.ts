import { afterAll, beforeAll, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { uniqueViolationOf } from '../../src/store/database-errors.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';

describeEachEngine('an open database', (engine) => {
  let database: ScratchDatabase;
  beforeAll(async () => {
    database = await scratchDatabase(engine);
  });
  afterAll(() => database.close());

  const createAccount = (email: string | null = null) =>
    database.prisma.account.create({ data: { id: newUuid(), name: 'Ada', email } });
  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      () => null,
      (error: unknown) => error,
    );

  it('reads what it wrote', async () => {
    const { id } = await createAccount();
    const account = await database.prisma.account.findUniqueOrThrow({ where: { id } });
    expect(account.name).toBe('Ada');
  });

  it('keeps nothing of a transaction that failed', async () => {
    const id = newUuid();
    const failing = database.prisma.$transaction(async (tx) => {
      await tx.account.create({ data: { id, name: 'Ada' } });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await database.prisma.account.findUnique({ where: { id } })).toBeNull();
  });

  it('takes many transactions at once', async () => {
    const before = await database.prisma.account.count();
    const writes = Array.from({ length: 40 }, () =>
      database.prisma.$transaction(async (tx) => {
        await tx.account.create({ data: { id: newUuid(), name: 'Ada' } });
        return tx.account.count();
      }),
    );
    await Promise.all(writes);
    expect(await database.prisma.account.count()).toBe(before + 40);
  });

  it('names the index that a Prisma write would have broken', async () => {
    await createAccount('ada@example.org');
    const error = await failureOf(createAccount('ada@example.org'));
    expect(uniqueViolationOf(error)).toBe('account_email_key');
  });

  it('names the index that plain SQL in a transaction would have broken', async () => {
    const { id } = await createAccount();
    const error = await failureOf(
      database.prisma.$transaction(
        (tx) => tx.$executeRaw`INSERT INTO account SELECT * FROM account WHERE id = ${id}::uuid`,
      ),
    );
    expect(uniqueViolationOf(error)).toBe('account_pkey');
  });

  it('names no index for any other failure', async () => {
    const error = await failureOf(database.pool.query('SELECT 1 / 0'));
    expect(error).toBeInstanceOf(Error);
    expect(uniqueViolationOf(error)).toBeNull();
  });

  it('works on after failures that replace its connection', async () => {
    for (let round = 0; round < 20; round += 1) {
      await createAccount();
      await failureOf(database.pool.query('SELECT 1 / 0'));
    }
    expect(await database.prisma.account.count()).toBeGreaterThanOrEqual(20);
  });

  it('forgets a transaction whose connection was lost in its middle', async () => {
    const before = await database.prisma.account.count();
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO account (id, name, updated_at) VALUES (gen_random_uuid(), 'Ada', now())`,
    );
    client.release(new Error('lost'));
    expect(await database.prisma.account.count()).toBe(before);
  });

  it('prepares a statement once and names it', async () => {
    await createAccount();
    await createAccount();
    const { rows } = await database.pool.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_prepared_statements WHERE name LIKE 'odo\\_%' AND statement LIKE 'INSERT INTO%'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('shows every statement, those of a transaction too', async () => {
    database.statements.length = 0;
    await database.prisma.$transaction(async (tx) => {
      await tx.account.count();
    });
    await database.pool.query('SELECT 2');
    expect(database.statements).toEqual([
      'BEGIN',
      expect.stringContaining('COUNT(*)'),
      'COMMIT',
      'SELECT 2',
    ]);
  });

  it('refuses a second ongoing drive and a drive that ends before it starts', async () => {
    const account = await createAccount();
    const vehicle = await database.prisma.vehicle.create({
      data: {
        id: newUuid(),
        accountId: account.id,
        publicId: newUuid(),
        vin: 'X',
        maker: 'simulator',
      },
    });
    const drive = (state: 'ONGOING' | 'ENDED', startedAt: number, endedAt: number | null) =>
      database.prisma.drive.create({
        data: {
          id: newUuid(),
          vehicleId: vehicle.id,
          state,
          startedAt: new Date(startedAt),
          endedAt: endedAt === null ? null : new Date(endedAt),
          source: 'POLL',
        },
      });
    await drive('ONGOING', 1_000, null);
    expect(uniqueViolationOf(await failureOf(drive('ONGOING', 2_000, null)))).toBe(
      'drive_one_ongoing',
    );
    await expect(drive('ENDED', 2_000, 1_000)).rejects.toThrow('drive_ends_after_start');
  });
});
