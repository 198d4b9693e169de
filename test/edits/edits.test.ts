import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { typeIdOf } from '../../src/base/ids.ts';
import { MINUTE_MS } from '../../src/base/units.ts';
import { applyEvents } from '../../src/ingest/apply.ts';
import type { IngestEvent } from '../../src/ingest/state.ts';
import type { Account, Drive, Trip, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { violations } from '../rest/contract.ts';
import { every } from '../rest/requests.ts';
import { type RestService, startRest } from '../rest/rest-service.ts';
import { answer as graphql, at as graphqlAt } from '../schema/ask.ts';
import {
  aCharge,
  aDrive,
  anAccount,
  aPlace,
  aPrincipal,
  aTrip,
  aVehicle,
} from '../support/rows.ts';
import { driving, parked, passed, T0 } from '../support/trace.ts';

let rest: RestService;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest?.[Symbol.asyncDispose]());

const answer = z.looseObject({
  code: z.number(),
  response: z
    .looseObject({
      edit: z.looseObject({ id: z.string(), kind: z.string(), undone_at: z.string().nullable() }),
      drives: z.array(z.looseObject({ id: z.string() })),
      charges: z.array(z.looseObject({ id: z.string() })),
      trips: z.array(z.looseObject({ id: z.string() })),
    })
    .nullable(),
});

type Person = { account: Account; vehicle: Vehicle; token: string };

async function aPerson(): Promise<Person> {
  const account = await anAccount(rest.db.prisma);
  const vehicle = await aVehicle(rest.db.prisma, account, { efficiencyWhPerKm: 150 });
  return { account, vehicle, token: await rest.token(account.id, ['vehicles', 'controls']) };
}

/** The answer to an edit, held against the contract. */
async function edit({ vehicle, token }: Person, method: string, path: string, body?: object) {
  const url = `${rest.baseUrl}/api/vehicle/${vehicle.publicId}${path}`;
  const authorization = `Bearer ${token}`;
  const response = await fetch(url, {
    method,
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const template = path.replace(/(drv|chg|trp|edt)_[0-9a-z]+/, ':id');
  const endpoint = every.find(
    ({ route }) => route.method === method && route.path === `/api/vehicle/:public_id${template}`,
  );
  if (endpoint === undefined) throw new Error(`No ${method} ${template}.`);
  expect(await violations(endpoint, response.clone())).toEqual([]);
  return answer.parse(await response.json());
}

const undo = (person: Person, { response }: z.infer<typeof answer>) =>
  edit(person, 'POST', `/edits/${response?.edit.id}/undo`);

const driveId = ({ id }: { id: string }) => typeIdOf('Drive', id);
const tripId = ({ id }: { id: string }) => typeIdOf('Trip', id);

/** Everything of a vehicle's history, without the time at which a row was last written. */
async function historyOf({ vehicle }: Person) {
  const query = {
    where: { vehicleId: vehicle.id },
    orderBy: { id: 'asc' },
    omit: { updatedAt: true },
  } as const;
  const [drives, charges, trips] = await Promise.all([
    rest.db.prisma.drive.findMany(query),
    rest.db.prisma.charge.findMany(query),
    rest.db.prisma.trip.findMany(query),
  ]);
  return { drives, charges, trips };
}

const live = ({ vehicle }: Person) =>
  rest.db.prisma.drive.findMany({
    where: { vehicleId: vehicle.id, deletedAt: null },
    orderBy: { startedAt: 'asc' },
  });

const tripsOf = ({ vehicle }: Person) =>
  rest.db.prisma.trip.findMany({
    where: { vehicleId: vehicle.id, deletedAt: null },
    orderBy: { startedAt: 'asc' },
  });

const eventsOf = async ({ vehicle }: Person) =>
  (
    await rest.db.prisma.event.findMany({
      where: { vehicleId: vehicle.id },
      orderBy: { position: 'asc' },
    })
  ).map(({ type }) => type);

/** Three drives of 20 km, 3 hours apart, all in one trip. */
async function withDrives(): Promise<Person & { drives: [Drive, Drive, Drive]; trip: Trip }> {
  const person = await aPerson();
  const trip = await aTrip(rest.db.prisma, person.vehicle, 2, { distanceKm: 60 });
  const drive = (hours: number, data: object) =>
    aDrive(rest.db.prisma, person.vehicle, 2 - hours / 24, { tripId: trip.id, ...data });
  const drives: [Drive, Drive, Drive] = [
    await drive(0, { startOdometerKm: 1000, endOdometerKm: 1020, speedMaxKmh: 90, tags: ['a'] }),
    await drive(3, {
      startOdometerKm: 1020,
      endOdometerKm: 1041,
      distanceKm: 21,
      speedMaxKmh: 120,
      tags: ['b'],
      note: 'sun',
    }),
    await drive(6, { startOdometerKm: 1041, endOdometerKm: 1061, energyUsedKwh: null }),
  ];
  return { ...person, drives, trip };
}

describe('a drive', () => {
  it('gets what a person puts on it, and loses it by the undo', async () => {
    const person = await withDrives();
    const [drive] = person.drives;
    const before = await historyOf(person);
    const put = { tags: ['x', 'y'], purpose: 'BUSINESS', note: 'to the lake', driver: 'Grace' };
    const done = await edit(person, 'PATCH', `/drives/${driveId(drive)}`, put);
    expect(done.response).toMatchObject({
      edit: { kind: 'DRIVE_UPDATE', undone_at: null },
      drives: [{ id: driveId(drive), ...put, edited_at: expect.any(String) }],
    });
    expect(await eventsOf(person)).toEqual(['drive.edited']);
    await undo(person, done);
    expect(await historyOf(person)).toEqual(before);
    expect(await undo(person, done)).toMatchObject({ code: 409, error: 'merge_conflict' });
  });

  it('is made of several, which come back by the undo as they were', async () => {
    const person = await withDrives();
    const [one, two, three] = person.drives;
    const before = await historyOf(person);
    const done = await edit(person, 'POST', '/drives/merge', {
      drive_ids: [two, one].map(driveId),
    });
    expect(done.response?.drives).toMatchObject([
      {
        started_at: one.startedAt.toISOString(),
        ended_at: two.endedAt?.toISOString(),
        duration_s: 3.5 * 3600,
        distance_km: 41,
        energy_used_kwh: 6,
        efficiency_wh_per_km: 146.3,
        speed_max_kmh: 120,
        tags: ['a', 'b'],
        note: 'sun',
        trip_id: tripId(person.trip),
      },
    ]);
    expect(done.response?.trips).toMatchObject([{ distance_km: 61, energy_used_kwh: null }]);
    expect((await live(person)).map(({ distanceKm }) => distanceKm)).toEqual([41, 20]);
    const deleted = await rest.get(
      `/api/vehicle/${person.vehicle.publicId}/drives?deleted=true`,
      person.token,
    );
    expect(await deleted.json()).toMatchObject({ count: 0 });
    const more = await edit(person, 'POST', '/drives/merge', {
      drive_ids: [done.response?.drives[0]?.id ?? '', driveId(three)],
    });
    expect(await live(person)).toMatchObject([{ distanceKm: 61, energyUsedKwh: null }]);
    expect(await undo(person, done)).toMatchObject({ code: 409, error: 'merge_conflict' });
    await undo(person, more);
    await undo(person, done);
    expect(await historyOf(person)).toEqual(before);
  });

  it.each<[string, number, string[]]>([
    ['of one', 422, ['one']],
    ['that leave one out', 409, ['one', 'three']],
    ['of another vehicle', 404, ['one', 'strange']],
    ['with a charge between them', 409, ['two', 'three']],
    ['with one under way', 409, ['three', 'open']],
  ])('is not made of drives %s', async (_, code, names) => {
    const person = await withDrives();
    const [one, two, three] = person.drives;
    const strange = (await withDrives()).drives[0];
    await aCharge(rest.db.prisma, person.vehicle, 2 - 5 / 24);
    const open = await aDrive(rest.db.prisma, person.vehicle, 1, {
      state: 'ONGOING',
      endedAt: null,
    });
    const known: Record<string, Drive> = { one, two, three, strange, open };
    const before = await historyOf(person);
    const drive_ids = names.map((name) => driveId(known[name] ?? one));
    expect(await edit(person, 'POST', '/drives/merge', { drive_ids })).toMatchObject({ code });
    expect(await historyOf(person)).toEqual(before);
  });

  it('is deleted, left out of its trip, and comes back', async () => {
    const person = await withDrives();
    const [one, two] = person.drives;
    const before = await historyOf(person);
    const done = await edit(person, 'DELETE', `/drives/${driveId(one)}`);
    expect(done.response).toMatchObject({ drives: [], trips: [{ distance_km: 41 }] });
    expect((await live(person)).map(({ id }) => id)).not.toContain(one.id);
    expect((await tripsOf(person))[0]?.startedAt).toEqual(two.startedAt);
    expect(await edit(person, 'DELETE', `/drives/${driveId(one)}`)).toMatchObject({ code: 404 });
    await undo(person, done);
    expect(await historyOf(person)).toEqual(before);
  });

  it('takes its trip with it when it was the only one, and brings it back', async () => {
    const person = await aPerson();
    const trip = await aTrip(rest.db.prisma, person.vehicle, 2);
    const drive = await aDrive(rest.db.prisma, person.vehicle, 2, { tripId: trip.id });
    const before = await historyOf(person);
    const done = await edit(person, 'DELETE', `/drives/${driveId(drive)}`);
    expect(await tripsOf(person)).toEqual([]);
    await undo(person, done);
    expect(await historyOf(person)).toEqual(before);
  });

  it('is nobody else’s to edit, nor for a token without `controls`', async () => {
    const person = await withDrives();
    const path = `/drives/${driveId(person.drives[0])}`;
    const stranger = await aPerson();
    expect(await edit({ ...stranger, vehicle: person.vehicle }, 'DELETE', path)).toMatchObject({
      code: 404,
    });
    expect(await edit(stranger, 'DELETE', path)).toMatchObject({ code: 404 });
    const other = await aVehicle(rest.db.prisma, person.account);
    expect(await edit({ ...person, vehicle: other }, 'DELETE', path)).toMatchObject({ code: 404 });
    const reader = await rest.token(person.account.id, ['vehicles']);
    expect(await edit({ ...person, token: reader }, 'DELETE', path)).toMatchObject({ code: 403 });
    expect(await live(person)).toHaveLength(3);
  });
});

/** A drive of 30 km with a sample a minute, then rest. */
const recorded = [
  parked(0, 1000),
  ...Array.from({ length: 20 }, (_, n) =>
    driving(60 + n * 60, 1000.5 + n * 1.5, {
      latitude: 47 + n / 100,
      longitude: 9.5,
      powerKw: n < 10 ? 30 : 10,
    }),
  ),
  parked(1300, 1030.5, { latitude: 47.2, longitude: 9.5, rangeRatedKm: 370 }),
];

const apply = ({ vehicle }: Person, events: readonly IngestEvent[]) =>
  applyEvents(rest.db.prisma, vehicle.id, events);

describe('a recorded drive', () => {
  it('is cut in two halves that come to the whole, and made whole again', async () => {
    const person = await aPerson();
    const halfway = await aPlace(rest.db.prisma, person.account, {
      latitude: 47.1,
      longitude: 9.5,
    });
    await apply(person, recorded);
    const [drive] = await live(person);
    if (drive === undefined) throw new Error('No drive.');
    const before = await historyOf(person);
    const at = T0 + 11 * MINUTE_MS + 1;
    const split = (time: number) =>
      edit(person, 'POST', `/drives/${driveId(drive)}/split`, { at: new Date(time).toISOString() });
    const done = await split(at);
    const [one, two] = await live(person);
    expect([one?.startedAt, one?.endedAt, two?.startedAt, two?.endedAt]).toEqual([
      drive.startedAt,
      new Date(at),
      new Date(at),
      drive.endedAt,
    ]);
    expect(one?.distanceKm).toBeCloseTo(15.5, 3);
    expect((one?.distanceKm ?? 0) + (two?.distanceKm ?? 0)).toBeCloseTo(drive.distanceKm, 3);
    expect((one?.energyUsedKwh ?? 0) + (two?.energyUsedKwh ?? 0)).toBeCloseTo(
      drive.energyUsedKwh ?? 0,
      3,
    );
    // Three times the power in the first half.
    expect((one?.energyUsedKwh ?? 0) / (two?.energyUsedKwh ?? 1)).toBeGreaterThan(2);
    expect([one?.endOdometerKm, two?.startOdometerKm]).toEqual([1015.5, 1015.5]);
    expect([one?.endPlaceId, two?.startPlaceId]).toEqual([halfway.id, halfway.id]);
    expect((one?.sampleCount ?? 0) + (two?.sampleCount ?? 0)).toBe(drive.sampleCount);
    await undo(person, done);
    expect(await historyOf(person)).toEqual(before);
    expect(await split(drive.startedAt.getTime() - 1)).toMatchObject({ code: 422 });
    expect(await split((drive.endedAt?.getTime() ?? 0) + 1)).toMatchObject({ code: 422 });
  });

  it('under way is ended on wish, and what comes after it is another one', async () => {
    const person = await aPerson();
    await apply(person, recorded.slice(0, 10));
    const [drive] = await live(person);
    if (drive === undefined) throw new Error('No drive.');
    const path = `/drives/${driveId(drive)}`;
    expect(await edit(person, 'DELETE', path)).toMatchObject({
      code: 409,
      error: 'merge_conflict',
    });
    const done = await edit(person, 'POST', `${path}/close`);
    expect(done.response?.drives).toMatchObject([{ id: driveId(drive), state: 'INCOMPLETE' }]);
    expect(await edit(person, 'POST', `${path}/close`)).toMatchObject({ code: 409 });
    await apply(person, recorded.slice(10));
    const [one, two] = await live(person);
    expect([one?.state, two?.state]).toEqual(['INCOMPLETE', 'ENDED']);
    expect(one?.endedAt).toEqual(new Date(T0 + 540_000));
    expect((one?.distanceKm ?? 0) + (two?.distanceKm ?? 0)).toBeCloseTo(30.5, 3);
    expect(await undo(person, done)).toMatchObject({ code: 409 });
    expect((await eventsOf(person)).filter((type) => type === 'drive.ended')).toHaveLength(2);
  });

  it('that comes to nothing when it is ended is told of as what it became', async () => {
    const person = await aPerson();
    await apply(person, [parked(0, 1000), driving(10, 1000.002, { speedKmh: 1 })]);
    const [drive] = await live(person);
    await edit(person, 'POST', `/drives/${driveId(drive ?? { id: '' })}/close`);
    expect(await live(person)).toMatchObject([{ state: 'DISCARDED' }]);
    const where = { vehicleId: person.vehicle.id, type: 'drive.edited' };
    expect(await rest.db.prisma.event.findMany({ where })).toMatchObject([
      { data: { driveId: drive?.id, state: 'DISCARDED' } },
    ]);
  });
});

describe('a trip', () => {
  it('is grouped by hand with the charges between its drives, and ungrouped by the undo', async () => {
    const person = await withDrives();
    const [, two, three] = person.drives;
    const charge = await aCharge(rest.db.prisma, person.vehicle, 2 - 5 / 24);
    const before = await historyOf(person);
    const done = await edit(person, 'POST', '/trips', {
      drive_ids: [two, three].map(driveId),
      name: 'Lake',
      tags: ['sun'],
    });
    expect(await tripsOf(person)).toMatchObject([
      { id: person.trip.id, distanceKm: 20 },
      {
        auto: false,
        name: 'Lake',
        tags: ['sun'],
        distanceKm: 41,
        energyAddedKwh: 30,
        drivingS: 3600,
      },
    ]);
    expect(done.response?.charges).toMatchObject([{ id: typeIdOf('Charge', charge.id) }]);
    expect(done.response?.trips).toHaveLength(2);
    await undo(person, done);
    expect(await historyOf(person)).toEqual(before);
  });

  it('is named, cut in two, made one again and ungrouped', async () => {
    const person = await withDrives();
    const [, two] = person.drives;
    const path = `/trips/${tripId(person.trip)}`;
    await edit(person, 'PATCH', path, { name: 'Alps' });
    const before = await historyOf(person);
    const cut = await edit(person, 'POST', `${path}/split`, { drive_id: driveId(two) });
    const [first, second] = await tripsOf(person);
    expect([first?.distanceKm, second?.distanceKm]).toEqual([20, 41]);
    const joined = await edit(person, 'POST', '/trips/merge', {
      trip_ids: [first, second].map((trip) => tripId(trip ?? { id: '' })),
    });
    expect(await tripsOf(person)).toMatchObject([
      { id: person.trip.id, name: 'Alps', distanceKm: 61 },
    ]);
    await undo(person, joined);
    expect(await tripsOf(person)).toHaveLength(2);
    await undo(person, cut);
    expect(await historyOf(person)).toEqual(before);
    const gone = await edit(person, 'DELETE', path);
    expect(await tripsOf(person)).toEqual([]);
    expect((await live(person)).map((drive) => drive.tripId)).toEqual([null, null, null]);
    await undo(person, gone);
    expect(await historyOf(person)).toEqual(before);
    expect(
      await edit(person, 'POST', `${path}/split`, { drive_id: driveId(person.drives[0]) }),
    ).toMatchObject({ code: 422 });
  });

  it('that grew by itself keeps what a person took out of it', async () => {
    const person = await aPerson();
    await apply(person, recorded);
    const [trip] = await tripsOf(person);
    const [drive] = await live(person);
    if (trip === undefined || drive === undefined) throw new Error('No trip.');
    expect(trip.state).toBe('ONGOING');
    const mine = await edit(person, 'POST', '/trips', { drive_ids: [driveId(drive)] });
    // The reducer still counts the drive to its own trip, and writes that again.
    await apply(person, [driving(2000, 1031), parked(2600, 1060)]);
    const [own, grown] = await tripsOf(person).then((trips) =>
      [...trips].sort((a) => (a.auto ? 1 : -1)),
    );
    expect(own?.id).toBe((await live(person))[0]?.tripId);
    expect(own).toMatchObject({ auto: false, distanceKm: 30.5 });
    expect(mine.response?.trips.map(({ id }) => id)).toContain(tripId(own ?? { id: '' }));
    expect(grown).toMatchObject({ id: trip.id, distanceKm: 29.5 });
  });

  it('that went on after a drive was taken out of it has it back by the undo', async () => {
    const person = await aPerson();
    await apply(person, recorded);
    await apply(person, [driving(2000, 1031), parked(2600, 1060)]);
    const [first] = await live(person);
    const done = await edit(person, 'DELETE', `/drives/${driveId(first ?? { id: '' })}`);
    expect(await tripsOf(person)).toMatchObject([{ state: 'ONGOING', distanceKm: 29.5 }]);
    await apply(person, [driving(3000, 1061), parked(3600, 1090), passed(20_000)]);
    expect(await tripsOf(person)).toMatchObject([{ state: 'ENDED', distanceKm: 59.5 }]);
    await undo(person, done);
    expect(await tripsOf(person)).toMatchObject([
      { state: 'ENDED', pinned: false, distanceKm: 90, startedAt: first?.startedAt },
    ]);
  });

  it('under way is closed, and the next drive begins another one', async () => {
    const person = await aPerson();
    await apply(person, recorded);
    const [trip] = await tripsOf(person);
    const path = `/trips/${tripId(trip ?? { id: '' })}`;
    expect(await edit(person, 'DELETE', path)).toMatchObject({ code: 409 });
    await edit(person, 'POST', `${path}/close`);
    expect(await tripsOf(person)).toMatchObject([
      { id: trip?.id, state: 'ENDED', distanceKm: 30.5 },
    ]);
    await apply(person, [driving(2000, 1031), parked(2600, 1060)]);
    expect((await tripsOf(person)).map(({ state }) => state)).toEqual(['ENDED', 'ONGOING']);
  });
});

describe('a charge', () => {
  it('gets a cost that nothing computes over, and its own one back', async () => {
    const person = await aPerson();
    const charge = await aCharge(rest.db.prisma, person.vehicle, 2);
    const path = `/charges/${typeIdOf('Charge', charge.id)}`;
    const before = await historyOf(person);
    const done = await edit(person, 'PATCH', path, {
      cost: { amount: '12.5', currency: 'EUR' },
      note: 'dear',
    });
    expect(done.response?.charges).toMatchObject([
      {
        note: 'dear',
        cost: { amount: '12.5', amount_minor: 1250, currency: 'EUR', method: 'MANUAL' },
      },
    ]);
    expect((await eventsOf(person)).sort()).toEqual(['charge.cost_changed', 'charge.updated']);
    await undo(person, done);
    const { charges, ...rests } = await historyOf(person);
    expect({ charges, ...rests }).toEqual(before);
    for (const cost of [
      { amount: '12.555', currency: 'EUR' },
      { amount: '-1', currency: 'EUR' },
      { amount: '1', currency: 'X' },
    ]) {
      expect(await edit(person, 'PATCH', path, { cost })).toMatchObject({ code: 422 });
    }
  });
});

it('edits are listed with the vehicle and with what they concern, the newest first', async () => {
  const person = await withDrives();
  const path = `/drives/${driveId(person.drives[0])}`;
  await edit(person, 'PATCH', path, { note: 'a' });
  await edit(person, 'DELETE', path);
  const root = `/api/vehicle/${person.vehicle.publicId}`;
  const listed = await (await rest.get(`${root}/edits`, person.token)).json();
  expect(listed).toMatchObject({
    count: 2,
    response: [{ kind: 'DRIVE_DELETE' }, { kind: 'DRIVE_UPDATE' }],
  });
  const other = driveId(person.drives[1]);
  for (const note of ['b', 'c']) await edit(person, 'PATCH', `/drives/${other}`, { note });
  const data = await graphql(
    rest.db.prisma,
    aPrincipal(person.account),
    `query ($id: ID!) { node(id: $id) { ... on Drive { edits(first: 1) { totalCount nodes { kind } pageInfo { hasNextPage } } } } }`,
    { id: other },
  );
  expect(graphqlAt(data, 'node.edits')).toEqual({
    totalCount: 2,
    nodes: [{ kind: 'DRIVE_UPDATE' }],
    pageInfo: { hasNextPage: true },
  });
});

it('history is edited, undone and priced by every name of its vehicle', async () => {
  const person = await withDrives();
  const { vehicle, token } = person;
  await rest.db.prisma.vehicleSlug.create({
    data: { slug: `former-${vehicle.publicId}`, vehicleId: vehicle.id },
  });
  const path = `/drives/${driveId(person.drives[0])}`;
  const names = [`Former-${vehicle.publicId}`, typeIdOf('Vehicle', vehicle.id)];
  for (const publicId of names) {
    const named = { ...person, vehicle: { ...vehicle, publicId } };
    const done = await edit(named, 'PATCH', path, { note: publicId });
    expect(done.response?.drives).toMatchObject([{ note: publicId }]);
    expect(await undo(named, done)).toMatchObject({ code: 200 });
  }
  await aCharge(rest.db.prisma, vehicle, 2);
  const account = await rest.token(person.account.id, ['account', 'vehicles']);
  for (const public_id of names) {
    const url = '/api/account/tariffs/recompute';
    const answered = await rest.send('POST', url, account, { public_id });
    expect(await answered.json()).toMatchObject({ code: 200, response: { examined: 1 } });
  }
  const other = { ...person, vehicle: await aVehicle(rest.db.prisma, person.account), token };
  expect(await edit(other, 'PATCH', path, { note: 'x' })).toMatchObject({ code: 404 });
});
