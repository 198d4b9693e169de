import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeOver } from '../../src/actions/first-lists.ts';
import { associateEvery } from '../../src/actions/maker-vehicles.ts';
import { silentLog } from '../../src/base/log.ts';
import { garageConnector } from '../../src/process/garage.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { closedDoor } from '../support/rows.ts';
import { aLink, rowOf, startTokenMaker } from './linked.ts';

let db: ScratchDatabase;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db?.close());

const { signal } = new AbortController();

/** A link whose first list never came, as a death right after it leaves it. */
async function left() {
  const cars = openGarage({ seed: 'lists', untilMs: Date.now(), days: 0 });
  const simulator = await startTokenMaker({ cars });
  const { prisma } = db;
  const link = await aLink(prisma, simulator, 60 * 60_000);
  const connector = { ...garageConnector({ simulator }, 'x'), maker: 'simulator' };
  let changes = 0;
  const door = {
    ...closedDoor(prisma),
    connectors: new Map([[connector.maker, connector]]),
    changed: () => {
      changes += 1;
    },
  };
  const parts = { prisma, clock: Date.now, door, log: silentLog };
  const vehicles = () => prisma.vehicle.findMany({ where: { accountId: link.accountId } });
  return { simulator, link, parts, vehicles, cars, changes: () => changes };
}

it('a link whose first list never came gets its vehicles later, once', async () => {
  const { simulator, link, parts, vehicles, cars, changes } = await left();
  simulator.fault({ kind: 'unavailable' });
  await takeOver(parts, signal);
  expect(await vehicles()).toEqual([]);
  simulator.clearFaults();
  await takeOver(parts, signal);
  expect((await vehicles()).map(({ vin }) => vin).sort()).toEqual(
    cars.map(({ spec }) => spec.vin).sort(),
  );
  expect(changes()).toBe(1);
  // What a person takes out of it afterwards stays out, also by a second process that was about to list it.
  await db.prisma.vehicle.deleteMany({ where: { accountId: link.accountId } });
  await takeOver(parts, signal);
  await associateEvery(parts, await rowOf(db.prisma, link.id));
  expect(await vehicles()).toEqual([]);
  await simulator.close();
});

it('a link that cannot be asked at all holds up no other', async () => {
  const { simulator, parts, vehicles, cars } = await left();
  const { prisma } = db;
  const broken = await aLink(prisma, simulator, 60 * 60_000);
  await prisma.makerAccount.update({ where: { id: broken.id }, data: { accessToken: 'damaged' } });
  await takeOver(parts, signal);
  expect(await vehicles()).toHaveLength(cars.length);
  expect(await rowOf(prisma, broken.id)).toMatchObject({ listedAt: null });
  await simulator.close();
});

it('links that wait are all asked, however many the maker refuses', async () => {
  const { simulator, parts, vehicles, cars } = await left();
  const { prisma } = db;
  const others = await Promise.all(Array.from({ length: 20 }, () => aLink(prisma, simulator)));
  await prisma.makerAccount.updateMany({
    where: { id: { in: others.map(({ id }) => id) } },
    data: { accessToken: null },
  });
  await takeOver(parts, signal);
  expect(await vehicles()).toHaveLength(cars.length);
  await simulator.close();
});
