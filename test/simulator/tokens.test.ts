import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/base/units.ts';
import { bodyOf, type Maker, startMaker } from './maker.ts';

const LIST = '/api/1/vehicles';

type Pair = { access_token: string; refresh_token: string };

async function pairFrom(answer: Promise<Response>): Promise<Pair> {
  const body = await bodyOf(answer);
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 28_800 });
  const read = (name: string) =>
    typeof body === 'object' && body !== null ? String(Reflect.get(body, name)) : '';
  return { access_token: read('access_token'), refresh_token: read('refresh_token') };
}

async function refused(answer: Promise<Response>) {
  const response = await answer;
  return { status: response.status, body: await response.json() };
}

async function errorOf(maker: Maker, token: string) {
  const answer = await maker.get(LIST, token);
  return { status: answer.status, body: await answer.json() };
}

describe('the token endpoint', () => {
  it('gives a new pair for a refresh token, once', async () => {
    await using maker = await startMaker();
    const pair = await pairFrom(maker.refresh(maker.refreshToken));
    expect((await maker.get(LIST, pair.access_token)).status).toBe(200);
    expect(await refused(maker.refresh(maker.refreshToken))).toMatchObject({
      status: 401,
      body: { error: 'login_required' },
    });
    expect((await maker.refresh(pair.refresh_token)).status).toBe(200);
  });

  it('puts subject, scopes, region and audience into the access token', async () => {
    await using maker = await startMaker();
    const { access_token } = await pairFrom(maker.refresh(maker.refreshToken));
    const claims: unknown = JSON.parse(
      Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(claims).toMatchObject({
      sub: 'person',
      scp: expect.arrayContaining(['vehicle_device_data', 'vehicle_location', 'offline_access']),
      ou_code: 'EU',
      aud: [maker.simulator.baseUrl],
    });
  });

  it('issues access tokens for 8 hours and refresh tokens for 90 days', async () => {
    await using maker = await startMaker();
    const pair = await pairFrom(maker.refresh(maker.refreshToken));
    maker.turn(8 * HOUR_MS);
    expect(await errorOf(maker, pair.access_token)).toMatchObject({
      status: 401,
      body: { error: 'token expired (401)' },
    });
    maker.turn(90 * DAY_MS);
    expect((await maker.refresh(pair.refresh_token)).status).toBe(401);
  });

  it('refuses a forged token', async () => {
    await using maker = await startMaker();
    const { access_token } = await pairFrom(maker.refresh(maker.refreshToken));
    const forged = `${access_token.slice(0, -4)}AAAA`;
    expect(await errorOf(maker, forged)).toMatchObject({
      status: 401,
      body: { error: 'invalid bearer token' },
    });
    expect((await maker.refresh('EU_forged.AAAA')).status).toBe(401);
  });

  it('refuses an unknown grant and a missing client', async () => {
    await using maker = await startMaker();
    const post = (form: Record<string, string>) =>
      refused(fetch(maker.simulator.tokenUrl, { method: 'POST', body: new URLSearchParams(form) }));
    expect(await post({ grant_type: 'password' })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    });
    expect(await post({ grant_type: 'refresh_token' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  it('takes the tokens of an earlier process with the same seed, and of no other', async () => {
    await using earlier = await startMaker();
    const { refresh_token } = await pairFrom(earlier.refresh(earlier.refreshToken));
    await using later = await startMaker();
    await using stranger = await startMaker({ seed: 'stranger' });
    expect((await later.refresh(refresh_token)).status).toBe(200);
    expect((await stranger.refresh(refresh_token)).status).toBe(401);
  });

  it('spends the refresh token and loses the answer when told to', async () => {
    await using maker = await startMaker();
    maker.simulator.fault({ kind: 'token_lost', times: 1 });
    await expect(maker.refresh(maker.refreshToken)).rejects.toThrow();
    expect(await refused(maker.refresh(maker.refreshToken))).toMatchObject({
      status: 401,
      body: { error: 'login_required' },
    });
  });
});
