import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/base/units.ts';
import type { RenewalPoint } from '../../src/ingest/renewal.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import { readTokens, storeTokens } from '../../src/store/maker-accounts.ts';
import { always, standIn } from '../maker/stand-in.ts';
import { answer, at } from '../schema/ask.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aPrincipal } from '../support/rows.ts';
import { aLink, aSession, diesAt, rowOf, shortTimes, startTokenMaker, vault } from './linked.ts';

const points = ['claimed', 'answered', 'stored'] as const satisfies RenewalPoint[];

describeEachEngine('renewing single-use tokens', (engine) => {
  let db: ScratchDatabase;
  let maker: Simulator;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
    maker = await startTokenMaker();
  });
  afterAll(async () => {
    await maker?.close();
    await db?.close();
  });

  const linked = (leftMs?: number) => aLink(db.prisma, maker, leftMs);
  const session = (id: string, more = {}) => aSession(db.prisma, maker, id, more);
  const asked = async (work: () => Promise<unknown>) => {
    const before = maker.calls.token;
    await work();
    return maker.calls.token - before;
  };
  const worksAtMaker = async (token: string | null) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${maker.baseUrl}/api/1/vehicles`, { headers })).status === 200;
  };

  it('asks nothing of the token endpoint at a start with more than 10 minutes left', async () => {
    const { id } = await linked(11 * MINUTE_MS);
    expect(await asked(() => session(id).accessToken())).toBe(0);
  });

  it('renews a token with less than 10 minutes left', async () => {
    const { id } = await linked(9 * MINUTE_MS);
    expect(await asked(() => session(id).accessToken())).toBe(1);
    const row = await rowOf(db.prisma, id);
    expect(row).toMatchObject({ status: 'ACTIVE', renewalId: null, tokenGeneration: 2 });
    expect(Number(row.refreshExpiresAt)).toBeGreaterThan(Date.now() + 89 * 24 * HOUR_MS);
  });

  it('asks once for many callers in one process', async () => {
    const { id } = await linked();
    const one = session(id);
    const count = await asked(() => Promise.all(Array.from({ length: 20 }, one.accessToken)));
    expect(count).toBe(1);
  });

  it('asks once for sessions that do not know of each other', async () => {
    const { id } = await linked();
    const tokens: (string | null)[] = [];
    const count = await asked(async () => {
      // Nobody dies here, and on a busy machine an answer may take longer than the short lease.
      const times = { ...shortTimes, leaseMs: 10_000 };
      const sessions = Array.from({ length: 8 }, () => session(id, { times }));
      tokens.push(...(await Promise.all(sessions.map((one) => one.accessToken()))));
    });
    expect(count).toBe(1);
    expect(new Set(tokens).size).toBe(1);
    expect(await worksAtMaker(tokens[0] ?? null)).toBe(true);
  });

  it('has stored the new pair, and the one before it, when the new token is given out', async () => {
    const { id } = await linked();
    const before = await readTokens(db.prisma, vault, id);
    const token = await session(id).accessToken();
    const after = await readTokens(db.prisma, vault, id);
    expect(after?.current.accessToken).toBe(token);
    expect(after?.previous).toEqual(before?.current);
  });

  it('stores tokens only encrypted, for their row and column alone', async () => {
    const { id } = await linked();
    await session(id).accessToken();
    const row = await rowOf(db.prisma, id);
    for (const sealed of [row.accessToken, row.refreshToken, row.previousTokens]) {
      expect(sealed).toMatch(/^v1\.[\w-]{8}\./);
    }
    const moved = { accessToken: row.refreshToken, refreshToken: row.accessToken };
    await db.prisma.makerAccount.update({ where: { id }, data: moved });
    await expect(readTokens(db.prisma, vault, id)).rejects.toThrow();
  });

  it.each(points)('goes on after a process that died when it had %s', async (point) => {
    const { id } = await linked();
    const { reached, died } = diesAt(point);
    void session(id, { reached }).accessToken();
    await died;
    const token = await session(id).accessToken();
    expect(await worksAtMaker(token)).toBe(true);
    expect((await rowOf(db.prisma, id)).status).toBe('ACTIVE');
    // And the pair that was stored can be renewed in its turn.
    expect(await session(id).renew()).toBe(true);
  });

  it.each(['token_lost', 'token_failed'] as const)(
    'goes on after the answer that carried the new pair was lost (%s)',
    async (kind) => {
      const { id } = await linked();
      maker.fault({ kind, times: 1 });
      expect(await worksAtMaker(await session(id).accessToken())).toBe(true);
    },
  );

  it('tries the pair before where the maker refuses the current one', async () => {
    const { id } = await linked();
    await session(id).accessToken();
    // The maker forgets what it gave last, as one that was set back would.
    maker.fault({ kind: 'invalid_grant', times: 1 });
    expect(await asked(() => session(id).renew())).toBe(2);
    expect((await rowOf(db.prisma, id)).status).toBe('ACTIVE');
  });

  it('keeps the link while the token endpoint does not answer', async () => {
    const { id } = await linked();
    maker.fault({ kind: 'token_unavailable' });
    const one = session(id);
    await expect(one.accessToken()).rejects.toMatchObject({ kind: 'unknown', reason: 'upstream' });
    expect(await rowOf(db.prisma, id)).toMatchObject({
      status: 'ACTIVE',
      lastErrorCode: 'upstream',
      renewalId: null,
    });
    maker.clearFaults();
    expect(await worksAtMaker(await one.accessToken())).toBe(true);
    expect((await rowOf(db.prisma, id)).lastErrorCode).toBeNull();
  });

  it('uses the token at hand while it is good and the token endpoint is away', async () => {
    const { id } = await linked(5 * MINUTE_MS);
    maker.fault({ kind: 'token_unavailable' });
    const one = session(id);
    expect(await worksAtMaker(await one.accessToken())).toBe(true);
    expect(await asked(one.accessToken), 'and does not ask at every call').toBe(0);
    maker.clearFaults();
  });

  it('stops and tells when both tokens are refused', async () => {
    const { id, accountId } = await linked();
    await session(id).accessToken();
    maker.fault({ kind: 'login_required' });
    expect(await session(id).renew()).toBe(false);
    maker.clearFaults();
    expect(await rowOf(db.prisma, id)).toMatchObject({
      status: 'NEEDS_REAUTH',
      lastErrorCode: 'login_required',
    });
    const events = await db.prisma.event.findMany({ where: { accountId } });
    expect(events).toMatchObject([
      {
        type: 'maker_account.status_changed',
        data: { status: 'NEEDS_REAUTH', reason: 'login_required' },
        previous: { status: 'ACTIVE' },
      },
    ]);
    expect(await asked(() => session(id).accessToken()), 'and asks no more').toBe(0);
  });

  it('stores nothing over a sign-in that came meanwhile', async () => {
    const { id } = await linked();
    let answered = () => {};
    const reached = async (point: RenewalPoint) => {
      if (point === 'answered') await new Promise<void>((resolve) => (answered = resolve));
    };
    const renewing = session(id, { reached }).accessToken();
    while ((await rowOf(db.prisma, id)).renewalId === null);
    const { accessToken, refreshToken } = maker.seedTokens({ subject: 'person' });
    const expiresAt = Date.now() + HOUR_MS;
    await storeTokens(db.prisma, vault, id, { accessToken, refreshToken, expiresAt }, null, 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    answered();
    expect(await renewing).toBe(accessToken);
  });

  it('gives no token for an account that was unlinked while it was renewed', async () => {
    const { id } = await linked();
    const reached = async (point: RenewalPoint) => {
      if (point === 'answered') await db.prisma.makerAccount.delete({ where: { id } });
    };
    expect(await session(id, { reached }).accessToken()).toBeNull();
  });

  it('says which scopes are missing, and works without the location', async () => {
    const { id } = await linked();
    const scopes = ['openid', 'offline_access', 'vehicle_device_data'];
    const { accessToken, refreshToken } = maker.seedTokens({ subject: 'person', scopes });
    await storeTokens(db.prisma, vault, id, { accessToken, refreshToken, expiresAt: 0 }, null, 0);
    await session(id).accessToken();
    const row = await rowOf(db.prisma, id);
    expect(row.status).toBe('ACTIVE');
    expect(row.missingScopes).toContain('vehicle_location');
  });

  it('leaves an account locked that the maker locked while its tokens were renewed', async () => {
    const { id, accountId } = await linked();
    const reached = async (point: RenewalPoint) => {
      if (point !== 'answered') return;
      await db.prisma.makerAccount.update({ where: { id }, data: { status: 'LOCKED' } });
    };
    expect(await session(id, { reached }).accessToken()).toBeNull();
    const row = await rowOf(db.prisma, id);
    expect(row).toMatchObject({ status: 'LOCKED', tokenGeneration: 2 });
    expect(await db.prisma.event.count({ where: { accountId } })).toBe(0);
  });

  it('leaves an account locked where the maker refuses both its tokens', async () => {
    const { id } = await linked();
    const reached = async (point: RenewalPoint) => {
      if (point !== 'answered') return;
      await db.prisma.makerAccount.update({ where: { id }, data: { status: 'LOCKED' } });
    };
    maker.fault({ kind: 'login_required' });
    expect(await session(id, { reached }).accessToken()).toBeNull();
    maker.clearFaults();
    expect((await rowOf(db.prisma, id)).status).toBe('LOCKED');
  });

  it.each([
    ['MISSING_SCOPES', 'MISSING_SCOPES'],
    ['ERROR', 'ACTIVE'],
  ] as const)(
    'takes tokens that name no scopes for no news of them: %s becomes %s',
    async (status, after) => {
      const { id } = await linked();
      const scopes = { grantedScopes: ['openid'], missingScopes: ['vehicle_device_data'] };
      await db.prisma.makerAccount.update({ where: { id }, data: { status, ...scopes } });
      const pair = { access_token: 'opaque', refresh_token: 'next', expires_in: 28_800 };
      const { baseUrl: tokenUrl } = await standIn(always(200, pair));
      expect(await aSession(db.prisma, { tokenUrl }, id).accessToken()).toBe('opaque');
      expect(await rowOf(db.prisma, id)).toMatchObject({ status: after, ...scopes });
    },
  );

  it('shows as refreshing while somebody renews it, and only then', async () => {
    const { id, accountId } = await linked();
    const shown = async () => {
      const where = { where: { id: accountId } };
      const account = await db.prisma.account.findUniqueOrThrow(where);
      const query = '{ makerAccounts { nodes { status } } }';
      const clock = { clock: Date.now };
      const data = await answer(db.prisma, aPrincipal(account), query, {}, clock);
      return at(data, 'makerAccounts.nodes.0.status');
    };
    const seen: unknown[] = [];
    await session(id, { reached: async () => void seen.push(await shown()) }).accessToken();
    expect(seen).toEqual(['REFRESHING', 'REFRESHING', 'ACTIVE']);
  });

  it('does not renew a token that is refused as soon as it is given', async () => {
    const { id } = await linked();
    const one = session(id);
    await one.accessToken();
    one.refused();
    expect(await asked(one.accessToken)).toBe(0);
  });
});

describe('without any grace of the maker', () => {
  it('needs a new sign-in only where the answer with the new pair was lost', async () => {
    await using db = await scratchDatabase('embedded');
    const maker = await startTokenMaker({ refreshGraceMs: 0 });
    try {
      const { id } = await aLink(db.prisma, maker);
      const { reached, died } = diesAt('claimed');
      void aSession(db.prisma, maker, id, { reached }).accessToken();
      await died;
      expect(await aSession(db.prisma, maker, id).accessToken()).not.toBeNull();
      maker.fault({ kind: 'token_lost', times: 1 });
      expect(await aSession(db.prisma, maker, id).renew()).toBe(false);
      expect((await rowOf(db.prisma, id)).status).toBe('NEEDS_REAUTH');
    } finally {
      await maker.close();
    }
  });
});
