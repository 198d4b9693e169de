import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureApplicationKey } from '../../src/actions/application-key.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { newKeyPair, pointOf } from '../../src/maker/application-key.ts';
import { PUBLIC_KEY_PATH } from '../../src/maker/connector.ts';
import { bodyFieldsLeftHand } from '../../src/maker/telemetry-body.ts';
import { chargeFields } from '../../src/maker/telemetry-charge.ts';
import { climateFields } from '../../src/maker/telemetry-climate.ts';
import { driveFields } from '../../src/maker/telemetry-drive.ts';
import { softwareFields } from '../../src/maker/telemetry-software.ts';
import { telemetryFields } from '../../src/maker/telemetry-wish.ts';
import { ensureOwnerAccount } from '../../src/store/accounts.ts';
import { runOdograph } from '../control/run-odograph.ts';
import { boot } from '../support/boot.ts';
import { describeEachEngine, scratchDatabase } from '../support/database.ts';
import { startHttpApp } from '../support/http-app.ts';
import { anAccount } from '../support/rows.ts';
import { DOMAIN, type Journey, type Person, startJourney, textAt } from './journey.ts';
import { vault } from './linked.ts';
import { type SigningProxy, startSigningProxy } from './signing-proxy.ts';

const ROOT = '/api/account/maker-application';
const ACCOUNTS = '/api/account/maker-accounts';

let journey: Journey;
let proxy: SigningProxy;
/** As the operator exports it. */
let ownKey = '';
const folder = mkdtempSync(join(tmpdir(), 'odo-'));
const caFile = join(folder, 'chain.pem');

beforeAll(async () => {
  writeFileSync(caFile, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  let makerUrl = '';
  proxy = await startSigningProxy(() => makerUrl);
  journey = await startJourney({
    ODOGRAPH_COMMAND_PROXY_URL: proxy.baseUrl,
    ODOGRAPH_TELEMETRY_HOST: 'stream.example.org',
    ODOGRAPH_TELEMETRY_PORT: '4443',
    ODOGRAPH_TELEMETRY_CA_FILE: caFile,
  });
  makerUrl = journey.maker.baseUrl;
});
afterAll(async () => {
  await journey?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
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
    ownKey = run.stdout;
    proxy.sign(ownKey);
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

describe('the owner', () => {
  it('has an account from the first start on, for which tokens can be made', async () => {
    const { prisma } = journey.service;
    expect(await prisma.account.count({ where: { name: 'Owner', simulated: false } })).toBe(1);
    await ensureOwnerAccount(prisma, Date.now());
    expect(await prisma.account.count({ where: { name: 'Owner' } })).toBe(1);
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
      signs: true,
      streams: true,
      registrations: [
        { region: 'NA', status: 'NOT_REGISTERED', tried_at: null, next: expect.any(String) },
        { region: 'EU', status: 'NOT_REGISTERED', tried_at: null, next: expect.any(String) },
      ],
    });
  });

  it('is registered by the operator, and by nobody else of the instance', async () => {
    const person = await journey.person();
    const { partner } = journey.maker.calls;
    const told = await person.call('POST', `${ROOT}/register`);
    expect(told).toMatchObject({ status: 403, error: 'setting_forbids' });
    expect(journey.maker.calls.partner).toBe(partner);
    expect((await person.call('GET', ROOT)).status).toBe(200);
  });

  it('is not registered where its domain does not answer', async () => {
    const person = await journey.operator();
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
    const person = await journey.operator();
    const told = await person.call('POST', `${ROOT}/register`);
    const good = { status: 'REGISTERED', next: null, detail: null };
    expect(told).toMatchObject(registered(good, good));
    expect((await person.call('GET', ROOT)).response).toEqual(told.response);
    const again = await person.call('POST', `${ROOT}/register?regions=EU`);
    expect(again).toMatchObject(registered(good, good));
    const audit = { accountId: person.account.id, action: 'maker_application.register' };
    const entries = await journey.service.prisma.auditEntry.findMany({
      where: audit,
      orderBy: { position: 'desc' },
    });
    expect(entries.slice(0, 2).map(({ details }) => details)).toMatchObject([
      { found: ['EU REGISTERED'] },
      { found: ['NA REGISTERED', 'EU REGISTERED'] },
    ]);
  });

  it('is not taken for registered for what was found of another domain', async () => {
    const person = await journey.operator();
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
    const person = await journey.operator();
    expect(await person.call('POST', `${ROOT}/register`)).toMatchObject(
      registered({ status: 'KEY_MISMATCH' }, { status: 'KEY_MISMATCH' }),
    );
  });

  it('tells where the maker does not accept the client', async () => {
    const person = await journey.operator();
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
    const person = await journey.operator();
    // Both questions to the one region that is registered fail.
    journey.maker.fault({ kind, on: ['partner'], times: 2 });
    const wish = `${ROOT}/register?regions=NA`;
    expect(await person.call('POST', wish)).toMatchObject(registered({ status }, {}));
    expect(await person.call('POST', `${ROOT}/register`)).toMatchObject(
      registered({ status: 'REGISTERED' }, { status: 'REGISTERED' }),
    );
  });

  it('tells where the token of the application does not come', async () => {
    const person = await journey.operator();
    journey.maker.fault({ kind: 'token_unavailable' });
    expect(await person.call('POST', `${ROOT}/register`)).toMatchObject(
      registered({ status: 'UNREACHABLE' }, { status: 'UNREACHABLE' }),
    );
  });
});

describe('what vehicles are asked to stream', () => {
  it('is what the service reads and uses, each field by its name', () => {
    const used = {
      ...bodyFieldsLeftHand,
      ...chargeFields,
      ...climateFields,
      ...driveFields,
      ...softwareFields,
    };
    expect(telemetryFields.size).toBeGreaterThan(60);
    expect([...telemetryFields.keys()].filter((name) => !Object.hasOwn(used, name))).toEqual([]);
  });
});

async function linked(): Promise<{ person: Person; at: string }> {
  const person = await journey.person();
  const id = await person.link({ vins: journey.vins });
  return { person, at: `${ACCOUNTS}/${id}` };
}

describe('telling vehicles to stream', () => {
  it('is told through the proxy, skips those without the key and says what to do', async () => {
    const { person, at } = await linked();
    const [first = '', second = ''] = journey.vins;
    journey.maker.pairKey(first);
    const { status, response } = await person.call('POST', `${at}/telemetry`);
    expect(status).toBe(200);
    expect(response).toHaveLength(2);
    expect(response).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ vin: first, status: 'PENDING', reason: null }),
        expect.objectContaining({
          vin: second,
          status: 'SKIPPED',
          reason: 'missing_key',
          next: expect.stringContaining('key'),
          expires_at: null,
        }),
      ]),
    );
    expect(proxy.seen).toContain('POST /api/1/vehicles/fleet_telemetry_config');
    const rows = await journey.service.prisma.vehicle.findMany({
      where: { accountId: person.account.id },
    });
    expect(rows.map(({ telemetryStatus }) => telemetryStatus).sort()).toEqual([
      'PENDING',
      'SKIPPED',
    ]);
    const audit = { accountId: person.account.id, action: 'maker_account.tell_telemetry' };
    expect(await journey.service.prisma.auditEntry.count({ where: audit })).toBe(1);
  });

  it('is synced once the vehicle has taken it, and can be ended', async () => {
    const { person, at } = await linked();
    for (const vin of journey.vins) journey.maker.pairKey(vin);
    await person.call('POST', `${at}/telemetry`);
    for (const { state } of journey.maker.cars) {
      state.awake = true;
      state.lastActivityMs = Date.now();
    }
    const synced = await person.call('GET', `${at}/telemetry`);
    const year = new Date(Date.now() + 360 * 86_400_000).toISOString();
    for (const one of [synced.response].flat()) {
      expect(one).toMatchObject({ status: 'SYNCED', next: null, reason: null });
      expect(textAt(one, 'expires_at') > year).toBe(true);
    }
    const ended = await person.call('DELETE', `${at}/telemetry`);
    expect(ended.response).toMatchObject([
      { status: 'NOT_CONFIGURED' },
      { status: 'NOT_CONFIGURED' },
    ]);
    expect((await person.call('GET', `${at}/telemetry`)).response).toMatchObject([
      { status: 'NOT_CONFIGURED', expires_at: null },
      { status: 'NOT_CONFIGURED', expires_at: null },
    ]);
  });

  it('is for some vehicles where some are named, and for none where one is not there', async () => {
    const { person, at } = await linked();
    const [first = ''] = journey.vins;
    journey.maker.pairKey(first);
    const told = await person.call('POST', `${at}/telemetry?vehicles=${first}`);
    expect(told.response).toMatchObject([{ vin: first, status: 'PENDING' }]);
    const unknown = await person.call('POST', `${at}/telemetry?vehicles=${first},nobody`);
    expect(unknown).toMatchObject({ status: 404, error: 'not_found' });
    const other = await journey.person();
    expect((await other.call('POST', `${at}/telemetry`)).status).toBe(404);
    expect((await other.call('GET', `${at}/telemetry`)).status).toBe(404);
  });

  it('says what the maker has against a vehicle', async () => {
    const { person, at } = await linked();
    const [, second = ''] = journey.vins;
    journey.maker.pairKey(second);
    journey.maker.refuseTelemetry(second, 'unsupported_firmware');
    const told = await person.call('POST', `${at}/telemetry?vehicles=${second}`);
    expect(told.response).toMatchObject([
      {
        status: 'SKIPPED',
        reason: 'unsupported_firmware',
        next: expect.stringContaining('2024.26'),
      },
    ]);
  });

  it('tells of one vehicle that fails without hiding the others', async () => {
    const { person, at } = await linked();
    const [first = ''] = journey.vins;
    journey.maker.fault({ kind: 'upstream_error', on: ['fleet'], vin: first });
    const told = await person.call('GET', `${at}/telemetry`);
    expect(told.status).toBe(200);
    expect(told.response).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ vin: first, status: 'FAILED', reason: 'maker_unavailable' }),
      ]),
    );
    expect(told.response).toHaveLength(2);
  });

  it('is not told where the certificates cannot be read', async () => {
    const { person, at } = await linked();
    const chain = readFileSync(caFile, 'utf8');
    writeFileSync(caFile, 'no certificate');
    try {
      expect(await person.call('POST', `${at}/telemetry`)).toMatchObject({
        status: 403,
        error: 'setting_forbids',
      });
    } finally {
      writeFileSync(caFile, chain);
    }
  });

  it('is not told by a key that the maker does not know', async () => {
    const { person, at } = await linked();
    proxy.sign(newKeyPair().privatePem);
    try {
      expect((await person.call('POST', `${at}/telemetry`)).status).toBe(502);
    } finally {
      proxy.sign(ownKey);
    }
  });

  it('shows what own vehicles reported, and nobody else’s', async () => {
    const { person, at } = await linked();
    const [first = ''] = journey.vins;
    const error = `connection refused by ${first}`;
    journey.maker.reportTelemetry({ vin: first, name: 'stream', error });
    journey.maker.reportTelemetry({ vin: '5YJ3E7EB0NF999999', name: 'stream', error: 'other' });
    const told = await person.call('GET', `${at}/telemetry/errors`);
    expect(told.response).toEqual([
      { public_id: expect.any(String), name: 'stream', error: 'connection refused by [vin]' },
    ]);
  });
});

describe('the keys on vehicles', () => {
  it('are told with the address at which an owner adds one, and kept', async () => {
    const { person, at } = await linked();
    const [first = ''] = journey.vins;
    journey.maker.pairKey(first);
    const { response } = await person.call('GET', `${at}/key-pairing`);
    expect(response).toMatchObject({ pairing_url: `https://tesla.com/_ak/${DOMAIN}` });
    const row = await journey.service.prisma.vehicle.findFirstOrThrow({
      where: { accountId: person.account.id, vin: first },
    });
    expect(row).toMatchObject({ keyPaired: true, commandProtocolRequired: true, totalKeys: 2 });
    expect(row.keyCheckedAt).not.toBeNull();
  });
});

it('the application is registered by the operator as well, who needs no token for it', async () => {
  const { dataDir, prisma } = journey.service;
  const { account } = await journey.person();
  const register = () =>
    runOdograph(
      { dataDir, databaseUrl: null },
      ...['maker-register', '--region', 'EU', '--account', typeIdOf('Account', account.id)],
    );
  const run = await register();
  expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/^EU REGISTERED: .+\n$/)]);
  const audit = { accountId: account.id, action: 'maker_application.register' };
  expect(await prisma.auditEntry.findMany({ where: audit })).toMatchObject([
    { actor: 'operator', details: { domain: DOMAIN, found: ['EU REGISTERED'] } },
  ]);
  journey.maker.fault({ kind: 'unavailable', on: ['partner'] });
  const refused = await register();
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/^EU UNREACHABLE: /) });
  expect(refused.stderr).toMatch(/^EU next: /);
});
