import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aWorld, type World } from '../schema/world.ts';
import { aDrive } from '../support/rows.ts';
import { enoughFor, ordinary, targetOf, titleOf } from './requests.ts';
import { type RestService, startRest } from './rest-service.ts';

const DRIVES = 10_000;

// What is sent does not depend on who answers it; `test/schema/statements.test.ts` counts on a server.
describe('statements of REST', () => {
  let rest: RestService;
  let small: World;
  let large: World;
  beforeAll(async () => {
    rest = await startRest({ engine: 'embedded' });
    small = await aWorld(rest.db.prisma, 2, 2);
    large = await aWorld(rest.db.prisma, 7, 7);
  });
  afterAll(() => rest?.[Symbol.asyncDispose]());

  /** Statements of one request whose caller is known already. */
  async function statementsOf(target: string, token: string): Promise<number> {
    await rest.get(target, token);
    await rest.settle();
    rest.db.statements.length = 0;
    expect((await rest.get(target, token)).status).toBe(200);
    return rest.db.statements.length;
  }

  it('are at most three for a page of 50 of ten thousand drives', async () => {
    const { vehicle, ids, account } = large;
    const link = { startPlaceId: ids.Place, endPlaceId: ids.Place, tripId: ids.Trip };
    const { id } = await aDrive(rest.db.prisma, vehicle, 0, link);
    await rest.db.prisma.$executeRaw`
      INSERT INTO drive SELECT copy.* FROM drive, generate_series(2, ${DRIVES}) AS number,
        jsonb_populate_record(drive, jsonb_build_object('id', gen_random_uuid(),
          'started_at', started_at - number * interval '2 hours',
          'ended_at', ended_at - number * interval '2 hours')) AS copy
      WHERE drive.id = ${id}::uuid`;
    const token = await rest.token(account.id, ['vehicles']);
    const target = `/api/vehicle/${vehicle.publicId}/drives?limit=50&include_total=1`;
    const count = await statementsOf(target, token);
    process.stdout.write(`${count} statements for 50 of ${DRIVES} drives.\n`);
    expect(count).toBeLessThanOrEqual(3);
  });

  it('do not grow with the rows, on any route that reads', async () => {
    for (const endpoint of ordinary.filter(({ route }) => route.method === 'GET')) {
      const counts = [];
      for (const world of [small, large]) {
        const token = await rest.token(world.account.id, enoughFor(endpoint));
        counts.push(await statementsOf(targetOf(endpoint, world), token));
      }
      const [few = 0, many = 0] = counts;
      // What two branches of an answer need at one moment is read once or twice; one statement a row would be five more.
      expect([titleOf(endpoint), many - few < 3 && many < 12]).toEqual([titleOf(endpoint), true]);
    }
  });
});
