import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actorOf } from '../../src/actions/maker-door.ts';
import {
  createApiKey,
  createToken,
  mintDemoToken,
  revokeApiKey,
  revokeToken,
} from '../../src/actions/manage-access.ts';
import { createIngestToken, revokeIngestToken } from '../../src/actions/manage-ingest.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import { securityData } from '../../src/contract/security-events.ts';
import { aFeed, listen, next } from '../live/following.ts';
import { codes } from '../schema/ask.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aPrincipal } from '../support/rows.ts';
import { newAccount, newService } from './household.ts';

describe('an account.security event', () => {
  let db: ScratchDatabase;
  let accountId = '';
  let access: ReturnType<typeof newService>['access'];
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  beforeEach(async () => {
    accountId = await newAccount(db.prisma);
    ({ access } = newService(db.prisma));
  });
  afterAll(() => db.close());

  const events = () =>
    db.prisma.event.findMany({ where: { accountId }, orderBy: { position: 'asc' } });
  const actions = async () =>
    (await events()).map(({ data }) => JSON.parse(JSON.stringify(data)).action);
  const scopes: Scope[] = ['account', 'vehicles'];
  const asked = () => ({ accountId, name: 'phone', scopes, vehicleIds: null });

  it('tells who made a token, which and how, and not its secret', async () => {
    const { token, id, expiresAt } = await createToken(access, asked());
    const [event, ...others] = await events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'account.security', vehicleId: null });
    expect(event?.data).toEqual({
      action: 'token.create',
      actor: 'operator',
      surface: 'COMMAND_LINE',
      object: id,
      name: 'phone',
      prefix: 'odo_pat_',
      lastFour: token.slice(-4),
      scopes,
      expiresAt,
      maker: null,
    });
    const parts = { ...access, actor: 'token:1' };
    const other = await createToken(parts, asked());
    expect((await events()).at(-1)?.data).toMatchObject({ actor: 'token:1', surface: 'API' });
    const kept = JSON.stringify((await events()).map(({ data }) => data));
    for (const secret of [token, other.token]) expect(kept).not.toContain(secret.slice(8, -4));
  });

  it('tells of what comes by the maker’s public callback that it did', () => {
    const link = { action: 'maker_account.link', object: 'mka_1', details: {} };
    expect(securityData({ ...link, actor: actorOf(null) })).toMatchObject({
      actor: 'maker callback',
      surface: 'CALLBACK',
    });
  });

  it('tells of every credential that is made or revoked, once', async () => {
    const token = await createToken(access, asked());
    const key = await createApiKey(access, { accountId, controls: false });
    const ingest = await createIngestToken(access, { accountId, name: 'telemetry' });
    for (const _time of [1, 2]) {
      await revokeToken(access, { id: token.id, accountId });
      await revokeApiKey(access, { id: key.id, accountId });
      await revokeIngestToken(access, { id: ingest.id });
    }
    expect(await actions()).toEqual([
      'token.create',
      'api_key.create',
      'ingest_token.create',
      'token.revoke',
      'api_key.revoke',
      'ingest_token.revoke',
    ]);
    const prefixes = (await events()).map(({ data }) => JSON.parse(JSON.stringify(data)).prefix);
    const pair = ['odo_pat_', 'odo_key_', 'odo_ing_'];
    expect(prefixes).toEqual([...pair, ...pair]);
  });

  it('tells of the demo token that takes the place of the last', async () => {
    await mintDemoToken(access, accountId);
    await mintDemoToken(access, accountId);
    expect(await actions()).toEqual(['token.create', 'token.revoke', 'token.create']);
  });

  it('is not there where nothing was kept', async () => {
    const failing = { ...access, clock: () => Number.NaN };
    await expect(createToken(failing, asked())).rejects.toThrow();
    expect(await events()).toEqual([]);
    expect(await db.prisma.auditEntry.count({ where: { accountId } })).toBe(0);
  });

  it('is heard with the scope account, and with no other', async () => {
    const feed = aFeed(db);
    const account = await db.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    const query = 'subscription { events(types: ["account.security"]) { type data } }';
    const holder = (...held: Scope[]) => aPrincipal(account, { scopes: new Set(held) });
    const heard = await listen(db, feed, holder('account'), [query]);
    await next(heard);
    const told = next(heard);
    const { id } = await createToken(access, asked());
    expect((await told).data).toMatchObject({
      events: { type: 'account.security', data: { action: 'token.create', object: id } },
    });
    const deaf = listen(db, feed, holder('vehicles', 'controls', 'maker-accounts'), [query]);
    const refusal = await deaf.catch((error: unknown) => error);
    expect(codes(Object(refusal).result)).toEqual(['INSUFFICIENT_SCOPE']);
    await heard.return();
    await feed.close();
  });
});
