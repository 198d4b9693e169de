import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureApplicationKey } from '../../src/actions/application-key.ts';
import { accountCheck } from '../../src/actions/doctor-accounts.ts';
import { registrationChecks } from '../../src/actions/doctor-application.ts';
import { secretKeyCheck } from '../../src/actions/doctor-ground.ts';
import { vehicleChecks } from '../../src/actions/doctor-vehicles.ts';
import { newUuid, typeIdOf } from '../../src/base/ids.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/units.ts';
import { vaultOf } from '../../src/base/vault.ts';
import { registrationTable } from '../../src/contract/registration.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aMakerAccount, anAccount, aVehicle, now } from '../support/rows.ts';
import { vault } from './linked.ts';

let db: ScratchDatabase;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db?.close());

const inMs = (ms: number) => new Date(now + ms);
const scale = { now, pairingUrl: 'https://example.org/_ak/x', signs: true, streams: true };

async function accountWith(data: Parameters<typeof aMakerAccount>[2]) {
  const account = await anAccount(db.prisma);
  const row = await aMakerAccount(db.prisma, account, { makerSubject: newUuid(), ...data });
  return { row, id: typeIdOf('MakerAccount', row.id) };
}

async function vehicleWith(data: Parameters<typeof aVehicle>[2]) {
  const account = await anAccount(db.prisma);
  const good = {
    lastSeenAt: inMs(-HOUR_MS),
    keyPaired: true,
    commandProtocolRequired: true,
    telemetryStatus: 'SYNCED' as const,
    telemetryExpiresAt: inMs(300 * DAY_MS),
  };
  return aVehicle(db.prisma, account, { ...good, ...data });
}

describe('the secret key', () => {
  it('is fine where it opens what is sealed, and in the way where it does not', async () => {
    await ensureApplicationKey({ prisma: db.prisma, vault, clock: () => now }, 'maker');
    const look = (key: number) =>
      secretKeyCheck(db.prisma, () => vaultOf(Buffer.alloc(32, key)), 'maker');
    expect(await look(7)).toMatchObject({ level: 'OK' });
    const wrong = await look(8);
    expect(wrong).toMatchObject({ level: 'FAIL', next: expect.stringContaining('SECRET_KEY') });
    expect(wrong.says).toMatch(/needs the key \S{8}; the service runs with \S{8}/);
  });
});

describe('a maker account', () => {
  it('that works is fine, with the age of its tokens', async () => {
    const { row } = await accountWith({ status: 'ACTIVE', lastRefreshedAt: inMs(-3 * HOUR_MS) });
    expect(accountCheck(row, now, true)).toMatchObject({ level: 'OK', next: null });
    expect(accountCheck(row, now, true).says).toContain('3 h old');
  });

  it.each(['NEEDS_REAUTH', 'MISSING_SCOPES', 'LOCKED', 'ERROR'] as const)(
    'that is %s is in the way, and says how to sign in anew',
    async (status) => {
      const { row, id } = await accountWith({ status, lastErrorCode: 'login_required' });
      const check = accountCheck(row, now, true);
      expect(check).toMatchObject({ id: `maker_account.${id}`, level: 'FAIL' });
      expect(check.says).toContain(`${status}, login_required`);
      expect(check.next).toContain(`${id}/reauthorize`);
    },
  );

  it.each([
    ['lacks scopes', { missingScopes: ['vehicle_location'] }, 'vehicle_location'],
    ['ends soon', { refreshExpiresAt: inMs(3 * DAY_MS) }, 'ends on 2026-03-04'],
    [
      'was not renewed',
      { accessExpiresAt: inMs(-2 * HOUR_MS), lastErrorCode: 'upstream' },
      'upstream',
    ],
  ])('that %s is worth a look', async (_, data, words) => {
    const { row } = await accountWith({ status: 'ACTIVE', ...data });
    const check = accountCheck(row, now, true);
    expect(check.level).toBe('WARN');
    expect(check.says).toContain(words);
    expect(check.next).not.toBeNull();
  });
});

describe('a vehicle', () => {
  it('that is heard, has the key and streams is fine', async () => {
    const checks = vehicleChecks(await vehicleWith({}), scale);
    expect(checks.map(({ level }) => level)).toEqual(['OK', 'OK', 'OK']);
  });

  it.each([
    ['heard', { lastSeenAt: null }, 'was never heard'],
    ['heard', { lastSeenAt: inMs(-8 * DAY_MS) }, 'last heard at 2026-02-21'],
    ['heard', { logging: false }, 'logging is off'],
    ['key', { keyPaired: null }, 'Nobody asked'],
    ['key', { keyPaired: false }, 'takes no commands'],
    ['telemetry', { telemetryStatus: null }, 'not told to stream'],
    ['telemetry', { telemetryStatus: 'SKIPPED', telemetryReason: 'max_configs' }, 'max_configs'],
    ['telemetry', { telemetryExpiresAt: inMs(5 * DAY_MS) }, 'until 2026-03-06 only'],
  ] as const)('is worth a look at its %s with %o', async (what, data, words) => {
    const row = await vehicleWith(data);
    const checks = vehicleChecks(row, scale);
    const check = checks.find(({ id }) => id === `vehicle.${row.publicId}.${what}`);
    expect(check).toMatchObject({ level: 'WARN', says: expect.stringContaining(words) });
    expect(check?.next).not.toBeNull();
    expect(JSON.stringify(checks)).not.toContain(row.vin);
  });

  it('that takes signed commands only misses the proxy where none is set', async () => {
    const [, key] = vehicleChecks(await vehicleWith({}), { ...scale, signs: false });
    expect(key).toMatchObject({ level: 'WARN', next: expect.stringContaining('PROXY_URL') });
  });

  it('of the garage is asked for nothing but being heard', async () => {
    expect(vehicleChecks(await vehicleWith({ simulated: true }), scale)).toHaveLength(1);
  });
});

describe('a region', () => {
  it.each(Object.entries(registrationTable))('that is %s says what it means', (word, row) => {
    const status = word as keyof typeof registrationTable;
    const region = { region: 'EU', status, detail: 'words', triedAt: null, registeredAt: null };
    const view = {
      maker: 'maker',
      domain: 'cars.example.org',
      redirectUrl: '',
      publicKey: null,
      publicKeyUrl: null,
      pairingUrl: null,
      signs: false,
      streams: false,
      registrations: [{ ...region, region: 'EU' as const, ...row }],
    };
    const [used] = registrationChecks(view, new Set(['EU']));
    const [unused] = registrationChecks(view, new Set());
    const good = status === 'REGISTERED';
    expect([used?.level, unused?.level]).toEqual(good ? ['OK', 'OK'] : ['FAIL', 'WARN']);
    expect(used?.says).toContain(row.description);
    expect(used?.says).toContain('The maker said: words');
  });
});
