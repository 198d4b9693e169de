import { graphql, isObjectType } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { describeOnServer, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aContext, aPrincipal, now } from '../support/rows.ts';
import { answer } from './ask.ts';
import { fieldWithAll, isOfLinks, rootFields, rootOperation } from './documents.ts';
import { aWorld, type World } from './world.ts';

/** How often two branches may meet unluckily before that is no chance any more. */
const MOST_TRIES = 40;

// What is sent does not depend on who answers it; `test/rest/statements.test.ts` counts on the embedded database.
describeOnServer('statements', () => {
  let db: ScratchDatabase;
  let clockAt = now;
  let small: World;
  let large: World;
  beforeAll(async () => {
    db = await scratchDatabase('server');
    small = await aWorld(db.prisma, 2, 2);
    large = await aWorld(db.prisma, 5, 6);
  });
  afterAll(() => db.close());

  /** How many statements a document takes; past the limits, so that it can ask for everything at once. */
  async function statementsOf(source: string, world: World): Promise<number> {
    db.statements.length = 0;
    // Each in an hour of its own, so that nothing is remembered from the one before.
    clockAt += 3_600_000;
    const clock = () => clockAt;
    const contextValue = aContext(db.prisma, aPrincipal(world.account), { clock });
    const { errors } = await graphql({ schema, source, contextValue });
    expect(errors).toBeUndefined();
    return db.statements.length;
  }

  /**
   * The fewest statements that a document takes in each world. What two branches of an answer need at one moment is read
   * once or twice, as the answers of the database come in, so what may be asked again is, until many rows take no more; where
   * each row takes a statement they always do.
   */
  async function counted(document: (world: World) => string, again: boolean) {
    let few = await statementsOf(document(small), small);
    let many = await statementsOf(document(large), large);
    for (let tries = again ? MOST_TRIES : 0; tries > 0 && many > few; tries -= 1) {
      few = Math.min(few, await statementsOf(document(small), small));
      many = Math.min(many, await statementsOf(document(large), large));
    }
    return { few, many };
  }

  it('are no more for many rows than for few, for every root field and all it reaches', async () => {
    // A command changes one row, whatever else there is; a recomputation is a transaction for each step.
    const fields = rootFields.filter(
      ({ field }) =>
        !/^(Command|HistoryEdit|RecomputeCosts)Payload!$/.test(String(field.type)) &&
        !isOfLinks(field),
    );
    for (const { kind, field } of fields) {
      const { few, many } = await counted(
        (world) => rootOperation(kind, field, world.args, 4),
        kind === 'query',
      );
      expect(many, field.name).toBeLessThanOrEqual(few);
      if (field.name.startsWith('delete'))
        for (const { restore } of [small, large]) await restore();
    }
  });

  it('are no more for many vehicles than for few, for every field of a vehicle and all it reaches', async () => {
    const vehicle = schema.getType('Vehicle');
    const fields = isObjectType(vehicle) ? Object.values(vehicle.getFields()) : [];
    for (const field of fields) {
      const { few, many } = await counted(
        () => `{ vehicles { nodes { ${fieldWithAll(field, 5)} } } }`,
        true,
      );
      expect(many, field.name).toBeLessThanOrEqual(few);
    }
  });

  it.each([
    ['a vehicle', 'vehicle(publicId: $id) { vin battery { chemistry } }', 1],
    [
      'a page of drives with places and count',
      'vehicle(publicId: $id) { drives { totalCount nodes { id distanceKm vehicle { publicId } start { location { latitude place { name } } } end { location { place { name } } } cost { amount } } } }',
      3,
    ],
    [
      'a page of charges with places, segments and count',
      'vehicle(publicId: $id) { charges { totalCount nodes { location { place { name } } segments { kind } } } }',
      4,
    ],
    [
      'a page of trips with count',
      'vehicle(publicId: $id) { trips { totalCount nodes { distanceKm start { place { name } } } } }',
      3,
    ],
    [
      'a page of drives of each vehicle',
      'vehicles { totalCount nodes { drives { totalCount nodes { id } } } }',
      2,
    ],
    [
      'the state of each vehicle',
      'vehicles { nodes { state { drive { gear } climate { isOn } tyres { fl { pressureBar } } } } }',
      2,
    ],
    ['statistics of each vehicle', 'vehicles { nodes { statistics(period: DAY) { drives } } }', 2],
    [
      'the paths of a page of drives',
      'vehicle(publicId: $id) { drives { nodes { path { sampleCount } } } }',
      3,
    ],
  ])('for %s are few', async (_name, selection, most) => {
    for (const world of [small, large]) {
      db.statements.length = 0;
      const variables = selection.includes('$id') ? 'query ($id: ID!)' : 'query';
      await answer(db.prisma, aPrincipal(world.account), `${variables} { ${selection} }`, {
        id: world.vehicle.publicId,
      });
      expect(db.statements).toHaveLength(most);
    }
  });
});
