import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../src/store/audit.ts';
import { eventually, type Journey, startJourney, textAt } from './journey.ts';

const ROOT = '/api/account/maker-accounts';

let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey?.[Symbol.asyncDispose]());
afterEach(() => journey.maker.clearFaults());

describe('linking a maker account', () => {
  it('answers where to consent, with a state, a challenge and a time', async () => {
    const person = await journey.person();
    const { status, response } = await person.call('POST', ROOT, { label: 'Ours' });
    expect(status).toBe(200);
    const { searchParams } = new URL(textAt(response, 'authorize_url'));
    expect(searchParams.get('state')).toBe(textAt(response, 'state'));
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    expect(searchParams.get('redirect_uri')).toBe(`${journey.service.baseUrl}${ROOT}/callback`);
    expect(searchParams.get('scope')).toContain('vehicle_location');
    const leftMs = Date.parse(textAt(response, 'expires_at')) - Date.now();
    expect(leftMs).toBeGreaterThan(9 * 60_000);
    expect(leftMs).toBeLessThanOrEqual(10 * 60_000 + 1_000);
  });

  it('stores neither the state nor the verifier in the clear', async () => {
    const person = await journey.person();
    const { state } = await person.start();
    const [row] = await journey.service.prisma.makerLink.findMany({
      where: { accountId: person.account.id },
    });
    expect(JSON.stringify(row)).not.toContain(state);
    expect(row?.codeVerifier).toMatch(/^v1\./);
  });

  it('makes the account at the callback, without a token of ours', async () => {
    const person = await journey.person();
    journey.maker.signIn({ subject: 'Ada', vins: [] });
    const { authorizeUrl } = await person.start({ label: 'Ours' });
    const back = await journey.consent(authorizeUrl);
    const answer = await fetch(back);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { response } = await person.call('GET', ROOT);
    expect(response).toMatchObject([
      {
        label: 'Ours',
        region: 'EU',
        status: 'ACTIVE',
        email_masked: 'A***@***.invalid',
        missing_scopes: [],
        simulated: false,
      },
    ]);
  });

  it('does nothing at a HEAD of the callback', async () => {
    const person = await journey.person();
    const { authorizeUrl } = await person.start();
    const back = await journey.consent(authorizeUrl);
    expect((await fetch(back, { method: 'HEAD' })).status).toBe(401);
    expect((await fetch(back)).status).toBe(200);
  });

  it('completes by hand from the address that was copied', async () => {
    const person = await journey.person();
    journey.maker.signIn({ subject: 'by hand', vins: [] });
    const callback_url = await journey.consent((await person.start()).authorizeUrl);
    const { status, response } = await person.call('POST', `${ROOT}/complete`, { callback_url });
    expect([status, textAt(response, 'status')]).toEqual([200, 'ACTIVE']);
  });

  it('lets nobody else complete it by hand', async () => {
    const [person, other] = [await journey.person(), await journey.person()];
    const callback_url = await journey.consent((await person.start()).authorizeUrl);
    expect(await other.call('POST', `${ROOT}/complete`, { callback_url })).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
    expect((await person.call('POST', `${ROOT}/complete`, { callback_url })).status).toBe(200);
  });

  it('refuses an address that is no callback', async () => {
    const person = await journey.person();
    const sent = { callback_url: 'https://example.org/' };
    expect(await person.call('POST', `${ROOT}/complete`, sent)).toMatchObject({
      status: 422,
      error: 'validation_failed',
    });
  });

  it('refuses a state that it never gave', async () => {
    const person = await journey.person();
    const back = `${ROOT}/callback?code=EU_1&state=unheard-of`;
    expect(await person.call('GET', back)).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('refuses a state that was used', async () => {
    const person = await journey.person();
    const back = await journey.consent((await person.start()).authorizeUrl);
    await person.call('GET', back);
    expect(await person.call('GET', back)).toMatchObject({ status: 409, error: 'relink_required' });
  });

  it('uses a state once for two callbacks at once', async () => {
    const person = await journey.person();
    const back = await journey.consent((await person.start()).authorizeUrl);
    const answers = await Promise.all([person.call('GET', back), person.call('GET', back)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('tells of a consent that was refused, and the state is used', async () => {
    const person = await journey.person();
    const { authorizeUrl, state } = await person.start();
    const back = await journey.consent(authorizeUrl, 'deny');
    expect(await person.call('GET', back)).toMatchObject({ status: 403, error: 'consent_denied' });
    const late = `${ROOT}/callback?code=EU_1&state=${state}`;
    expect(await person.call('GET', late)).toMatchObject({ status: 409, error: 'relink_required' });
  });

  it('tells of a code that the maker does not know', async () => {
    const person = await journey.person();
    const { state } = await person.start();
    const back = `${ROOT}/callback?code=EU_stale&state=${state}`;
    expect(await person.call('GET', back)).toMatchObject({ status: 409, error: 'relink_required' });
  });

  it('tells of a client secret that the maker does not accept', async () => {
    const person = await journey.person();
    const back = await journey.consent((await person.start()).authorizeUrl);
    journey.maker.requireSecret('another');
    try {
      expect(await person.call('GET', back)).toMatchObject({ status: 502, error: 'maker_error' });
    } finally {
      journey.maker.requireSecret('the-secret-of-the-application');
    }
  });

  it('tells of a maker that is down', async () => {
    const person = await journey.person();
    const back = await journey.consent((await person.start()).authorizeUrl);
    journey.maker.fault({ kind: 'token_unavailable' });
    expect(await person.call('GET', back)).toMatchObject({
      status: 503,
      error: 'maker_unavailable',
    });
  });

  it('tells of a maker that is not configured', async () => {
    const person = await journey.person();
    expect(await person.call('POST', ROOT, { maker: 'nobody' })).toMatchObject({
      status: 403,
      error: 'setting_forbids',
    });
  });

  it('keeps the link where only the region and the list do not come', async () => {
    const person = await journey.person();
    journey.maker.fault({ kind: 'unavailable' });
    const id = await person.link();
    expect(await person.call('GET', `${ROOT}/${id}`)).toMatchObject({
      response: { status: 'ACTIVE', region: 'EU', vehicles_count: 0 },
    });
  });

  it('links several accounts of the maker for one person', async () => {
    const person = await journey.person();
    const ids = [await person.link({ subject: 'one' }), await person.link({ subject: 'two' })];
    expect(new Set(ids).size).toBe(2);
  });

  it('finds the account again by the maker’s id of it, and keeps its label', async () => {
    const person = await journey.person();
    journey.maker.signIn({ subject: 'again', vins: [] });
    const first = await person.start({ label: 'Ours' });
    await person.call('GET', await journey.consent(first.authorizeUrl));
    await person.link({ subject: 'again' });
    expect((await person.call('GET', ROOT)).response).toMatchObject([{ label: 'Ours' }]);
  });

  it('works without the location, and says that it is missing', async () => {
    const person = await journey.person();
    const id = await person.link({ scopes: ['openid', 'offline_access', 'vehicle_device_data'] });
    const { response } = await person.call('GET', `${ROOT}/${id}`);
    expect(response).toMatchObject({
      status: 'ACTIVE',
      missing_scopes: ['user_data', 'vehicle_location', 'vehicle_cmds', 'vehicle_charging_cmds'],
      email_masked: null,
    });
  });

  it.each(['offline_access', 'vehicle_device_data'])('cannot work without %s', async (missing) => {
    const person = await journey.person();
    const scopes = ['offline_access', 'vehicle_device_data'].filter((one) => one !== missing);
    const id = await person.link({ scopes, vins: journey.vins });
    expect(await person.call('GET', `${ROOT}/${id}`)).toMatchObject({
      response: { status: 'MISSING_SCOPES', vehicles_count: 0 },
    });
  });

  it('becomes whole by signing in anew for the missing scopes', async () => {
    const person = await journey.person();
    const id = await person.link({ subject: 'partly', scopes: ['vehicle_device_data'] });
    const { response } = await person.call('POST', `${ROOT}/${id}/reauthorize`);
    const url = textAt(response, 'authorize_url');
    expect(new URL(url).searchParams.get('prompt_missing_scopes')).toBe('true');
    journey.maker.signIn({ subject: 'partly' });
    await person.call('GET', await journey.consent(url));
    expect(await person.call('GET', `${ROOT}/${id}`)).toMatchObject({
      response: { status: 'ACTIVE', missing_scopes: [] },
    });
    const events = await journey.service.prisma.event.findMany({
      where: { accountId: person.account.id, type: 'maker_account.status_changed' },
      orderBy: { position: 'asc' },
    });
    expect(events.map(({ data }) => textAt(data, 'status'))).toEqual(['MISSING_SCOPES', 'ACTIVE']);
  });

  it('refuses to sign in anew as somebody else', async () => {
    const person = await journey.person();
    const id = await person.link({ subject: 'this one' });
    const { response } = await person.call('POST', `${ROOT}/${id}/reauthorize`);
    journey.maker.signIn({ subject: 'that one', vins: [] });
    const back = await journey.consent(textAt(response, 'authorize_url'));
    expect(await person.call('GET', back)).toMatchObject({ status: 409, error: 'relink_required' });
  });

  it('revives a link that had ended, in the same row', async () => {
    const person = await journey.person();
    const id = await person.link({ subject: 'ended' });
    journey.maker.fault({ kind: 'login_required' });
    expect(await person.call('POST', `${ROOT}/${id}/refresh`)).toMatchObject({
      status: 409,
      error: 'relink_required',
    });
    expect(await person.call('GET', `${ROOT}/${id}`)).toMatchObject({
      response: { status: 'NEEDS_REAUTH', last_error: { code: 'login_required' } },
    });
    journey.maker.clearFaults();
    expect(await person.link({ subject: 'ended' })).toBe(id);
    expect(await person.call('POST', `${ROOT}/${id}/refresh`)).toMatchObject({
      status: 200,
      response: { status: 'ACTIVE', last_error: null },
    });
  });

  it('follows its vehicles at once, without a restart', async () => {
    const person = await journey.person();
    await person.link({ vins: journey.vins });
    const seen = await eventually(async () => {
      const rows = await journey.service.prisma.vehicle.findMany({
        where: { accountId: person.account.id, lastSeenAt: { not: null } },
      });
      return rows.length === journey.vins.length && rows;
    });
    expect(seen.map(({ publicId }) => publicId)).toContainEqual(expect.stringMatching(/^[a-z]/));
  });

  it('gives each account that holds a VIN a vehicle of its own', async () => {
    const people = [await journey.person(), await journey.person()];
    for (const person of people) await person.link({ subject: 'shared', vins: journey.vins });
    const rows = await journey.service.prisma.vehicle.findMany({
      where: { accountId: { in: people.map(({ account }) => account.id) } },
    });
    expect(rows).toHaveLength(2 * journey.vins.length);
    expect(new Set(rows.map(({ publicId }) => publicId)).size).toBe(rows.length);
  });

  it('writes who linked what into the audit, whose chain holds', async () => {
    const person = await journey.person();
    await person.link();
    const { prisma } = journey.service;
    const where = { accountId: person.account.id };
    const entries = await prisma.auditEntry.findMany({ where, orderBy: { position: 'asc' } });
    expect(entries.map(({ action }) => action)).toEqual([
      'token.create',
      'maker_account.start_link',
      'maker_account.link',
    ]);
    expect((await verifyAudit(prisma, person.account.id)).fault).toBeNull();
  });

  it('refuses a state that ended', async () => {
    const person = await journey.person();
    const back = await journey.consent((await person.start()).authorizeUrl);
    journey.pass(10 * 60_000);
    expect(await person.call('GET', back)).toMatchObject({ status: 409, error: 'relink_required' });
  });

  it('says no token, code, secret or verifier to callers or to the log', () => {
    const said = journey.said();
    expect(said.length).toBeGreaterThan(1_000);
    expect(said).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
    expect(said).not.toMatch(/\bEU_[\w-]{20,}/);
    expect(said).not.toContain('the-secret-of-the-application');
    expect(said).not.toMatch(/v1\.[\w-]{8}\./);
  });
});
