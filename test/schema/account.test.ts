import { afterAll, beforeAll, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { verifyAudit } from '../../src/store/audit.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aMakerAccount, anAccount, aPrincipal, aVehicle, now } from '../support/rows.ts';
import { answer, ask, at, codes } from './ask.ts';

const update = `mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { account {
  name email emailVerified locale timezone country preferences { distance temperature pressure energy range weekStart currency } } } }`;

describeEachEngine('the account', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  it('tells who it is, with default preferences and what it has', async () => {
    const account = await anAccount(db.prisma, { email: 'ada@example.com', emailVerified: true });
    await aVehicle(db.prisma, account);
    await aVehicle(db.prisma, account, { archivedAt: new Date() });
    await aMakerAccount(db.prisma, account);
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      '{ account { name email emailVerified vehiclesCount makerAccountsCount legacyApiKey { exists lastUsedAt expiresAt } preferences { distance currency } } }',
    );
    expect(data.account).toEqual({
      name: 'Ada',
      email: 'ada@example.com',
      emailVerified: true,
      vehiclesCount: 1,
      makerAccountsCount: 1,
      legacyApiKey: { exists: false, lastUsedAt: null, expiresAt: null },
      preferences: { distance: 'KM', currency: null },
    });
  });

  it.each([
    ['works', {}, true],
    ['is over', { expiresAt: new Date(now) }, false],
    ['was revoked', { revokedAt: new Date(now - 1) }, false],
  ])('tells of an API key that %s', async (_what, data, exists) => {
    const account = await anAccount(db.prisma);
    await db.prisma.apiKey.create({
      data: {
        id: newUuid(),
        accountId: account.id,
        hash: newUuid(),
        lastFour: 'abcd',
        expiresAt: new Date(now + DAY_MS),
        ...data,
      },
    });
    const answered = await answer(
      db.prisma,
      aPrincipal(account),
      '{ account { legacyApiKey { exists } } }',
    );
    expect(at(answered, 'account.legacyApiKey')).toEqual({ exists });
  });

  it('changes what is named and keeps the rest, leaving a trace in the audit', async () => {
    const account = await anAccount(db.prisma, { locale: 'de' });
    const input = {
      name: ' Grace ',
      timezone: 'Europe/Berlin',
      country: 'CH',
      preferences: { distance: 'MI', currency: 'CHF' },
    };
    const first = await answer(db.prisma, aPrincipal(account), update, { input });
    expect(at(first, 'updateAccount.account')).toEqual({
      name: 'Grace',
      email: null,
      emailVerified: false,
      locale: 'de',
      timezone: 'Europe/Berlin',
      country: 'CH',
      preferences: {
        distance: 'MI',
        temperature: 'C',
        pressure: 'BAR',
        energy: 'KWH',
        range: 'RATED',
        weekStart: 'MONDAY',
        currency: 'CHF',
      },
    });
    const second = await answer(db.prisma, aPrincipal(account), update, {
      input: { country: null, preferences: { pressure: 'PSI' } },
    });
    expect(at(second, 'updateAccount.account')).toMatchObject({
      name: 'Grace',
      country: null,
      preferences: { distance: 'MI', pressure: 'PSI', currency: 'CHF' },
    });
    expect(await verifyAudit(db.prisma, account.id)).toMatchObject({ entries: 2, fault: null });
  });

  it('counts a new address as unproven, and the same one as before', async () => {
    const account = await anAccount(db.prisma, { email: 'a@example.com', emailVerified: true });
    const change = async (email: string) =>
      at(
        await answer(db.prisma, aPrincipal(account), update, { input: { email } }),
        'updateAccount.account.emailVerified',
      );
    expect(await change('a@example.com')).toBe(true);
    expect(await change('b@example.com')).toBe(false);
  });

  it('cannot take the address of another account', async () => {
    await anAccount(db.prisma, { email: `taken-${engine}@example.com` });
    const account = await anAccount(db.prisma);
    const result = await ask(db.prisma, aPrincipal(account), update, {
      input: { email: `taken-${engine}@example.com` },
    });
    expect(codes(result)).toEqual(['VALIDATION_FAILED']);
    expect(result.errors?.[0]?.extensions.fields).toEqual({
      email: ['This address cannot be used.'],
    });
  });

  it.each([
    [{ timezone: 'Berlin' }, 'timezone'],
    [{ timezone: '+01:00' }, 'timezone'],
    [{ locale: 'not a locale' }, 'locale'],
    [{ country: 'ZZ' }, 'country'],
    [{ country: 'de' }, 'country'],
    [{ country: 'EU' }, 'country'],
    [{ email: 'nobody' }, 'email'],
    [{ name: '  ' }, 'name'],
    [{ name: null }, 'name'],
    [{ preferences: { currency: 'XYZ' } }, 'preferences.currency'],
    [{ preferences: { currency: 'euro' } }, 'preferences.currency'],
  ])('refuses %o, naming the field, and changes nothing', async (input, field) => {
    const account = await anAccount(db.prisma);
    const result = await ask(db.prisma, aPrincipal(account), update, { input });
    expect(codes(result)).toEqual(['VALIDATION_FAILED']);
    expect(Object.keys(result.errors?.[0]?.extensions.fields ?? {})).toEqual([field]);
    expect(await db.prisma.account.findUnique({ where: { id: account.id } })).toEqual(account);
  });

  it('refuses a field that it does not have', async () => {
    const account = await anAccount(db.prisma);
    const result = await ask(db.prisma, aPrincipal(account), update, {
      input: { simulated: true },
    });
    expect(codes(result)).toEqual(['INVALID_REQUEST']);
  });
});

describeEachEngine('maker accounts', (engine) => {
  it('tell whether they work and how many vehicles they have, and no token', async () => {
    const db = await scratchDatabase(engine);
    try {
      const account = await anAccount(db.prisma);
      const makerAccount = await aMakerAccount(db.prisma, account, {
        lastErrorCode: 'maker_unavailable',
        lastErrorAt: new Date(now),
      });
      await aVehicle(db.prisma, account, { makerAccountId: makerAccount.id });
      const data = await answer(
        db.prisma,
        aPrincipal(account),
        '{ makerAccounts { nodes { maker region status vehiclesCount grantedScopes lastError { code at } } } }',
      );
      expect(at(data, 'makerAccounts.nodes')).toEqual([
        {
          maker: 'simulator',
          region: 'SIM',
          status: 'ACTIVE',
          vehiclesCount: 1,
          grantedScopes: [],
          lastError: { code: 'maker_unavailable', at: '2026-03-01T12:00:00.000Z' },
        },
      ]);
    } finally {
      await db.close();
    }
  });
});
