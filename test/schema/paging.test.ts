import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import { cursorOf, windowOf } from '../../src/schema/page.ts';
import type { Vehicle } from '../../src/store/generated/prisma/client.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aDrive, anAccount, aPrincipal, aVehicle, driveData } from '../support/rows.ts';
import { answer, ask, at, codes, listAt } from './ask.ts';

const page = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String, $order: ListOrder) {
  vehicle(publicId: $id) { drives(first: $first, after: $after, last: $last, before: $before, orderBy: $order) {
    nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount } } }`;

describeEachEngine('pages', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  /** A vehicle whose drives started on the given days; several may start at one instant. */
  async function vehicleWith(days: readonly number[]): Promise<{
    vehicle: Vehicle;
    ask: (variables: Record<string, unknown>) => Promise<unknown>;
    add: (day: number) => Promise<unknown>;
  }> {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    await db.prisma.drive.createMany({ data: days.map((day) => driveData(vehicle, day)) });
    const principal = aPrincipal(account);
    return {
      vehicle,
      add: (day) => aDrive(db.prisma, vehicle, day),
      ask: async (variables) =>
        at(
          await answer(db.prisma, principal, page, { id: vehicle.publicId, ...variables }),
          'vehicle.drives',
        ),
    };
  }

  const idsOf = (drives: unknown) => listAt(drives, 'nodes').map((node) => at(node, 'id'));
  const days = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 });
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });
  const orders = fc.constantFrom('NEWEST_FIRST', 'OLDEST_FIRST');

  it('of any sizes give the whole list once, forward, also while rows are added', async () => {
    await fc.assert(
      fc.asyncProperty(days, sizes, orders, async (startedOn, pageSizes, order) => {
        const drives = await vehicleWith(startedOn);
        const before = idsOf(await drives.ask({ first: 200, order }));
        const seen: unknown[] = [];
        let after: unknown = null;
        for (let turn = 0; turn < 100; turn++) {
          const found = await drives.ask({
            first: pageSizes[turn % pageSizes.length],
            after,
            order,
          });
          seen.push(...idsOf(found));
          if (at(found, 'pageInfo.hasNextPage') !== true) break;
          after = at(found, 'pageInfo.endCursor');
          if (turn < 3) await drives.add(turn * 2);
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => before.includes(id))).toEqual(before);
        expect(before).toHaveLength(startedOn.length);
      }),
      { numRuns: 25 },
    );
  });

  it('backward give the list from its end', async () => {
    await fc.assert(
      fc.asyncProperty(days, sizes, orders, async (startedOn, pageSizes, order) => {
        const drives = await vehicleWith(startedOn);
        const whole = idsOf(await drives.ask({ first: 200, order }));
        let seen: unknown[] = [];
        let before: unknown = null;
        for (let turn = 0; turn < 100; turn++) {
          const found = await drives.ask({
            last: pageSizes[turn % pageSizes.length],
            before,
            order,
          });
          seen = [...idsOf(found), ...seen];
          if (at(found, 'pageInfo.hasPreviousPage') !== true) break;
          before = at(found, 'pageInfo.startCursor');
        }
        expect(seen).toEqual(whole);
      }),
      { numRuns: 25 },
    );
  });

  it('give the same rows as nodes and as edges, and each cursor leads behind its row', async () => {
    const drives = await vehicleWith([1, 1, 2, 3, 3]);
    const whole = await drives.ask({});
    const edges = listAt(whole, 'edges');
    expect(edges.map((edge) => at(edge, 'node.id'))).toEqual(idsOf(whole));
    for (const [index, edge] of edges.entries()) {
      const rest = await drives.ask({ after: at(edge, 'cursor') });
      expect(idsOf(rest)).toEqual(idsOf(whole).slice(index + 1));
    }
    expect(at(whole, 'totalCount')).toBe(5);
  });

  it('between two cursors give what lies between them', async () => {
    const drives = await vehicleWith([1, 2, 3, 4, 5]);
    const cursors = listAt(await drives.ask({}), 'edges').map((edge) => at(edge, 'cursor'));
    const whole = idsOf(await drives.ask({}));
    const between = await drives.ask({ after: cursors[0], before: cursors[4], first: 2 });
    expect(idsOf(between)).toEqual(whole.slice(1, 3));
    expect(at(between, 'pageInfo.hasNextPage')).toBe(true);
  });

  it('go on where the row of the cursor is gone', async () => {
    const drives = await vehicleWith([1, 2, 3]);
    const first = await drives.ask({ first: 1 });
    await db.prisma.drive.deleteMany({
      where: { vehicleId: drives.vehicle.id, startedAt: { gt: new Date(Date.UTC(2026, 1, 28)) } },
    });
    const rest = await drives.ask({ after: at(first, 'pageInfo.endCursor') });
    expect(idsOf(rest)).toHaveLength(2);
  });

  it('of an empty list are empty', async () => {
    const drives = await vehicleWith([]);
    expect(await drives.ask({})).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
      totalCount: 0,
    });
  });

  it('refuse the cursor of another vehicle and of another list, naming the argument', async () => {
    const account = await anAccount(db.prisma);
    const [one, other] = [await aVehicle(db.prisma, account), await aVehicle(db.prisma, account)];
    await aDrive(db.prisma, one, 1);
    const principal = aPrincipal(account);
    const found = await answer(db.prisma, principal, page, { id: one.publicId });
    const cursor = at(found, 'vehicle.drives.pageInfo.endCursor');
    const elsewhere = await ask(db.prisma, principal, page, { id: other.publicId, after: cursor });
    const asCharge = await ask(
      db.prisma,
      principal,
      'query ($id: ID!, $c: String) { vehicle(publicId: $id) { charges(before: $c) { nodes { id } } } }',
      { id: one.publicId, c: cursor },
    );
    expect(elsewhere.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      http: { status: 422 },
      fields: { after: [expect.any(String)] },
    });
    expect(asCharge.errors?.[0]?.extensions.fields).toEqual({ before: [expect.any(String)] });
  });

  it.each([
    { first: 0 },
    { first: -1 },
    { first: 201 },
    { last: 0 },
    { last: 201 },
    { first: 1, last: 1 },
    { after: 'nonsense' },
    { before: '' },
  ])('refuse %o', async (variables) => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    const result = await ask(db.prisma, aPrincipal(account), page, {
      id: vehicle.publicId,
      ...variables,
    });
    expect(codes(result)).toEqual(['VALIDATION_FAILED']);
    expect(Object.keys(result.errors?.[0]?.extensions.fields ?? {})).toEqual([
      Object.keys(variables).at(-1),
    ]);
  });
});

describe('cursors', () => {
  const list = { name: 'drives', parent: newUuid(), idType: 'uuid' } as const;

  it('come back as the place they were made of', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.uuid(), (key, id) => {
        const { after } = windowOf(list, { after: cursorOf(list, { key, id }) });
        expect(after).toEqual({ key, id });
      }),
    );
  });

  it('that are any text at all are refused and nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json()), (text) => {
        for (const after of [text, Buffer.from(text).toString('base64url')]) {
          expect(() => windowOf(list, { after })).toThrow(/^after: /);
        }
      }),
    );
  });

  it('with a place that no row can have are refused', () => {
    const forged = [
      ['drives', list.parent, 9e15, newUuid()],
      ['drives', list.parent, 1.5, newUuid()],
      ['drives', list.parent, 1, "x'; DROP TABLE drive"],
      ['drives', list.parent, 1, 7],
      ['drives', list.parent, null, newUuid()],
      ['drives', list.parent, 1],
    ];
    for (const parts of forged) {
      const after = Buffer.from(JSON.stringify(parts)).toString('base64url');
      expect(() => windowOf(list, { after })).toThrow(/^after: /);
    }
  });
});
