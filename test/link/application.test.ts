import { createPublicKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureApplicationKey } from '../../src/actions/application-key.ts';
import { newKeyPair, pointOf } from '../../src/maker/application-key.ts';
import { PUBLIC_KEY_PATH } from '../../src/maker/connector.ts';
import { runOdograph } from '../control/run-odograph.ts';
import { boot } from '../support/boot.ts';
import { describeEachEngine, scratchDatabase } from '../support/database.ts';
import { startHttpApp } from '../support/http-app.ts';
import { anAccount } from '../support/rows.ts';
import { DOMAIN, type Journey, startJourney } from './journey.ts';
import { vault } from './linked.ts';

const ROOT = '/api/account/maker-application';

let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
}, 60_000);
afterAll(() => journey?.[Symbol.asyncDispose]());
afterEach(() => {
  journey.maker.clearFaults();
  journey.maker.answerDomain(DOMAIN, journey.service.baseUrl);
});

const registered = (...regions: object[]) => ({
  status: 200,
  response: { registrations: regions },
});

describe('the public key', () => {
  it('is served where the maker looks for it, and may be kept for a while', async () => {
    const answer = await journey.service.get(PUBLIC_KEY_PATH);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-pem-file');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const key = createPublicKey(await answer.text());
    expect(key.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    const head = await fetch(journey.service.baseUrl + PUBLIC_KEY_PATH, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('is the same as the private one that is exported, with a warning', async () => {
    const { dataDir } = journey.service;
    await journey.person();
    const { id } = await journey.service.prisma.account.findFirstOrThrow();
    const account = await journey.service.prisma.account.update({
      where: { id },
      data: { email: 'owner@example.org' },
    });
    const run = await runOdograph(
      { dataDir, databaseUrl: null },
      ...['maker-key', 'export', '--account', 'owner@example.org'],
    );
    expect(run.code).toBe(0);
    const served = await (await journey.service.get(PUBLIC_KEY_PATH)).text();
    expect(pointOf(run.stdout)).toBe(pointOf(served));
    expect(run.stderr).toMatch(/^WARNING: whoever has this key can unlock/);
    const audit = { accountId: account.id, action: 'maker_key.export' };
    expect(await journey.service.prisma.auditEntry.count({ where: audit })).toBe(1);
    const secret = run.stdout.split('\n')[1] ?? '';
    expect(secret).toHaveLength(64);
    expect(journey.said()).not.toContain(secret);
    const row = await journey.service.prisma.makerKey.findFirstOrThrow();
    expect(row.privateKey).toMatch(/^v1\./);
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('is 404 before there is one, and nobody keeps that', async () => {
    await using bare = await boot();
    const answer = await bare.get(PUBLIC_KEY_PATH);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await answer.json()).toMatchObject({ error: 'not_found' });
    const { id: accountId } = await anAccount(bare.prisma);
    const token = await bare.token({ accountId, scopes: ['maker-accounts'] });
    expect((await bare.get(ROOT, token)).status).toBe(404);
  });
});

describeEachEngine('making the key pair', (engine) => {
  it('ends with one pair, however many processes make it at once', async () => {
    const db = await scratchDatabase(engine);
    try {
      const parts = { prisma: db.prisma, vault, clock: Date.now };
      const keys = await Promise.all(
        Array.from({ length: 8 }, () => ensureApplicationKey(parts, 'maker')),
      );
      expect(new Set(keys).size).toBe(1);
      expect(await ensureApplicationKey(parts, 'maker')).toBe(keys[0]);
      expect(await db.prisma.makerKey.count()).toBe(1);
    } finally {
      await db.close();
    }
  });
});

describe('the application at the maker', () => {
  it('is told with its addresses before anybody registered it', async () => {
    const person = await journey.person();
    const { status, response } = await person.call('GET', ROOT);
    expect(status).toBe(200);
    expect(response).toMatchObject({
      maker: 'tesla',
      domain: DOMAIN,
      redirect_url: `${journey.service.baseUrl}/api/account/maker-accounts/callback`,
      public_key_url: `https://${DOMAIN}${PUBLIC_KEY_PATH}`,
      pairing_url: `https://tesla.com/_ak/${DOMAIN}`,
      public_key: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
      signs: false,
      streams: false,
      registrations: [
        { region: 'NA', status: 'NOT_REGISTERED', tried_at: null, next: expect.any(String) },
        { region: 'EU', status: 'NOT_REGISTERED', tried_at: null, next: expect.any(String) },
      ],
    });
  });

  it('is not registered where its domain does not answer', async () => {
    const person = await journey.person();
    journey.maker.answerDomain(DOMAIN, 'http://127.0.0.1:9');
    const unreachable = {
      status: 'KEY_UNREACHABLE',
      detail: 'Public key download failed',
      registered_at: null,
      next: expect.stringContaining('HTTPS'),
    };
    const told = await person.call('POST', `${ROOT}/register`);
    expect(told).toMatchObject(registered(unreachable, unreachable));
  });

  it('is registered in every region, and the maker holds our key', async () => {
    const person = await journey.person();
    const told = await person.call('POST', `${ROOT}/register`);
    const good = { status: 'REGISTERED', next: null, detail: null };
    expect(told).toMatchObject(registered(good, good));
    expect((await person.call('GET', ROOT)).response).toEqual(told.response);
    const again = await person.call('POST', `${ROOT}/register?regions=EU`);
    expect(again).toMatchObject(registered(good, good));
    const audit = { accountId: person.account.id, action: 'maker_application.register' };
    expect(await journey.service.prisma.auditEntry.count({ where: audit })).toBe(2);
  });

  it('is not taken for registered for what was found of another domain', async () => {
    const person = await journey.person();
    const data = { domain: 'old.example.org' };
    await journey.service.prisma.makerRegistration.updateMany({ data });
    const unknown = { status: 'NOT_REGISTERED', tried_at: null };
    expect(await person.call('GET', ROOT)).toMatchObject(registered(unknown, unknown));
  });

  it('tells where the maker holds another key', async () => {
    await using foreign = await startHttpApp({
      routes: (app) => {
        app.get(PUBLIC_KEY_PATH, async () => newKeyPair().publicPem);
      },
    });
    journey.maker.answerDomain(DOMAIN, foreign.baseUrl);
    const person = await journey.person();
    expect(await person.call('POST', `${ROOT}/register`)).toMatchObject(
      registered({ status: 'KEY_MISMATCH' }, { status: 'KEY_MISMATCH' }),
    );
  });

  it('tells where the maker does not accept the client', async () => {
    const person = await journey.person();
    journey.maker.requireSecret('another');
    try {
      const refused = { status: 'CLIENT_REFUSED', detail: 'invalid_client' };
      expect(await person.call('POST', `${ROOT}/register`)).toMatchObject(
        registered(refused, refused),
      );
    } finally {
      journey.maker.requireSecret('the-secret-of-the-application');
    }
  });

  it.each([
    ['upstream_error', 'UNREACHABLE'],
    ['closed', 'UNREACHABLE'],
    ['rate_limited', 'UNREACHABLE'],
    ['payment_required', 'FAILED'],
  ] as const)('tells of %s as %s, and of the other region for itself', async (kind, status) => {
    const person = await journey.person();
    // Both questions to the one region that is registered fail.
    journey.maker.fault({ kind, on: ['partner'], times: 2 });
    const wish = `${ROOT}/register?regions=NA`;
    expect(await person.call('POST', wish)).toMatchObject(registered({ status }, {}));
    expect(await person.call('POST', `${ROOT}/register`)).toMatchObject(
      registered({ status: 'REGISTERED' }, { status: 'REGISTERED' }),
    );
  });

  it('tells where the token of the application does not come', async () => {
    const person = await journey.person();
    journey.maker.fault({ kind: 'token_unavailable' });
    expect(await person.call('POST', `${ROOT}/register`)).toMatchObject(
      registered({ status: 'UNREACHABLE' }, { status: 'UNREACHABLE' }),
    );
  });
});
