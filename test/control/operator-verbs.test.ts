import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { loadConfig } from '../../src/base/config.ts';
import { silentLog } from '../../src/base/log.ts';
import { runVerb } from '../../src/process/run-verb.ts';
import { ensureDemoAccount } from '../../src/store/accounts.ts';
import { openDatabase } from '../../src/store/client.ts';
import { lockDataDir } from '../../src/store/lock.ts';
import { bearing, newVehicle } from '../auth/household.ts';
import { describeEachEngine, type ScratchPlace, scratchPlace } from '../support/database.ts';
import { runOdograph } from './run-odograph.ts';
import { type RunningService, startService } from './running-service.ts';

const bearerOnly = { allowsApiKey: false };

describe('the command line beside a running service', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService('embedded');
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  const odograph = (...args: string[]) => runOdograph(service.db, ...args);

  it('prints a new token alone on standard output, and it opens at once', async () => {
    const car = await newVehicle(service.db.prisma, service.accountId);
    const run = await odograph(
      ...['token', 'create', '--name', 'my script', '--scopes', 'vehicles,controls'],
      ...['--days', '7', '--vehicle', car.publicId, '--precision', 'approximate'],
      ...['--groups', 'climate,charging'],
    );
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^odo_pat_[0-9A-Za-z]{38}\n$/);
    expect(run.stderr).toMatch(
      /^Token "my script" \(tok_[0-9a-z]{26}\) opens vehicles, controls of climate and charging \(1 vehicle only\) until /,
    );
    expect(run.stderr).not.toContain('odo_pat_');
    const token = run.stdout.trim();
    const principal = await service.authenticator.authenticate(bearing(token), bearerOnly);
    expect(principal).toMatchObject({
      vehicleIds: [car.id],
      locationPrecision: 'APPROXIMATE',
      commandGroups: ['climate', 'charging'],
    });
    expect([...principal.scopes]).toEqual(['vehicles', 'controls']);
  });

  it('prints JSON, lists and revokes', async () => {
    const made = await odograph('token', 'create', '--name', 'j', '--scopes', 'account', '--json');
    const { token, id } = JSON.parse(made.stdout);
    const listed = await odograph('token', 'list', '--json');
    const ids = JSON.parse(listed.stdout).tokens.map((row: { id: string }) => row.id);
    expect(ids).toContain(id);
    expect(listed.stdout).not.toContain(token);
    const revoked = await odograph('token', 'revoke', id);
    expect([revoked.code, revoked.stdout]).toEqual([0, '']);
    expect(revoked.stderr).toContain('is revoked');
    await expect(
      service.authenticator.authenticate(bearing(token), bearerOnly),
    ).rejects.toMatchObject({ code: 'invalid_token' });
    const table = await odograph('token', 'list', '--revoked');
    expect(table.stdout).toMatch(new RegExp(`^${id}  j +account  +.*never`, 'm'));
  });

  it('makes, lists and revokes an ingest token', async () => {
    const made = await odograph('token', 'create', '--ingest', '--name', 'server', '--days', '7');
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^odo_ing_\w{38}\n$/)]);
    const id = /igt_[0-9a-z]{26}/.exec(made.stderr)?.[0] ?? '';
    expect(made.stderr).toContain(`Ingest token "server" (${id}) opens /ingest until `);
    await service.authenticator.authenticateIngest(bearing(made.stdout.trim()));
    const table = await odograph('token', 'list', '--ingest');
    expect(table.stdout).toMatch(new RegExp(`^${id}  server  20`, 'm'));
    expect(table.stdout).not.toContain(made.stdout.trim());
    const revoked = await odograph('token', 'revoke', id);
    expect([revoked.code, revoked.stderr]).toEqual([0, `Token ${id} is revoked.\n`]);
    await expect(
      service.authenticator.authenticateIngest(bearing(made.stdout.trim())),
    ).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('makes and revokes an API key', async () => {
    const made = await odograph('api-key', 'create', '--controls');
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^odo_key_\w{38}\n$/)]);
    const id = /key_[0-9a-z]{26}/.exec(made.stderr)?.[0] ?? '';
    const revoked = await odograph('api-key', 'revoke', id);
    expect([revoked.code, revoked.stderr]).toEqual([0, `API key ${id} is revoked.\n`]);
  });

  it('says that the service runs, and verifies the audit', async () => {
    const status = await odograph('status');
    expect([status.code, status.stdout]).toEqual([
      0,
      `Odograph 0.1.0 runs as process ${process.pid} since 2026-12-01T12:00:00.000Z.\ngraphqlUrl: http://127.0.0.1:8080/graphql\n`,
    ]);
    const audit = await odograph('audit', 'verify');
    expect([audit.code, audit.stdout]).toEqual([0, expect.stringContaining('unchanged')]);
    await service.db.pool.query(
      `UPDATE audit_entry SET actor = 'nobody' WHERE account_id = $1 AND position = 1`,
      [service.accountId],
    );
    const changed = await odograph('audit', 'verify');
    expect([changed.code, changed.stdout]).toEqual([
      1,
      expect.stringContaining('Entry 1 was changed'),
    ]);
  });
});

describeEachEngine('the command line where no service runs', (engine) => {
  let place: ScratchPlace;

  beforeAll(async () => {
    place = await scratchPlace(engine);
    await withDatabase(async (prisma) => {
      await ensureDemoAccount(prisma, systemClock());
    });
  });

  afterAll(async () => {
    await place[Symbol.asyncDispose]();
  });

  type Prisma = Awaited<ReturnType<typeof openDatabase>>['prisma'];

  async function withDatabase<T>(work: (prisma: Prisma) => Promise<T>): Promise<T> {
    const lock = await lockDataDir(place.dataDir);
    await using database = await openDatabase({ ...place, log: silentLog });
    const result = await work(database.prisma);
    lock.release();
    return result;
  }

  it('opens the database itself, under the lock, and leaves both free', async () => {
    const made = await runOdograph(
      place,
      'token',
      'create',
      '--name',
      'alone',
      '--scopes',
      'account',
    );
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^odo_pat_/)]);
    expect(made.stderr).toMatch(/^Token "alone"/);
    const listed = await runOdograph(place, 'token', 'list', '--json');
    expect(JSON.parse(listed.stdout).tokens).toMatchObject([{ name: 'alone' }]);
    expect(await withDatabase((prisma) => prisma.token.count())).toBe(1);
    expect(existsSync(join(place.dataDir, 'control.sock'))).toBe(false);
  });

  it('says that no service runs, with exit code 1 and without opening anything', async () => {
    const run = await runOdograph(place, 'status');
    expect([run.code, run.stdout]).toEqual([1, 'No service runs on this data folder.\n']);
  });

  it('waits for a service that is starting', async () => {
    const starting = await lockDataDir(place.dataDir);
    const { dataDir, databaseUrl } = place;
    const config = loadConfig({
      ODOGRAPH_DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl ?? undefined,
    });
    const list = runVerb('token.list', {}, { config, log: silentLog });
    setTimeout(() => starting.release(), 600);
    expect((await list).more).toBe(false);
  });
});

describe('the command line, used wrongly', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService('embedded');
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  it.each([
    [
      'a scope that does not exist',
      ['token', 'create', '--name', 'x', '--scopes', 'all'],
      2,
      '--scopes: Unknown scope "all"',
    ],
    [
      'a life that is too long',
      ['token', 'create', '--name', 'x', '--scopes', 'account', '--days', '367'],
      2,
      '--days: A whole number',
    ],
    [
      'a vehicle that does not exist',
      ['token', 'create', '--name', 'x', '--scopes', 'account', '--vehicle', 'nope'],
      2,
      '--vehicle: No vehicle "nope"',
    ],
    [
      'a group of commands that does not exist',
      ['token', 'create', '--name', 'x', '--scopes', 'controls', '--groups', 'teleport'],
      2,
      '--groups: Unknown group "teleport"',
    ],
    ['a missing flag', ['token', 'create', '--name', 'x'], 2, '--scopes: Give scopes, or --ingest'],
    [
      'an ingest token with scopes',
      ['token', 'create', '--ingest', '--name', 'x', '--scopes', 'account'],
      2,
      'takes no --scopes',
    ],
    ['an unknown flag', ['token', 'list', '--everything'], 2, 'unknown option'],
    ['an unknown verb', ['token', 'burn'], 2, 'unknown command'],
    [
      'days that are no number',
      ['token', 'create', '--name', 'x', '--scopes', 'account', '--days', 'ten'],
      2,
      'whole number',
    ],
    [
      'a token that does not exist',
      ['token', 'revoke', 'tok_01h45ytscbebyvny4gc8cr8ma2'],
      1,
      'There is no token with this id',
    ],
  ])('explains %s on standard error', async (_, args, code, words) => {
    const run = await runOdograph(service.db, ...args);
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toContain(words);
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });
});

describe('the command line on a folder where nothing was ever started', () => {
  it('says so, and makes nothing there', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'odo-'));
    const dataDir = join(parent, 'data');
    const run = await runOdograph({ dataDir, databaseUrl: null }, 'token', 'list');
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toContain('Nothing was ever started');
    expect(run.stderr).toContain('hint: ');
    expect(existsSync(dataDir)).toBe(false);
    rmSync(parent, { recursive: true });
  });
});
