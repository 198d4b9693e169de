import { describe, expect, it } from 'vitest';
import { addStartPage } from '../../src/transports/http/start-page.ts';
import { startHttpApp } from '../support/http-app.ts';

const doors = [
  { key: 'graphiql', path: '/graphiql', title: 'GraphiQL', sentence: 'Ask <anything>.' },
];

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('GET /', () => {
  it('answers a browser with a page that links to every door', async () => {
    await using app = await startHttpApp({ routes: (f, config) => addStartPage(f, config, doors) });
    const answer = await fetch(`${app.baseUrl}/`, { headers: browser });
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await answer.text();
    expect(page).toContain('<a href="/graphiql">');
    expect(page).toContain('Ask &lt;anything>.');
  });

  it('allows the page its one style and nothing else', async () => {
    await using app = await startHttpApp({ routes: (f, config) => addStartPage(f, config, doors) });
    const answer = await fetch(`${app.baseUrl}/`, { headers: browser });
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    expect(policy).not.toContain('script-src');
  });

  it('answers everybody else with the same doors as JSON', async () => {
    await using app = await startHttpApp({ routes: (f, config) => addStartPage(f, config, doors) });
    const answer = await fetch(`${app.baseUrl}/`, { headers: { accept: 'application/json' } });
    expect(await answer.json()).toMatchObject({
      service: 'odograph',
      graphiql: `${app.baseUrl}/graphiql`,
    });
  });

  it('builds its links from the configured base URL when there is one', async () => {
    await using app = await startHttpApp({
      environment: { ODOGRAPH_BASE_URL: 'https://cars.example.org/' },
      routes: (f, config) => addStartPage(f, config, doors),
    });
    const answer = await fetch(`${app.baseUrl}/`);
    expect(await answer.json()).toMatchObject({ graphiql: 'https://cars.example.org/graphiql' });
  });

  it.each([
    ['off', 'http'],
    ['127.0.0.1', 'https'],
  ])('with trusted proxies %s believes a forwarded protocol as %s', async (trusted, protocol) => {
    await using app = await startHttpApp({
      environment: { ODOGRAPH_TRUST_PROXY: trusted },
      routes: (f, config) => addStartPage(f, config, doors),
    });
    const answer = await fetch(`${app.baseUrl}/`, { headers: { 'x-forwarded-proto': 'https' } });
    const index: unknown = await answer.json();
    expect(index).toMatchObject({ graphiql: expect.stringMatching(new RegExp(`^${protocol}://`)) });
  });
});
