import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Journey, startJourney } from '../link/journey.ts';
import { ensureServerBuilt, runBuilt } from '../support/built.ts';
import { freePort } from '../support/port.ts';

const report = z.object({
  ok: z.boolean(),
  checks: z.array(
    z.object({
      id: z.string(),
      level: z.enum(['OK', 'WARN', 'FAIL']),
      says: z.string(),
      next: z.string().nullable(),
    }),
  ),
});

type Report = { code: number | null; levels: Record<string, string>; text: string };

async function examined(env: Record<string, string>): Promise<Report> {
  await ensureServerBuilt();
  await using run = runBuilt({ cwd: tmpdir(), args: ['doctor', '--json'], env });
  const code = await run.ended;
  const { ok, checks } = report.parse(JSON.parse(run.stdout()));
  expect(ok).toBe(code === 0);
  // Whatever is not fine says what to do.
  for (const { level, next } of checks) expect(next === null).toBe(level === 'OK');
  const levels = Object.fromEntries(checks.map(({ id, level }) => [id, level]));
  return { code, levels, text: run.stdout() };
}

describe('odograph doctor beside a running service', () => {
  let journey: Journey;
  let env: Record<string, string>;
  const port = freePort();

  beforeAll(async () => {
    const baseUrl = `http://127.0.0.1:${await port}`;
    // Its own host is the domain, so that the public key is looked for here.
    const own = { PORT: String(await port), ODOGRAPH_BASE_URL: baseUrl };
    journey = await startJourney({ ...own, ODOGRAPH_MAKER_DOMAIN: '127.0.0.1' });
    journey.maker.answerDomain('127.0.0.1', baseUrl);
    env = { ODOGRAPH_DATA_DIR: journey.service.dataDir };
  });
  afterAll(() => journey?.[Symbol.asyncDispose]());

  it('tells of each part in a row of its own, and ends with 0 while nothing is in the way', async () => {
    const { code, levels } = await examined(env);
    expect(levels).toMatchObject({
      settings: 'OK',
      service: 'OK',
      database: 'OK',
      secret_key: 'OK',
      clock: 'OK',
      // The maker wants https.
      base_url: 'WARN',
      public_key: 'OK',
      'registration.NA': 'WARN',
      'registration.EU': 'WARN',
      signing_proxy: 'OK',
    });
    expect(['OK', 'WARN']).toContain(levels.disk);
    expect(code).toBe(0);
  });

  it('turns green row by row, and ends with 1 when an account has ended', async () => {
    const person = await journey.person();
    const id = await person.link({ vins: journey.vins });
    expect((await examined(env)).levels).toMatchObject({
      // An account lives there now.
      'registration.EU': 'FAIL',
      'registration.NA': 'WARN',
      [`maker_account.${id}`]: 'OK',
    });
    const operator = await journey.operator();
    await operator.call('POST', '/api/account/maker-application/register');
    const registered = await examined(env);
    expect(registered.levels).toMatchObject({ 'registration.EU': 'OK', 'registration.NA': 'OK' });
    expect(registered.code).toBe(0);
    journey.maker.fault({ kind: 'login_required' });
    await person.call('POST', `/api/account/maker-accounts/${id}/refresh`);
    const ended = await examined(env);
    expect([ended.code, ended.levels[`maker_account.${id}`]]).toEqual([1, 'FAIL']);
    for (const vin of journey.vins) expect(ended.text).not.toContain(vin);
    expect(ended.text).not.toMatch(/eyJ|EU_[\w-]{20}/);
  });

  it('says it in lines for people', async () => {
    await using run = runBuilt({ cwd: tmpdir(), args: ['doctor'], env });
    await run.ended;
    expect(run.stdout()).toMatch(/^OK {4}settings: /);
    expect(run.stdout()).toMatch(/\nWARN {2}base_url: .*\n {6}next: Set ODOGRAPH_BASE_URL/);
  });

  it('goes on from the database alone where the service is stopped', async () => {
    await journey.service.service.close();
    const alone = {
      ...env,
      ODOGRAPH_BASE_URL: journey.service.baseUrl,
      ODOGRAPH_MAKER_CLIENT_ID: 'application',
      ODOGRAPH_MAKER_API_URL: journey.maker.baseUrl,
      ODOGRAPH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    expect((await examined(alone)).levels).toMatchObject({
      service: 'WARN',
      database: 'OK',
      secret_key: 'OK',
      public_key: 'WARN',
      'registration.EU': 'OK',
    });
  });
});

describe('odograph doctor where no service runs', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('tells of settings that are wrong, each with what to do', async () => {
    const { code, levels, text } = await examined({ PORT: 'eighty', LOG_LEVEL: 'loud' });
    expect([code, levels.settings]).toEqual([1, 'FAIL']);
    expect(text).toContain('PORT must be');
    expect(text).toContain('LOG_LEVEL must be');
  });

  it('says that nothing was ever started there', async () => {
    const { code, levels, text } = await examined({ ODOGRAPH_DATA_DIR: dataDir });
    expect([code, levels.service]).toEqual([1, 'FAIL']);
    expect(text).toContain('Nothing was ever started');
  });
});
