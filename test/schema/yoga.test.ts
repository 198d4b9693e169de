import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auditServer } from 'graphql-http';
import { createYoga } from 'graphql-yoga';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { formatError } from '../../src/schema/errors.ts';
import { schema } from '../../src/schema/index.ts';
import { yogaPlugin } from '../../src/schema/yoga.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aContext, anAccount, aPrincipal } from '../support/rows.ts';
import { at } from './ask.ts';

describe('Yoga over the schema', () => {
  let db: ScratchDatabase;
  let url: string;
  let stop: () => void;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
    const principal = aPrincipal(await anAccount(db.prisma), { scopes: new Set(['vehicles']) });
    const yoga = createYoga({
      schema,
      plugins: [yogaPlugin()],
      logging: false,
      graphiql: false,
      maskedErrors: {
        maskError: (error) => formatError(error, { log: silentLog, requestId: 'req-test' }),
      },
      context: ({ request }) =>
        aContext(db.prisma, request.headers.has('authorization') ? principal : null),
    });
    const server = createServer(yoga);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${portOf(address)}/graphql`;
    stop = () => server.close();
  });
  afterAll(async () => {
    stop();
    await db.close();
  });

  const portOf = (address: string | AddressInfo | null) =>
    typeof address === 'object' && address !== null ? address.port : 0;

  async function post(query: string, headers: Record<string, string> = {}) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    const body: unknown = await response.json();
    return { status: response.status, body, error: at(body, 'errors.0') };
  }

  it('passes every audit of GraphQL over HTTP', async () => {
    const results = await auditServer({ url });
    const failed = results.map((result) =>
      result.status === 'ok' ? [] : [`${result.name}: ${result.reason}`],
    );
    expect(failed.flat()).toEqual([]);
    expect(results).toHaveLength(61);
  });

  it('holds the limits and says which was broken', async () => {
    const many = await post(`{ ${'__typename '.repeat(2_001)} }`);
    expect(at(many.error, 'extensions.code')).toBe('INVALID_REQUEST');
    const aliases = Array.from({ length: 31 }, (_, i) => `a${i}: latestSoftwareUpdate { id }`);
    const renamed = await post(`{ ${aliases.join(' ')} }`);
    expect(at(renamed.error, 'message')).toContain('31 aliases');
  });

  it('answers 401 without a credential and 403 with one that lacks the scope', async () => {
    expect((await post('{ account { name } }')).status).toBe(401);
    const denied = await post('{ account { name } }', { authorization: 'Bearer x' });
    expect(denied.status).toBe(403);
    expect(at(denied.error, 'extensions')).toEqual({
      code: 'INSUFFICIENT_SCOPE',
      requiredScope: 'account',
      resolution: 'reauthenticate',
    });
  });

  it('answers 422 for an argument that cannot be, naming it', async () => {
    const refused = await post('{ vehicles(first: 0) { totalCount } }', {
      authorization: 'Bearer x',
    });
    expect(refused.status).toBe(422);
    expect(at(refused.error, 'extensions.fields.first')).toHaveLength(1);
    const literal = await post(
      '{ vehicle(publicId: "x") { drives(filter: { from: "2026-02-30T00:00:00Z" }) { totalCount } } }',
    );
    expect(literal.status).toBe(422);
    expect(at(literal.error, 'extensions.fields.from')).toHaveLength(1);
  });

  it('answers 400 for a mistake in the document, 200 to a client that asks for application/json', async () => {
    const json = await post('{ nothing }', { accept: 'application/json' });
    const modern = await post('{ nothing }', { accept: 'application/graphql-response+json' });
    expect([json.status, modern.status]).toEqual([200, 400]);
    expect(at(json.error, 'extensions.code')).toBe('INVALID_REQUEST');
  });
});
