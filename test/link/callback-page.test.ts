import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DOMAIN, type Journey, startJourney } from './journey.ts';

const ROOT = '/api/account/maker-accounts';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
}, 60_000);
afterAll(() => journey?.[Symbol.asyncDispose]());
afterEach(() => journey.maker.clearFaults());

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
