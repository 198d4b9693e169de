import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newUuid, typeIdOf } from '../../src/base/ids.ts';
import { settingDefaults } from '../../src/contract/vehicle-settings.ts';
import { slugProblem } from '../../src/contract/vehicle-slugs.ts';
import { priceCharges } from '../../src/ingest/price-charges.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { associate } from '../../src/store/maker-vehicles.ts';
import { writeVehicle } from '../../src/store/vehicle-state.ts';
import { violations } from '../rest/contract.ts';
import { every } from '../rest/requests.ts';
import { type RestService, startRest } from '../rest/rest-service.ts';
import { at, answer as graphql } from '../schema/ask.ts';
import {
  aCharge,
  aDrive,
  aMakerAccount,
  anAccount,
  aPlace,
  aPrincipal,
  aTariff,
  aVehicle,
} from '../support/rows.ts';

let rest: RestService;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest?.[Symbol.asyncDispose]());

type Person = { account: Account; vehicle: Vehicle; token: string };

async function aPerson(data: Parameters<typeof aVehicle>[2] = {}): Promise<Person> {
  const account = await anAccount(rest.db.prisma);
  const vehicle = await aVehicle(rest.db.prisma, account, data);
  return { account, vehicle, token: await rest.token(account.id, ['vehicles', 'controls']) };
}

const answered = z.looseObject({
  code: z.number(),
  response: z.looseObject({ public_id: z.string().optional() }).nullish(),
  messages: z.record(z.string(), z.array(z.string())).nullish(),
});

const endpoint = every.find(({ route }) => route.operation === 'UpdateVehicle');

/** The answer to a change, held against the contract. */
async function change({ vehicle, token }: Person, body: object, name = vehicle.publicId) {
  const response = await rest.send('PATCH', `/api/vehicle/${name}`, token, body);
  if (endpoint === undefined) throw new Error('There is no such route.');
  expect(await violations(endpoint, response.clone())).toEqual([]);
  return answered.parse(await response.json());
}

const stored = ({ vehicle }: Person) =>
  rest.db.prisma.vehicle.findUniqueOrThrow({ where: { id: vehicle.id } });

const eventsOf = ({ vehicle }: Person) =>
  rest.db.prisma.event.findMany({
    where: { vehicleId: vehicle.id },
    orderBy: { position: 'asc' },
    select: { type: true, data: true, vehiclePublicId: true },
  });

describe('a vehicle', () => {
  it('gets name, battery and settings, and tells of what became another', async () => {
    const person = await aPerson();
    const done = await change(person, {
      name: ' Blitz ',
      battery: { original_capacity_kwh: 78.5 },
      settings: { allow_unlock: true, location_precision: 'HIDDEN', sleep_aware: true },
    });
    expect(done.response).toMatchObject({
      name: 'Blitz',
      battery: { original_capacity_kwh: 78.5 },
      settings: { allow_unlock: true, location_precision: 'HIDDEN', logging: true },
    });
    const fields = ['name', 'originalCapacityKwh', 'allowUnlock', 'locationPrecision'];
    const { publicId } = person.vehicle;
    expect(await eventsOf(person)).toEqual([
      { type: 'vehicle.updated', data: { publicId, fields }, vehiclePublicId: publicId },
    ]);
    const where = { accountId: person.account.id, action: 'vehicle.update' };
    expect(await rest.db.prisma.auditEntry.findMany({ where })).toMatchObject([
      { object: typeIdOf('Vehicle', person.vehicle.id), details: { fields } },
    ]);
  });

  it('stays as it is in what a change does not name, and is told of only once', async () => {
    const person = await aPerson({ name: 'Blitz', allowUnlock: true, pollProfile: 'SPARING' });
    const before = await stored(person);
    for (const body of [{}, { name: 'Blitz', settings: { allow_unlock: true } }, { battery: {} }])
      expect(await change(person, body)).toMatchObject({ code: 200 });
    expect(await stored(person)).toEqual(before);
    expect(await eventsOf(person)).toEqual([]);
  });

  it('takes back with null what was chosen', async () => {
    const person = await aPerson({
      ...{ name: 'Blitz', makerName: 'Car', originalCapacityKwh: 75 },
      ...{ allowUnlock: true, allowControls: false, calculateCost: false, sleepAware: false },
      ...{ locationPrecision: 'HIDDEN', pollProfile: 'LIST_ONLY', logging: false },
    });
    const settings = Object.keys(settingDefaults).map(
      (name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), null] as const,
    );
    const done = await change(person, {
      name: null,
      battery: { original_capacity_kwh: null },
      settings: Object.fromEntries(settings),
    });
    expect(done.response).toMatchObject({ name: 'Car', battery: { original_capacity_kwh: null } });
    expect(await stored(person)).toMatchObject(settingDefaults);
  });

  it('has at first the settings that null takes back', async () => {
    expect(await stored(await aPerson())).toMatchObject(settingDefaults);
  });

  it('keeps the name it was given, whatever the maker calls it', async () => {
    const person = await aPerson({ makerName: 'Car' });
    await change(person, { name: 'Blitz' });
    await writeVehicle(rest.db.prisma, person.vehicle.id, {
      sections: new Map(),
      raw: {},
      changes: { config: { vehicleName: 'Renamed' } },
    });
    expect((await change(person, {})).response).toMatchObject({ name: 'Blitz' });
    expect((await change(person, { name: null })).response).toMatchObject({ name: 'Renamed' });
  });

  it('is changed over GraphQL alike', async () => {
    const person = await aPerson();
    const data = await graphql(
      rest.db.prisma,
      aPrincipal(person.account),
      `mutation ($id: ID!) { updateVehicle(publicId: $id, input: { slug: "Over-GraphQL", settings: { pollProfile: SPARING } }) {
        vehicle { publicId settings { pollProfile } } } }`,
      { id: typeIdOf('Vehicle', person.vehicle.id) },
    );
    expect(at(data, 'updateVehicle.vehicle')).toEqual({
      publicId: 'over-graphql',
      settings: { pollProfile: 'SPARING' },
    });
  });

  it('is not changed without `controls`', async () => {
    const person = await aPerson();
    const token = await rest.token(person.account.id, ['vehicles', 'account']);
    expect(await change({ ...person, token }, { name: 'x' })).toMatchObject({ code: 403 });
    expect(await stored(person)).toMatchObject({ name: null });
  });
});

describe('a slug', () => {
  it('that a vehicle had stays a name of it, and can be taken up again', async () => {
    const person = await aPerson();
    const first = person.vehicle.publicId;
    expect((await change(person, { slug: 'Second-Name' })).response?.public_id).toBe('second-name');
    const [event] = await eventsOf(person);
    expect(event?.vehiclePublicId).toBe('second-name');
    for (const name of [first.toUpperCase(), 'second-name', typeIdOf('Vehicle', person.vehicle.id)])
      expect((await change(person, {}, name)).response?.public_id).toBe('second-name');
    expect((await change(person, { slug: first }, first)).response?.public_id).toBe(first);
    expect((await change(person, {}, 'second-name')).response?.public_id).toBe(first);
  });

  it('is never given to another vehicle, not even after it was left', async () => {
    const person = await aPerson();
    const first = person.vehicle.publicId;
    await change(person, { slug: 'left-behind' });
    await change(person, { slug: 'where-it-is' }, 'left-behind');
    const other = await aPerson();
    for (const slug of [first, 'left-behind', 'WHERE-IT-IS'])
      expect(await change(other, { slug })).toMatchObject({
        code: 422,
        messages: { slug: ['Another vehicle has this slug, or had it once.'] },
      });
    const makerAccount = await aMakerAccount(rest.db.prisma, other.account);
    const listed = { vin: 'VIN00000000000009', makerVehicleId: null, accessType: null };
    const added = await rest.db.prisma.$transaction((tx) =>
      associate(tx, makerAccount, { ...listed, displayName: 'Left behind' }, 0),
    );
    expect(added).toMatchObject({ publicId: 'left-behind-2', makerName: 'Left behind' });
  });

  it('has a form, is no reserved word and never holds the VIN', async () => {
    const person = await aPerson();
    const vin = person.vehicle.vin.toLowerCase();
    for (const slug of ['ab', '-abc', 'abc-', 'a_b_c', 'ä-car', 'a'.repeat(41), 'new', vin, null])
      expect([slug, await change(person, { slug })]).toMatchObject([
        slug,
        { code: 422, messages: { slug: [expect.any(String)] } },
      ]);
    expect(await stored(person)).toEqual(person.vehicle);
    for (const slug of ['abc', 'a-1', 'x'.repeat(40)]) expect(slugProblem(slug, vin)).toBeNull();
  });

  it('is not made of the name at the maker where that holds the VIN', async () => {
    const makerAccount = await aMakerAccount(rest.db.prisma, await anAccount(rest.db.prisma));
    const listed = { vin: 'VIN00000000000010', makerVehicleId: null, accessType: null };
    const { publicId } = await rest.db.prisma.$transaction((tx) =>
      associate(tx, makerAccount, { ...listed, displayName: 'My VIN00000000000010' }, 0),
    );
    expect(publicId).toMatch(/^car/);
  });
});

it('names each field that is wrong, and changes nothing then', async () => {
  const person = await aPerson();
  const answer = await change(person, {
    name: 'x'.repeat(101),
    battery: { original_capacity_kwh: 9 },
    settings: { logging: false, poll_profile: 'HOURLY' },
  });
  // A word that is none of an enum is refused before the rest is looked at.
  expect(answer).toMatchObject({ code: 422 });
  const values = await change(person, {
    name: 'x'.repeat(101),
    battery: { original_capacity_kwh: 301 },
    settings: { logging: false },
  });
  expect(Object.keys(values.messages ?? {})).toEqual(['name', 'battery.original_capacity_kwh']);
  expect(await stored(person)).toEqual(person.vehicle);
  expect(await change(person, { colour: 'red' })).toMatchObject({ code: 422 });
});

describe('a setting', () => {
  it('of the original capacity shows what the pack has lost', async () => {
    const person = await aPerson();
    const of72 = { startBatteryLevelPct: 30, endBatteryLevelPct: 80, energyAddedKwh: 36 };
    await aCharge(rest.db.prisma, person.vehicle, 1, of72);
    const path = `/api/vehicle/${person.vehicle.publicId}/battery/health`;
    const health = async () => (await rest.get(path, person.token)).json();
    expect(await health()).toMatchObject({ response: { degradation_pct: null } });
    await change(person, { battery: { original_capacity_kwh: 80 } });
    expect(await health()).toMatchObject({
      response: { capacity_kwh: 72, original_capacity_kwh: 80, degradation_pct: 10 },
    });
  });

  it('of costs stops them, keeps those that are there, and has the others made up for', async () => {
    const { prisma } = rest.db;
    const person = await aPerson({ usableCapacityKwh: 75 });
    const { id: placeId } = await aPlace(prisma, person.account);
    await aTariff(prisma, person.account, { placeId });
    const first = await aCharge(prisma, person.vehicle, 5, { placeId });
    await priceCharges(prisma, person.vehicle, [first.id]);
    const drive = await aDrive(prisma, person.vehicle, 2, { startBatteryLevelPct: 40 });
    const driven = `/api/vehicle/${person.vehicle.publicId}/drives/${typeIdOf('Drive', drive.id)}`;
    const costOfDrive = async () => {
      const answer: unknown = await (await rest.get(driven, person.token)).json();
      return at(answer, 'response.cost');
    };
    expect(await costOfDrive()).toMatchObject({ method: 'DERIVED' });
    await change(person, { settings: { calculate_cost: false } });
    expect(await costOfDrive()).toBeNull();
    const second = await aCharge(prisma, person.vehicle, 1, { placeId });
    expect(await priceCharges(prisma, person.vehicle, [first.id, second.id])).toEqual([]);
    const costs = async () => {
      const where = { vehicleId: person.vehicle.id };
      const rows = await prisma.charge.findMany({ where, orderBy: { startedAt: 'asc' } });
      return rows.map(({ costMethod }) => costMethod);
    };
    expect(await costs()).toEqual(['TARIFF', 'NONE']);
    await prisma.placeWork.deleteMany({ where: { vehicleId: person.vehicle.id } });
    await change(person, { settings: { calculate_cost: true } });
    expect(await prisma.placeWork.findMany({ where: { vehicleId: person.vehicle.id } })).toEqual([
      { vehicleId: person.vehicle.id, stage: 'charge', afterId: null },
    ]);
  });

  it('is nothing that a stranger’s name for it finds', async () => {
    const person = await aPerson();
    const other = await aPerson();
    const name = typeIdOf('Vehicle', other.vehicle.id);
    expect(await change(person, { name: 'x' }, name)).toMatchObject({ code: 404 });
    expect(await change(person, { name: 'x' }, typeIdOf('Vehicle', newUuid()))).toMatchObject({
      code: 404,
    });
  });
});
