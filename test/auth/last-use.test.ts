import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken, revokeToken } from '../../src/actions/manage-access.ts';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import { uuidOf } from '../../src/base/ids.ts';
import { createLog, silentLog } from '../../src/base/log.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { bearing, newAccount, newService } from './household.ts';

const bearerOnly = { allowsApiKey: false };

describeEachEngine('the last use of a token', (engine) => {
  let db: ScratchDatabase;

  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });

  afterAll(async () => {
    await db.close();
  });

  async function newToken(apiKeys?: boolean) {
    const service = newService(db.prisma, apiKeys);
    const accountId = await newAccount(db.prisma);
    const request = { accountId, name: 'script', scopes: ['vehicles'], vehicleIds: null };
    const token = await createToken(service.access, request);
    return { ...service, accountId, request, token };
  }

  it('is noted with its address at most once a minute', async () => {
    const { authenticator, token, clock } = await newToken();
    const noted = async () => {
      await authenticator.settle();
      const row = await db.prisma.token.findFirst({
        where: { id: uuidOf('Token', token.id) ?? '' },
      });
      return [row?.lastUsedAt?.getTime(), row?.lastIp];
    };
    const start = clock();
    await authenticator.authenticate(bearing(token.token, '192.0.2.1'), bearerOnly);
    expect(await noted()).toEqual([start, '192.0.2.1']);
    clock.at = start + MINUTE_MS - 1;
    await authenticator.authenticate(bearing(token.token, '192.0.2.2'), bearerOnly);
    expect(await noted()).toEqual([start, '192.0.2.1']);
    clock.at = start + MINUTE_MS;
    await authenticator.authenticate(bearing(token.token, '192.0.2.3'), bearerOnly);
    expect(await noted()).toEqual([start + MINUTE_MS, '192.0.2.3']);
  });

  it('is noted once a minute by two processes together', async () => {
    const { authenticator, token, clock } = await newToken();
    const other = createAuthenticator({
      prisma: db.prisma,
      clock,
      log: silentLog,
      apiKeys: true,
    });
    await authenticator.authenticate(bearing(token.token, '192.0.2.1'), bearerOnly);
    await authenticator.settle();
    clock.at += SECOND_MS;
    await other.authenticate(bearing(token.token, '192.0.2.2'), bearerOnly);
    await other.settle();
    const row = await db.prisma.token.findFirst({
      where: { id: uuidOf('Token', token.id) ?? '' },
    });
    expect(row?.lastIp).toBe('192.0.2.1');
  });

  it('is not noted for a token that opens nothing any more', async () => {
    const { access, authenticator, token } = await newToken();
    await revokeToken(access, { id: token.id, accountId: null });
    await authenticator.identify(bearing(token.token, '192.0.2.1'), bearerOnly).catch(() => null);
    await authenticator.settle();
    const row = await db.prisma.token.findFirst({
      where: { id: uuidOf('Token', token.id) ?? '' },
    });
    expect(row?.lastUsedAt).toBeNull();
  });

  it('fails without failing the request, and says so in the log', async () => {
    const { token, clock } = await newToken();
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => lines.push(line) });
    // A trigger makes the database refuse the write that notes the use.
    await db.pool.query(`
      CREATE FUNCTION refuse_use() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no use is noted here'; END $$`);
    await db.pool.query(
      'CREATE TRIGGER refuse_use BEFORE UPDATE OF last_used_at ON token FOR EACH ROW EXECUTE FUNCTION refuse_use()',
    );
    try {
      const authenticator = createAuthenticator({ prisma: db.prisma, clock, log, apiKeys: true });
      await authenticator.authenticate(bearing(token.token), bearerOnly);
      await authenticator.settle();
    } finally {
      await db.pool.query('DROP TRIGGER refuse_use ON token');
      await db.pool.query('DROP FUNCTION refuse_use');
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('was not noted');
    expect(lines[0]).not.toContain(token.token);
  });
});
