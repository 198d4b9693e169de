import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DOMAIN, type Journey, startJourney, textAt } from './journey.ts';

const ROOT = '/api/account/maker-accounts';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let journey: Journey;
beforeAll(async () => {
  // Beside a configured maker the garage runs only when it is told to.
  journey = await startJourney({ ODOGRAPH_GARAGE: 'on' });
});
afterAll(() => journey?.[Symbol.asyncDispose]());
afterEach(() => journey.maker.clearFaults());

/** A refresh token as the person has it from elsewhere. */
const tokenOf = (subject: string, scopes?: string[]) =>
  journey.maker.seedTokens({ subject, vins: journey.vins, scopes }).refreshToken;

describe('linking with a refresh token', () => {
  it('links at once, by a real renewal, and follows the vehicles', async () => {
    const person = await journey.person();
    const refresh_token = tokenOf('pasted');
    const asked = journey.maker.calls.token;
    const told = await person.call('POST', ROOT, { refresh_token, label: 'Pasted' });
    expect(told).toMatchObject({
      status: 200,
      response: {
        authorize_url: null,
        state: null,
        maker_account: {
          label: 'Pasted',
          status: 'ACTIVE',
          region: 'EU',
          email_masked: 'p***@***.invalid',
          vehicles_count: journey.vins.length,
        },
      },
    });
    expect(journey.maker.calls.token).toBe(asked + 1);
  });

  it('has the pair stored, sealed, before it asks anything with it', async () => {
    const person = await journey.person();
    // All questions with the new token fail, and so would a link that were stored after them.
    journey.maker.fault({ kind: 'closed' });
    const told = await person.call('POST', ROOT, { refresh_token: tokenOf('stored first') });
    expect(told).toMatchObject({ status: 200, response: { maker_account: { status: 'ACTIVE' } } });
    const [row] = await journey.service.prisma.makerAccount.findMany({
      where: { accountId: person.account.id },
    });
    expect(row?.refreshToken).toMatch(/^v1\./);
    journey.maker.clearFaults();
    const id = textAt(Reflect.get(Object(told.response), 'maker_account'), 'id');
    expect((await person.call('POST', `${ROOT}/${id}/refresh`)).status).toBe(200);
  });

  it('survives an answer that is lost, where the maker takes the token once more', async () => {
    const person = await journey.person();
    journey.maker.fault({ kind: 'token_unavailable', times: 1 });
    const told = await person.call('POST', ROOT, { refresh_token: tokenOf('lost') });
    expect(told.status).toBe(200);
  });

  it('finds an account again that is linked, in the same row', async () => {
    const person = await journey.person();
    const id = await person.link({ subject: 'known' });
    const told = await person.call('POST', ROOT, { refresh_token: tokenOf('known') });
    expect(told).toMatchObject({ status: 200, response: { maker_account: { id } } });
  });

  it('refuses a token that was used, and says so at the field', async () => {
    const person = await journey.person();
    const refresh_token = tokenOf('twice');
    expect((await person.call('POST', ROOT, { refresh_token })).status).toBe(200);
    const again = await person.call('POST', ROOT, { refresh_token });
    expect(again).toMatchObject({ status: 422, error: 'validation_failed' });
    expect(JSON.parse(again.text).messages).toEqual({
      refresh_token: [expect.stringContaining('was used')],
    });
    expect(again.text).not.toContain(refresh_token.slice(4, 40));
  });

  it.each(['', '   ', 'two words', 'a\nb', 'x'.repeat(8_193)])(
    'refuses what is no token, without asking: %#',
    async (refresh_token) => {
      const person = await journey.person();
      const asked = journey.maker.calls.token;
      expect(await person.call('POST', ROOT, { refresh_token })).toMatchObject({ status: 422 });
      expect(journey.maker.calls.token).toBe(asked);
    },
  );

  it('tells of a maker that is down or wants fewer requests', async () => {
    const person = await journey.person();
    journey.maker.fault({ kind: 'token_unavailable' });
    expect(await person.call('POST', ROOT, { refresh_token: tokenOf('down') })).toMatchObject({
      status: 503,
      error: 'maker_unavailable',
    });
    journey.maker.clearFaults();
    journey.maker.fault({ kind: 'rate_limited', on: ['token'] });
    expect(await person.call('POST', ROOT, { refresh_token: tokenOf('limited') })).toMatchObject({
      status: 429,
      error: 'maker_rate_limited',
    });
  });

  it('echoes no token, whatever is wrong with the request', async () => {
    const person = await journey.person();
    const query = `mutation ($input: LinkMakerAccountInput!) { linkMakerAccount(input: $input) { state } }`;
    const secret = 'EU_never-to-be-seen-again';
    for (const input of [
      { refreshToken: [secret] },
      { refreshToken: { a: secret } },
      { refresh_token: secret },
      { refreshToken: secret, maker: 7 },
      { refreshToken: secret, seed: 'both' },
      { refreshToken: secret, label: 'x'.repeat(101) },
      { refreshToken: secret },
    ]) {
      const answer = await journey.service.graphql({ query, variables: { input } }, person.token);
      const text = await answer.text();
      expect(text).toContain('errors');
      expect(text).not.toContain('never-to-be-seen');
    }
    const literal = `mutation { linkMakerAccount(input: { refreshToken: ["${secret}"] }) { state } }`;
    const answer = await journey.service.graphql({ query: literal }, person.token);
    expect(await answer.text()).not.toContain('never-to-be-seen');
    expect(journey.said()).not.toContain('never-to-be-seen');
  });
});

describe('linking a person of the garage', () => {
  it('needs no browser, and the same seed is the same person', async () => {
    const person = await journey.person();
    const wish = { maker: 'simulator', seed: 'ada' };
    const told = await person.call('POST', ROOT, wish);
    expect(told).toMatchObject({
      status: 200,
      response: {
        authorize_url: null,
        maker_account: { maker: 'simulator', region: 'SIM', simulated: true, status: 'ACTIVE' },
      },
    });
    expect((await person.call('POST', ROOT, wish)).response).toMatchObject({
      maker_account: { id: textAt(Reflect.get(Object(told.response), 'maker_account'), 'id') },
    });
    const other = await person.call('POST', ROOT, { seed: 'grace' });
    expect((await person.call('GET', ROOT)).response).toHaveLength(2);
    expect(other.status).toBe(200);
  });

  it('is of the garage alone, and one way at a time', async () => {
    const person = await journey.person();
    const unclear = { seed: 'ada', refresh_token: 'EU_x' };
    for (const wish of [{ maker: 'tesla', seed: 'ada' }, { seed: 'a b' }, { seed: '' }, unclear]) {
      expect(await person.call('POST', ROOT, wish)).toMatchObject({
        status: 422,
        error: 'validation_failed',
      });
    }
  });
});

type Seen = { status: number; html: string; headers: Headers };

async function visit(url: string, accept = BROWSER): Promise<Seen> {
  const answer = await fetch(url, { headers: { accept } });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
}

/** Where a new sign-in sends the browser back to. */
async function backFrom(wish: { scopes?: string[]; label?: string }, decision?: 'deny') {
  const person = await journey.person();
  const { scopes, label } = wish;
  journey.maker.signIn({ subject: person.account.id, vins: journey.vins, scopes });
  const { authorizeUrl } = await person.start(label === undefined ? {} : { label });
  return journey.consent(authorizeUrl, decision);
}

describe('the page after a sign-in', () => {
  it('says what was linked and what to do next', async () => {
    const { status, html, headers } = await visit(await backFrom({ label: 'Ours' }));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('<h1>Your account is linked.</h1>');
    expect(html).toContain(`<b>${journey.vins.length} vehicles</b> of the account “Ours”`);
    expect(html).toContain(`href="https://tesla.com/_ak/${DOMAIN}"`);
    expect(html).toContain('name="viewport"');
  });

  it('allows its one style and nothing else, and nobody keeps it', async () => {
    const { html, headers } = await visit(await backFrom({}));
    const policy = headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(html).not.toMatch(/<script|\son\w+=|style="/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toContain('Accept');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('shows a name as text, whatever is in it', async () => {
    const { html } = await visit(await backFrom({ label: '<img src=x onerror="1">&' }));
    expect(html).toContain('“&lt;img src=x onerror=&quot;1&quot;>&amp;”');
  });

  it('says what was not allowed', async () => {
    const scopes = ['openid', 'offline_access', 'vehicle_device_data', 'user_data'];
    const { status, html } = await visit(await backFrom({ scopes }));
    expect(status).toBe(200);
    expect(html).toContain('<h2>You did not allow</h2>');
    expect(html).toContain('<code>vehicle_location</code>: where the vehicle is');
  });

  it('says when too little was allowed for anything', async () => {
    const { html } = await visit(await backFrom({ scopes: ['openid'] }));
    expect(html).toContain('<h1>Too little was allowed.</h1>');
  });

  it('says that a sign-in was refused, with the status of the error', async () => {
    const { status, html } = await visit(await backFrom({}, 'deny'));
    expect(status).toBe(403);
    expect(html).toContain('<h1>You did not allow it.</h1>');
    expect(html).toContain('consent_denied');
  });

  it('says that it was used before', async () => {
    const back = await backFrom({});
    await visit(back);
    const { status, html } = await visit(back);
    expect(status).toBe(409);
    expect(html).toContain('<h1>This sign-in cannot be used any more.</h1>');
    expect(html).not.toContain(new URL(back).searchParams.get('state') ?? 'none');
  });

  it.each([
    ['?state=unheard-of&code=EU_1', 400, 'This sign-in is not known here.'],
    ['?code=EU_1', 422, 'This address is not complete.'],
  ])('says that the address %s is wrong', async (query, wanted, title) => {
    const url = `${journey.service.baseUrl}${ROOT}/callback${query}`;
    const { status, html } = await visit(url);
    expect([status, html]).toEqual([wanted, expect.stringContaining(`<h1>${title}</h1>`)]);
  });

  it('says that the maker is down, and that waiting helps', async () => {
    const back = await backFrom({});
    journey.maker.fault({ kind: 'token_unavailable' });
    const { status, html } = await visit(back);
    expect(status).toBe(503);
    expect(html).toContain('Wait a while');
  });

  it.each(['application/json', '*/*', 'application/json, text/html;q=0.5'])(
    'is JSON for who accepts %s',
    async (accept) => {
      const { status, html, headers } = await visit(await backFrom({}), accept);
      expect([status, headers.get('content-type')]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(JSON.parse(html)).toMatchObject({
        response: {
          linked: true,
          vehicles_count: journey.vins.length,
          missing_scopes: [],
          pairing_url: `https://tesla.com/_ak/${DOMAIN}`,
        },
      });
    },
  );
});
