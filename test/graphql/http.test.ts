import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schemaText } from '../../src/schema/index.ts';
import { type BootedService, boot } from '../support/boot.ts';

let booted: BootedService;
let all = '';
beforeAll(async () => {
  booted = await boot({ garageDays: 2 });
  all = await booted.token({ scopes: ['account', 'maker-accounts', 'vehicles', 'controls'] });
});
afterAll(() => booted[Symbol.asyncDispose]());

const response = z.looseObject({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(z.looseObject({ message: z.string(), extensions: z.record(z.string(), z.unknown()) }))
    .optional(),
});

async function read(answer: Response) {
  return response.parse(await answer.json());
}

async function codeOf(answer: Response): Promise<unknown> {
  return (await read(answer)).errors?.[0]?.extensions.code;
}

const json = { 'content-type': 'application/json' };
const vehicles = '{ vehicles(first: 5) { nodes { publicId } } }';

function nested(depth: number): string {
  return `${'{ a '.repeat(depth)}${'}'.repeat(depth)}`;
}

function aliased(count: number): string {
  const fields = Array.from({ length: count }, (_, i) => `a${i}: vehicles { totalCount }`);
  return `{ ${fields.join(' ')} }`;
}

describe('/graphql', () => {
  it('answers a query by POST and by GET alike', async () => {
    const posted = await read(await booted.graphql({ query: vehicles }, all));
    const path = `/graphql?query=${encodeURIComponent(vehicles)}`;
    const got = await read(await booted.get(path, all));
    expect(posted.data).toEqual({
      vehicles: { nodes: expect.arrayContaining([{ publicId: 'blue-heron' }]) },
    });
    expect(got).toEqual(posted);
  });

  it('answers introspection and public fields without a credential', async () => {
    const answer = await booted.graphql({ query: '{ __schema { queryType { name } } }' });
    expect(answer.status).toBe(200);
    expect((await read(answer)).data).toEqual({ __schema: { queryType: { name: 'Query' } } });
  });

  it('answers everything else without a credential with 401 and a challenge without an error', async () => {
    const answer = await booted.graphql({ query: vehicles });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="odograph"');
    expect(await codeOf(answer)).toBe('MISSING_TOKEN');
  });

  it('refuses a wrong credential with 401 even for public fields and broken documents', async () => {
    for (const query of ['{ __typename }', '{ broken']) {
      const answer = await booted.graphql({ query }, 'odo_pat_nothing');
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
      expect(await codeOf(answer)).toBe('INVALID_TOKEN');
    }
  });

  it('answers a missing scope with 403 that names it in the challenge and the error', async () => {
    const token = await booted.token({ scopes: ['account'] });
    const answer = await booted.graphql({ query: vehicles }, token);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('scope="vehicles"');
    const body = await read(answer);
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
      requiredScope: 'vehicles',
    });
  });

  it('never opens anything for mcp:use alone', async () => {
    const token = await booted.token({ scopes: ['mcp:use'] });
    expect((await booted.graphql({ query: vehicles }, token)).status).toBe(403);
  });

  it('refuses an api_key with 401 bearer_required', async () => {
    const answer = await fetch(`${booted.baseUrl}/graphql?api_key=abc`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ query: '{ __typename }' }),
    });
    expect(answer.status).toBe(401);
    expect(await codeOf(answer)).toBe('BEARER_REQUIRED');
  });

  it('ignores cookies', async () => {
    const answer = await fetch(`${booted.baseUrl}/graphql`, {
      method: 'POST',
      headers: { ...json, cookie: `token=${all}; session=${all}` },
      body: JSON.stringify({ query: vehicles }),
    });
    expect(answer.status).toBe(401);
  });

  it('answers 200 when a part of the data is there, and 403 when all of it is refused', async () => {
    const token = await booted.token({ scopes: ['account'] });
    const refused = 'drive(id: "drv_01h45ytscbebyvny4gc8cr8ma2") { id }';
    const part = await booted.graphql({ query: `{ account { name } ${refused} }` }, token);
    expect(part.status).toBe(200);
    expect(part.headers.has('www-authenticate')).toBe(false);
    const body = await read(part);
    expect(body.data).toEqual({ account: { name: 'Demo owner' }, drive: null });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    const whole = await booted.graphql({ query: `{ ${refused} }` }, token);
    expect(whole.status).toBe(403);
  });

  it('answers a mutation by GET with 405 and Allow', async () => {
    const query = encodeURIComponent('mutation { __typename }');
    const answer = await booted.get(`/graphql?query=${query}`, all);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  it('answers other methods with 405', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const answer = await fetch(`${booted.baseUrl}/graphql`, { method });
      expect(answer.status).toBe(405);
    }
  });

  it.each([
    ['malformed JSON', '{"query":'],
    ['JSON that is no object', '17'],
    ['a query that is no string', '{"query":{}}'],
    ['variables that are no object', '{"query":"{ __typename }","variables":"x"}'],
    ['an unknown member', '{"query":"{ __typename }","quarry":1}'],
    ['a batch', '[{"query":"{ __typename }"},{"query":"{ __typename }"}]'],
  ])('answers %s with 400 and a code, and logs nothing', async (_what, body) => {
    const before = booted.logLines.length;
    const answer = await fetch(`${booted.baseUrl}/graphql`, {
      method: 'POST',
      headers: json,
      body,
    });
    expect(answer.status).toBe(400);
    expect(await codeOf(answer)).toBe('INVALID_REQUEST');
    expect(booted.logLines.slice(before).filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('answers variables in a GET that are no JSON with 400', async () => {
    const answer = await booted.get('/graphql?query=%7B__typename%7D&variables=%7Bbad');
    expect(answer.status).toBe(400);
    expect(await codeOf(answer)).toBe('INVALID_REQUEST');
  });

  it('answers a body over 1 MiB with 413', async () => {
    const query = `{ __typename } #${'x'.repeat(1_048_576)}`;
    const answer = await booted.graphql({ query });
    expect(answer.status).toBe(413);
    expect(await codeOf(answer)).toBe('PAYLOAD_TOO_LARGE');
  });

  it('answers a body of an unknown type with 415', async () => {
    const answer = await fetch(`${booted.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{ __typename }',
    });
    expect(answer.status).toBe(415);
  });

  it.each([
    ['11 fields deep', nested(11), /11 fields deep; at most 10/],
    ['31 aliases', aliased(31), /31 aliases; at most 30/],
    ['over 2,000 tokens', `{ ${'__typename '.repeat(2_000)} }`, /more tha[nt] 2000 tokens/],
  ])('refuses an operation with %s', async (_what, query, message) => {
    const answer = await fetch(`${booted.baseUrl}/graphql`, {
      method: 'POST',
      headers: { ...json, accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query }),
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toMatch(message);
  });

  it('keeps no answer in caches and says the request id', async () => {
    const answer = await booted.graphql({ query: '{ __typename }' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sends a person with a browser to GraphiQL', async () => {
    const answer = await fetch(`${booted.baseUrl}/graphql`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/graphiql');
  });

  it('serves its contract as text that can be read again', async () => {
    const answer = await booted.get('/graphql/schema.graphql');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await answer.text();
    expect(text).toBe(schemaText());
    expect(buildSchema(text).getQueryType()?.name).toBe('Query');
  });
});
