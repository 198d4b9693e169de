import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scopes } from '../../src/contract/scopes.ts';
import { aWorld, type World } from '../schema/world.ts';
import { ordinary, pathWith, segmentsFor } from './requests.ts';
import { type RestService, startRest } from './rest-service.ts';

let rest: RestService;
let world: World;
let token: string;
beforeAll(async () => {
  rest = await startRest();
  world = await aWorld(rest.db.prisma);
  token = await rest.token(world.account.id, scopes);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

const reads = ordinary.filter(({ route }) => route.method === 'GET');

/** A query string of parameters that a route has, with values of every kind, and some that it has not. */
const requests = fc.constantFrom(...reads).chain((endpoint) => {
  const names = endpoint.parameters.flatMap((one) => (one.in === 'query' ? one.name : []));
  const examples = endpoint.parameters.map(({ reader }) => String(reader.example));
  const value = fc.oneof(
    fc.constantFrom('0', '-1', '1', '1e9', 'null', '[]', '{}', '2026-02-29', ...examples),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(fc.string({ maxLength: 8 }), { maxLength: 4 }).map((parts) => parts.join(',')),
  );
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('x', ...names) },
    fc.string({ maxLength: 12 }),
  );
  return fc.record({
    endpoint: fc.constant(endpoint),
    query: fc.array(fc.tuple(name, value), { maxLength: 4 }),
    raw: fc.option(fc.string({ maxLength: 30 }), { freq: 4 }),
  });
});

it('never answers 500, whatever the query string', async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requests, async ({ endpoint, query, raw }) => {
      const text = raw === null ? new URLSearchParams(query).toString() : raw.replace(/[#\s]/g, '');
      const path = pathWith(endpoint, segmentsFor(endpoint, world));
      const { status } = await rest.get(`${path}?${text}`, token);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return status < 500;
    }),
    { numRuns: 600 },
  );
  process.stdout.write(`Statuses: ${JSON.stringify(Object.fromEntries(statuses))}\n`);
  expect(statuses.has(200) && statuses.has(422)).toBe(true);
  expect(rest.logLines.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
});

it('never answers 500, whatever stands where a name or an id has to be', async () => {
  const named = reads.filter(({ route }) => route.path.includes('/:'));
  const segment = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...named), segment, segment, async (endpoint, a, b) => {
      const own = segmentsFor(endpoint, world);
      const [first = '', second = ''] = Object.keys(own);
      const segments = { ...own, [second]: encodeURIComponent(b), [first]: encodeURIComponent(a) };
      return (await rest.get(pathWith(endpoint, segments), token)).status < 500;
    }),
    { numRuns: 200 },
  );
});
