import { GraphQLError, getIntrospectionQuery, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { formatError } from '../../src/schema/errors.ts';
import { execute, prepare } from '../../src/schema/execute.ts';
import { limits } from '../../src/schema/limits.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aContext, anAccount, aPrincipal, aVehicle } from '../support/rows.ts';
import { answer, ask, at, codes } from './ask.ts';

function lines() {
  const written: string[] = [];
  return { written, log: createLog('info', { write: (line) => void written.push(line) }) };
}

describe('an operation', () => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  afterAll(() => db.close());

  const refused = async (document: string, variables: Record<string, unknown> = {}) => {
    const result = await ask(db.prisma, null, document, variables);
    expect(result.data).toBeUndefined();
    return result;
  };

  it('that is no GraphQL is an invalid request, with the place of the mistake', async () => {
    const result = await refused('{ account { ');
    expect(result.errors?.[0]).toMatchObject({
      locations: [{ line: 1, column: 13 }],
      extensions: { code: 'INVALID_REQUEST', http: { status: 400 }, resolution: 'fix_request' },
    });
  });

  it('that asks for what is not there is an invalid request', async () => {
    expect(codes(await refused('{ nothing }'))).toEqual(['INVALID_REQUEST']);
  });

  it('that lacks a variable, or gives one of the wrong type, is an invalid request', async () => {
    const document =
      'query ($id: ID!, $first: Int) { vehicle(publicId: $id) { drives(first: $first) { totalCount } } }';
    expect(codes(await refused(document))).toEqual(['INVALID_REQUEST']);
    expect(codes(await refused(document, { id: 'x', first: 'ten' }))).toEqual(['INVALID_REQUEST']);
  });

  it('of several must be named, and by a name that is there', async () => {
    const prepared = prepare('query A { __typename } query B { a: __typename }');
    const context = () => aContext(db.prisma, null);
    expect((await execute(prepared, { operationName: 'B', context: context() })).data).toEqual({
      a: 'Query',
    });
    expect(codes(await execute(prepared, { context: context() }))).toEqual(['INVALID_REQUEST']);
    expect(codes(await execute(prepared, { operationName: 'C', context: context() }))).toEqual([
      'INVALID_REQUEST',
    ]);
  });

  it(`may be ${limits.depth} fields deep and no deeper`, async () => {
    const inner = 'start { location { place { name } } }';
    const ten = `{ vehicles { edges { node { drives { edges { node { ${inner} } } } } } } }`;
    const eleven = `{ vehicles { edges { node { drives { edges { node { trip { drives { nodes { start { odometerKm } } } } } } } } } } }`;
    expect(prepare(ten).errors).toEqual([]);
    expect(codes(await refused(eleven))).toEqual(['INVALID_REQUEST']);
  });

  it('counts the depth inside fragments', async () => {
    const document = `{ vehicles { edges { node { ...V } } } }
      fragment V on Vehicle { drives { edges { node { ...D } } } }
      fragment D on Drive { trip { start { place { name createdAt } } vehicle { trips { nodes { id } } } } }`;
    const result = await refused(document);
    expect(result.errors?.[0]?.message).toContain('fields deep');
  });

  it(`may have ${limits.aliases} aliases and no more, fragments counted as often as they are spread`, async () => {
    const aliases = (count: number) =>
      Array.from({ length: count }, (_, i) => `a${i}: latestSoftwareUpdate { id }`).join(' ');
    expect(prepare(`{ ${aliases(30)} }`).errors).toEqual([]);
    expect(codes(await refused(`{ ${aliases(31)} }`))).toEqual(['INVALID_REQUEST']);
    const spread = `{ ...A ...B } fragment A on Query { ${aliases(16)} } fragment B on Query { ...A }`;
    expect((await refused(spread)).errors?.[0]?.message).toContain('32 aliases');
  });

  it(`may have ${limits.tokens} tokens and no more, and is refused before it is validated`, async () => {
    const result = await refused(`{ ${'__typename '.repeat(limits.tokens)} }`);
    expect(codes(result)).toEqual(['INVALID_REQUEST']);
    expect(result.errors).toHaveLength(1);
  });

  it('with a fragment inside itself is refused', async () => {
    expect(codes(await refused('{ ...A } fragment A on Query { ...A }'))).toContain(
      'INVALID_REQUEST',
    );
  });

  it('that would answer too much is refused with its cost, before anything is read', async () => {
    db.statements.length = 0;
    const account = await anAccount(db.prisma);
    db.statements.length = 0;
    const document = `query ($n: Int) { vehicles(first: $n) { nodes { drives(first: $n) { nodes { start { location { place { name } } } } } } } }`;
    const result = await ask(db.prisma, aPrincipal(account), document, { n: 200 });
    expect(result.errors?.[0]?.extensions).toMatchObject({
      code: 'QUERY_TOO_COSTLY',
      cost: expect.any(Number),
      limit: limits.cost,
      http: { status: 400 },
    });
    expect(db.statements).toEqual([]);
    expect((await ask(db.prisma, aPrincipal(account), document, { n: 20 })).errors).toBeUndefined();
  });

  it('may introspect the whole schema', async () => {
    const result = await ask(db.prisma, null, getIntrospectionQuery());
    expect(result.errors).toBeUndefined();
    expect(at(result.data, '__schema.queryType.name')).toBe('Query');
  });

  it.each([
    [
      'literal',
      '{ vehicle(publicId: "x") { drives(filter: { from: "2026-02-30T00:00:00Z" }) { totalCount } } }',
      {},
    ],
    [
      'variable',
      'query ($from: DateTime) { vehicle(publicId: "x") { drives(filter: { from: $from }) { totalCount } } }',
      { from: '2026-02-30T00:00:00Z' },
    ],
    [
      'filter',
      'query ($f: DriveFilter) { vehicle(publicId: "x") { drives(filter: $f) { totalCount } } }',
      { f: { from: '2026-02-30T00:00:00Z' } },
    ],
  ])(
    'with a date that does not exist in a %s is refused, naming the argument',
    async (_kind, document, variables) => {
      const result = await refused(document, variables);
      expect(result.errors?.[0]?.extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        http: { status: 422 },
        fields: { from: [expect.stringContaining('no point in time')] },
      });
    },
  );

  it('with a character that cannot be stored is refused', async () => {
    const account = await anAccount(db.prisma);
    const document = 'query ($id: ID!) { vehicle(publicId: $id) { id } }';
    const result = await ask(db.prisma, aPrincipal(account), document, { id: 'a\0b' });
    expect(codes(result)).toEqual(['VALIDATION_FAILED']);
  });

  it('answers null for ids that are none, or of another kind', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { node(id: "rubbish") { id } other: node(id: "tok_01h45ytscbebyvny4gc8cr8ma2") { id }
        drive(id: $id) { id } charge(id: "") { id } trip(id: "trp_x") { id } place(id: $id) { id }
        command(id: $id) { id } makerAccount(id: $id) { id }
        softwareUpdate(version: "no") { id } }`,
      { id: `veh_${vehicle.id}` },
    );
    expect(Object.values(data)).toEqual(Object.values(data).map(() => null));
  });
});

describe('an unexpected error', () => {
  const context = (log: ReturnType<typeof lines>['log']) => ({ log, requestId: 'req-7' });

  it('is told as nothing but an internal error, and logged once with its cause and the request id', () => {
    const { written, log } = lines();
    const cause = new Error('password=hunter2 at 10.0.0.1');
    const located = new GraphQLError('x', { path: ['vehicle', 'name'], originalError: cause });
    const first = formatError(located, context(log));
    formatError(
      new GraphQLError('y', { path: ['vehicle', 'vin'], originalError: cause }),
      context(log),
    );
    expect(first.toJSON()).toEqual({
      message: 'Something went wrong here; the log has the details under this request id.',
      path: ['vehicle', 'name'],
      extensions: { code: 'INTERNAL_ERROR', http: { status: 500 }, resolution: 'contact_admin' },
    });
    expect(written).toHaveLength(1);
    expect(written[0]).toContain('"requestId":"req-7"');
    expect(written[0]).toContain('at 10.0.0.1');
  });

  it('thrown as anything at all is masked', () => {
    const { written, log } = lines();
    for (const thrown of ['text', 7, null, undefined, { message: 'secret' }]) {
      expect(formatError(thrown, context(log)).message).not.toContain('secret');
    }
    expect(written).toHaveLength(5);
  });

  it('does not mask what is meant for the caller', () => {
    const { written, log } = lines();
    const error = new ServiceError('rate_limited', 'Slow down.', { retryAfterS: 3 });
    expect(formatError(error, context(log)).toJSON()).toEqual({
      message: 'Slow down.',
      extensions: {
        code: 'RATE_LIMITED',
        http: { status: 429 },
        resolution: 'retry_later',
        retryAfterS: 3,
      },
    });
    expect(written).toEqual([]);
  });

  it('meant for the caller is logged where it is not the caller who can mend it', () => {
    const { written, log } = lines();
    const cause = new Error('the answer is no JSON');
    const error = new ServiceError('maker_error', 'The maker failed.', { cause });
    expect(formatError(error, context(log)).message).toBe('The maker failed.');
    formatError(error, context(log));
    expect(written).toHaveLength(1);
    expect(written[0]).toContain('"requestId":"req-7"');
    expect(written[0]).toContain('the answer is no JSON');
  });

  it('stays as it is when it is formatted again', () => {
    const { written, log } = lines();
    const once = formatError(new Error('x'), context(log));
    expect(formatError(once, context(log))).toBe(once);
    expect(written).toHaveLength(1);
  });
});

describe('a database that is gone', () => {
  it('is answered as unavailable, in every field, with a line in the log', async () => {
    const db = await scratchDatabase('embedded');
    const account = await anAccount(db.prisma);
    const { written, log } = lines();
    await db.close();
    const result = await execute(prepare(parse('{ account { name } vehicles { totalCount } }')), {
      context: aContext(db.prisma, aPrincipal(account), { log }),
    });
    expect(new Set(codes(result))).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    expect(result.errors?.[0]?.extensions).toMatchObject({ http: { status: 503 }, retryAfterS: 5 });
    expect(written.length).toBeGreaterThan(0);
  });
});
