import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createApiKey,
  createToken,
  listTokens,
  mintDemoToken,
  revokeApiKey,
  revokeToken,
} from '../../src/actions/manage-access.ts';
import { accountFor } from '../../src/actions/operator.ts';
import { newUuid, typeIdOf } from '../../src/base/ids.ts';
import { scopes } from '../../src/contract/scopes.ts';
import { ensureDemoAccount } from '../../src/store/accounts.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { bearing, newAccount, newService, refusedFields } from './household.ts';

const bearerOnly = { allowsApiKey: false };

describeEachEngine('access', (engine) => {
  let db: ScratchDatabase;

  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });

  afterAll(async () => {
    await db.close();
  });

  async function household() {
    const service = newService(db.prisma);
    const accountId = await newAccount(db.prisma);
    const request = { accountId, name: 'script', scopes: ['vehicles'], vehicleIds: null };
    return { ...service, accountId, request };
  }

  function auditOf(accountId: string) {
    return db.prisma.auditEntry.findMany({ where: { accountId }, orderBy: { position: 'asc' } });
  }

  describe('a revocation', () => {
    it('is told whether it changed anything, and is audited once', async () => {
      const { access, accountId, request } = await household();
      const { id } = await createToken(access, request);
      expect(await revokeToken(access, { id, accountId })).toEqual({ id, changed: true });
      expect(await revokeToken(access, { id, accountId })).toEqual({ id, changed: false });
      const actions = (await auditOf(accountId)).map(({ action, object }) => [action, object]);
      expect(actions).toEqual([
        ['token.create', id],
        ['token.revoke', id],
      ]);
    });

    it("is not_found for another account's token, an unknown id and any other text", async () => {
      const { access, accountId, request } = await household();
      const mine = await createToken(access, request);
      const stranger = await newAccount(db.prisma);
      for (const [id, whose] of [
        [mine.id, stranger],
        [typeIdOf('Token', newUuid()), accountId],
        [mine.token, null],
        ['', null],
      ] as const) {
        const revoked = revokeToken(access, { id, accountId: whose });
        await expect(revoked).rejects.toMatchObject({ code: 'not_found' });
        expect(await revoked.catch(String)).not.toContain(mine.token);
      }
      expect(
        (await listTokens(access, { accountId, revoked: false, limit: 10 })).tokens,
      ).toHaveLength(1);
    });

    it('ends an API key, which is audited with its making', async () => {
      const { access, accountId } = await household();
      const key = await createApiKey(access, { accountId, controls: true });
      expect(await revokeApiKey(access, { id: key.id, accountId })).toEqual({
        id: key.id,
        changed: true,
      });
      const actions = (await auditOf(accountId)).map(({ action, object }) => [action, object]);
      expect(actions).toEqual([
        ['api_key.create', key.id],
        ['api_key.revoke', key.id],
      ]);
    });

    it('of an API key is not_found for a token id', async () => {
      const { access, request } = await household();
      const { id } = await createToken(access, request);
      await expect(revokeApiKey(access, { id, accountId: null })).rejects.toMatchObject({
        code: 'not_found',
      });
    });
  });

  describe('the list of tokens', () => {
    it("holds an account's own, newest first, without any secret", async () => {
      const { access, accountId, request, clock } = await household();
      const { request: elsewhere } = await household();
      await createToken(access, elsewhere);
      const first = await createToken(access, { ...request, name: 'first' });
      clock.at += 1;
      const second = await createToken(access, { ...request, name: 'second' });
      const { tokens, more } = await listTokens(access, { accountId, revoked: false, limit: 10 });
      expect([tokens.map(({ id }) => id), more]).toEqual([[second.id, first.id], false]);
      expect(JSON.stringify(tokens)).not.toMatch(/odo_pat_|[0-9a-f]{64}/);
    });

    it('leaves out the revoked ones unless they are asked for', async () => {
      const { access, accountId, request } = await household();
      const { id } = await createToken(access, request);
      await revokeToken(access, { id, accountId });
      const list = (revoked: boolean) => listTokens(access, { accountId, revoked, limit: 10 });
      expect((await list(false)).tokens).toEqual([]);
      expect((await list(true)).tokens.map((token) => token.id)).toEqual([id]);
    });

    it('ends at its limit and says that there are more', async () => {
      const { access, accountId, request } = await household();
      for (let index = 0; index < 3; index += 1) await createToken(access, request);
      const { tokens, more } = await listTokens(access, { accountId, revoked: false, limit: 2 });
      expect([tokens.length, more]).toEqual([2, true]);
    });
  });

  describe("the garage's own token", () => {
    it('has every scope, and takes the place of the last at each start', async () => {
      const { access, authenticator } = await household();
      const account = await ensureDemoAccount(db.prisma, access.clock());
      const first = await mintDemoToken(access, account.id);
      await authenticator.authenticate(bearing(first.token), bearerOnly);
      const second = await mintDemoToken(access, account.id);
      await expect(
        authenticator.authenticate(bearing(first.token), bearerOnly),
      ).rejects.toMatchObject({ code: 'invalid_token' });
      const principal = await authenticator.authenticate(bearing(second.token), bearerOnly);
      expect([...principal.scopes]).toEqual(scopes);
      const live = await listTokens(access, { accountId: account.id, revoked: false, limit: 10 });
      expect(live.tokens.map(({ id, name }) => [id, name])).toEqual([[second.id, 'demo']]);
    });

    it('leaves every other token as it is', async () => {
      const { access, accountId, request } = await household();
      const script = await createToken(access, request);
      await mintDemoToken(access, accountId);
      await mintDemoToken(access, accountId);
      const { tokens } = await listTokens(access, { accountId, revoked: false, limit: 10 });
      expect(tokens.map(({ id }) => id)).toContain(script.id);
    });

    it('is one alone when two starts happen at once', async () => {
      const { access, accountId } = await household();
      await Promise.all(Array.from({ length: 4 }, () => mintDemoToken(access, accountId)));
      const { tokens } = await listTokens(access, { accountId, revoked: false, limit: 10 });
      expect(tokens).toHaveLength(1);
    });

    it('hangs on one account, however many starts make it', async () => {
      const at = Date.UTC(2026, 0, 1);
      const made = await Promise.all(
        Array.from({ length: 4 }, () => ensureDemoAccount(db.prisma, at)),
      );
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(made[0]).toMatchObject({ name: 'Demo owner', simulated: true, email: null });
    });
  });
});

describeEachEngine('the account that the operator means', (engine) => {
  it('is the demo account, then the person who came, then has to be named', async () => {
    await using db = await scratchDatabase(engine);
    const { access } = newService(db.prisma);
    await expect(accountFor(access, null)).rejects.toMatchObject({ code: 'not_found' });
    const demo = await ensureDemoAccount(db.prisma, access.clock());
    expect(await accountFor(access, null)).toBe(demo.id);
    const person = await newAccount(db.prisma);
    expect(await accountFor(access, null)).toBe(person);
    const email = 'ann@example.org';
    const ann = newUuid();
    await db.prisma.account.create({ data: { id: ann, name: 'Ann', email } });
    expect(await refusedFields(accountFor(access, null))).toEqual(['account']);
    expect(await accountFor(access, ' Ann@Example.org')).toBe(ann);
    expect(await accountFor(access, typeIdOf('Account', person))).toBe(person);
    for (const nobody of ['%', 'bob@example.org', typeIdOf('Account', newUuid())]) {
      await expect(accountFor(access, nobody)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
