import { describe, expect, it } from 'vitest';
import { startHttpApp } from '../support/http-app.ts';

const preflight = {
  method: 'OPTIONS',
  headers: {
    origin: 'https://app.example.org',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  },
};

describe('headers', () => {
  it('sends the protective headers with every answer', async () => {
    await using app = await startHttpApp();
    for (const path of ['/healthz', '/nowhere']) {
      const { headers } = await fetch(app.baseUrl + path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-frame-options')).toBe('DENY');
    }
  });

  it('gives every answer a request id, and keeps the one of the caller', async () => {
    await using app = await startHttpApp();
    const own = await fetch(`${app.baseUrl}/healthz`);
    expect(own.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const given = await fetch(`${app.baseUrl}/healthz`, {
      headers: { 'x-request-id': 'trace:1234' },
    });
    expect(given.headers.get('x-request-id')).toBe('trace:1234');
  });

  it.each(['short', 'x'.repeat(129), 'a b c d e f g', '"quoted-value"'])(
    'replaces the request id %j, which is not harmless',
    async (id) => {
      await using app = await startHttpApp();
      const answer = await fetch(`${app.baseUrl}/healthz`, { headers: { 'x-request-id': id } });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it.each(['/api/vehicles', '/graphql', '/graphql/schema.graphql', '/graphql?query={a}'])(
    'opens %s to every origin, without credentials',
    async (path) => {
      await using app = await startHttpApp();
      const asked = await fetch(app.baseUrl + path, preflight);
      expect(asked.status).toBe(204);
      expect(asked.headers.get('access-control-allow-origin')).toBe('*');
      expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
      expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
      expect(asked.headers.has('access-control-allow-credentials')).toBe(false);
      const answer = await fetch(app.baseUrl + path, { headers: { origin: 'https://a.example' } });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = answer.headers.get('access-control-expose-headers') ?? '';
      for (const name of ['Link', 'ETag', 'X-Request-Id', 'RateLimit', 'Location', 'Retry-After']) {
        expect(exposed.split(', ')).toContain(name);
      }
    },
  );

  it.each(['/', '/healthz', '/metrics', '/graphiql', '/apiary', '/graphqlx'])(
    'does not open %s to other origins',
    async (path) => {
      await using app = await startHttpApp();
      const asked = await fetch(app.baseUrl + path, preflight);
      expect(asked.headers.has('access-control-allow-origin')).toBe(false);
      const answer = await fetch(app.baseUrl + path, { headers: { origin: 'https://a.example' } });
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    },
  );
});
