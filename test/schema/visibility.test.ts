import { isRequiredArgument } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeIdOf } from '../../src/base/ids.ts';
import { nodeTypes } from '../../src/schema/global-id.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import {
  aDrive,
  anAccount,
  aPlace,
  aPrincipal,
  aSample,
  aVehicle,
  storeSamples,
} from '../support/rows.ts';
import { answer, ask, at, listAt } from './ask.ts';
import { rootFields, rootOperation } from './documents.ts';
import { aWorld, type World } from './world.ts';

let db: ScratchDatabase;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db.close());

describe('the things of another account', () => {
  let theirs: World;
  let mine: World;
  beforeAll(async () => {
    theirs = await aWorld(db.prisma);
    mine = await aWorld(db.prisma);
  });

  it('answer as missing ones do, by every root field that takes an id', async () => {
    for (const { kind, field } of rootFields) {
      if (kind === 'mutation' || field.name === 'softwareUpdate') continue;
      if (!field.args.some(isRequiredArgument)) continue;
      const result = await ask(
        db.prisma,
        aPrincipal(mine.account),
        rootOperation(kind, field, theirs.args, 1),
      );
      expect([field.name, result]).toEqual([field.name, { data: { [field.name]: null } }]);
    }
  });

  it('answer as missing ones do, by node', async () => {
    for (const type of nodeTypes) {
      const id = typeIdOf(type, theirs.ids[type] ?? '');
      const data = await answer(
        db.prisma,
        aPrincipal(mine.account),
        'query ($id: ID!) { node(id: $id) { id } }',
        { id },
      );
      expect([type, data.node]).toEqual([type, type === 'SoftwareUpdate' ? { id } : null]);
    }
  });

  it('are in no list', async () => {
    const data = await answer(
      db.prisma,
      aPrincipal(mine.account),
      '{ vehicles { nodes { publicId } } places { nodes { id } } makerAccounts { nodes { id } } account { id vehiclesCount makerAccountsCount } }',
    );
    const where = { accountId: mine.account.id };
    const orderBy = { createdAt: 'desc' } as const;
    const places = await db.prisma.place.findMany({ where, orderBy });
    expect(places.map(({ id }) => id)).toContain(mine.ids.Place);
    expect(data).toEqual({
      vehicles: { nodes: [{ publicId: mine.vehicle.publicId }] },
      places: { nodes: places.map(({ id }) => ({ id: typeIdOf('Place', id) })) },
      makerAccounts: { nodes: [{ id: typeIdOf('MakerAccount', mine.ids.MakerAccount ?? '') }] },
      account: {
        id: typeIdOf('Account', mine.account.id),
        vehiclesCount: 1,
        makerAccountsCount: 1,
      },
    });
  });

  it('cannot be reached through a place that a row of mine wrongly points to', async () => {
    const drive = await aDrive(db.prisma, mine.vehicle, 1, { startPlaceId: theirs.ids.Place });
    const data = await answer(
      db.prisma,
      aPrincipal(mine.account),
      'query ($id: ID!) { drive(id: $id) { start { location { place { name } } } } }',
      { id: typeIdOf('Drive', drive.id) },
    );
    expect(at(data, 'drive.start.location.place')).toBeNull();
  });
});

describe('a token limited to vehicles', () => {
  it('finds those and, of the same account, no other', async () => {
    const world = await aWorld(db.prisma, 2);
    const other = await db.prisma.vehicle.findFirstOrThrow({
      where: { accountId: world.account.id, id: { not: world.vehicle.id } },
    });
    const limited = aPrincipal(world.account, { vehicleIds: [other.id] });
    const data = await answer(
      db.prisma,
      limited,
      `query ($id: ID!, $drive: ID!, $command: ID!) { vehicle(publicId: $id) { id } drive(id: $drive) { id } command(id: $command) { id }
        vehicles { totalCount nodes { publicId } } }`,
      {
        id: world.vehicle.publicId,
        drive: world.args.drive?.id,
        command: world.args.command?.id,
      },
    );
    expect(data).toEqual({
      vehicle: null,
      drive: null,
      command: null,
      vehicles: { totalCount: 1, nodes: [{ publicId: other.publicId }] },
    });
  });

  it('that is limited to none of the account finds none', async () => {
    const world = await aWorld(db.prisma);
    const limited = aPrincipal(world.account, { vehicleIds: [] });
    const data = await answer(db.prisma, limited, '{ vehicles { totalCount } }');
    expect(at(data, 'vehicles.totalCount')).toBe(0);
  });
});

describe('a vehicle', () => {
  it('is found by its slug in any case, by a former slug and by its id', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account, { publicId: 'new-name' });
    await db.prisma.vehicleSlug.create({ data: { slug: 'old-name', vehicleId: vehicle.id } });
    for (const id of [
      'new-name',
      'New-Name',
      'old-name',
      'OLD-NAME',
      typeIdOf('Vehicle', vehicle.id),
    ]) {
      const data = await answer(
        db.prisma,
        aPrincipal(account),
        'query ($id: ID!) { vehicle(publicId: $id) { publicId } }',
        { id },
      );
      expect([id, at(data, 'vehicle.publicId')]).toEqual([id, 'new-name']);
    }
  });

  it('that left its maker account is listed only when asked for, and still found', async () => {
    const account = await anAccount(db.prisma);
    const gone = await aVehicle(db.prisma, account, { archivedAt: new Date() });
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      'query ($id: ID!) { vehicles { totalCount } archived: vehicles(filter: { archived: true }) { totalCount } vehicle(publicId: $id) { publicId } }',
      { id: gone.publicId },
    );
    expect(data).toEqual({
      vehicles: { totalCount: 0 },
      archived: { totalCount: 1 },
      vehicle: { publicId: gone.publicId },
    });
  });
});

describe('a deleted drive', () => {
  it('is missing by its id', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    const drive = await aDrive(db.prisma, vehicle, 1, { deletedAt: new Date() });
    const id = typeIdOf('Drive', drive.id);
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      'query ($id: ID!) { drive(id: $id) { id } node(id: $id) { id } }',
      { id },
    );
    expect(data).toEqual({ drive: null, node: null });
  });
});

describe('positions', () => {
  let world: World;
  beforeAll(async () => {
    world = await aWorld(db.prisma);
    await aPlace(db.prisma, world.account, {
      name: 'Field',
      polygon: [
        [13.123456, 52.123456],
        [13.2, 52.2],
        [13.3, 52.1],
      ],
    });
    const drive = await db.prisma.drive.findFirstOrThrow({
      where: { vehicleId: world.vehicle.id },
    });
    await storeSamples(db.prisma, world.vehicle, [
      aSample(drive.startedAt.getTime(), { latitude: 51.987654, longitude: 13.456789 }),
      aSample(drive.startedAt.getTime() + 10_000, { latitude: 51.98, longitude: 13.45 }),
    ]);
  });

  const document = `query ($id: ID!) {
    places { nodes { latitude longitude polygon { latitude longitude } } }
    vehicle(publicId: $id) {
      location { latitude longitude precision place { latitude } }
      state { drive { location { latitude longitude } route { location { latitude longitude } } } }
      drives(first: 5) { nodes { start { location { latitude longitude place { latitude } } } end { location { latitude longitude } } path { precision points { latitude longitude } } } }
      charges { nodes { location { latitude longitude } } }
      trips(first: 5) { nodes { start { latitude longitude } end { latitude longitude } boundingBox { south west north east } stops { place { latitude } } path { points { latitude } } } }
      parkedSpans { nodes { location { latitude longitude } } }
      locations { nodes { location { latitude longitude } } }
    } }`;

  /** Every number of an answer that is a degree. */
  async function degreesFor(precision: 'EXACT' | 'APPROXIMATE' | 'HIDDEN'): Promise<number[]> {
    const data = await answer(
      db.prisma,
      aPrincipal(world.account, { locationPrecision: precision }),
      document,
      { id: world.vehicle.publicId },
    );
    const found: number[] = [];
    JSON.stringify(data, (_key, value) => {
      if (typeof value === 'number') found.push(value);
      return value;
    });
    return found;
  }

  it('are exact for a token that may see them exactly', async () => {
    const degrees = await degreesFor('EXACT');
    expect(degrees).toContain(52.520008);
    expect(degrees).toContain(13.123456);
    expect(degrees).toContain(51.987654);
  });

  it('are all rounded to 0.01° for a token that sees them approximately', async () => {
    const degrees = await degreesFor('APPROXIMATE');
    expect(degrees).toContain(52.52);
    expect(degrees.filter((value) => value !== Math.round(value * 100) / 100)).toEqual([]);
  });

  it('are all left out for a token that may not see them', async () => {
    expect(await degreesFor('HIDDEN')).toEqual([]);
  });

  it('are told as the vehicle’s own setting allows where that tells less', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account, { locationPrecision: 'APPROXIMATE' });
    await aDrive(db.prisma, vehicle, 1);
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      'query ($id: ID!) { vehicle(publicId: $id) { drives { nodes { start { location { latitude precision } } } } } }',
      { id: vehicle.publicId },
    );
    expect(at(listAt(data, 'vehicle.drives.nodes')[0], 'start.location')).toEqual({
      latitude: 52.52,
      precision: 'APPROXIMATE',
    });
  });

  it('cannot be found out by a filter that is finer than the answers', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    const place = await aPlace(db.prisma, account);
    await aDrive(db.prisma, vehicle, 1, { startPlaceId: place.id, endLatitude: null });
    const near = (latitude: number) =>
      `query ($id: ID!) { vehicle(publicId: $id) { drives(filter: { near: { latitude: ${latitude}, longitude: 13.4, radiusM: 10 } }) { totalCount } } }`;
    const atPlace = `query ($id: ID!) { vehicle(publicId: $id) { drives(filter: { startPlace: "${typeIdOf('Place', place.id)}" }) { totalCount } } }`;
    const count = async (precision: 'EXACT' | 'APPROXIMATE' | 'HIDDEN', query: string) =>
      at(
        await answer(db.prisma, aPrincipal(account, { locationPrecision: precision }), query, {
          id: vehicle.publicId,
        }),
        'vehicle.drives.totalCount',
      );
    expect(await count('APPROXIMATE', near(52.52))).toBe(1);
    expect(await count('APPROXIMATE', near(52.520008))).toBe(1);
    expect(await count('HIDDEN', near(52.52))).toBe(0);
    expect(await count('HIDDEN', atPlace)).toBe(0);
    expect(await count('EXACT', atPlace)).toBe(1);
    await db.prisma.vehicle.update({
      where: { id: vehicle.id },
      data: { locationPrecision: 'HIDDEN' },
    });
    expect(await count('EXACT', near(52.52))).toBe(0);
    expect(await count('EXACT', atPlace)).toBe(0);
  });
});
