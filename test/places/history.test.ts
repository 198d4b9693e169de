import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCall } from '../../src/actions/account-call.ts';
import { createPlace, deletePlace, updatePlace } from '../../src/actions/manage-places.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { applyEvents } from '../../src/ingest/apply.ts';
import { reassignDue, reassignStep } from '../../src/ingest/reassign-places.ts';
import type { IngestEvent } from '../../src/ingest/state.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aPrincipal, aVehicle, driveData, now } from '../support/rows.ts';
import { driving, parked } from '../support/trace.ts';

const HOME = { latitude: 47.0664, longitude: 9.5032 };
const FAR = { latitude: 47.5, longitude: 9.5032 };

describeEachEngine('history', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  type Person = { account: Account; vehicle: Vehicle; call: AccountCall };

  async function aPerson(): Promise<Person> {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account, { efficiencyWhPerKm: 150 });
    const principal = aPrincipal(account);
    return {
      account,
      vehicle,
      call: { prisma: db.prisma, clock: () => now, principal, requestId: 'req-test' },
    };
  }

  const apply = (person: Person, events: readonly IngestEvent[]) =>
    applyEvents(db.prisma, person.vehicle.id, events);

  const parts = () => ({ prisma: db.prisma, clock: () => now });

  const settle = () => reassignDue(parts(), new AbortController().signal);

  /** There and back again, with a charge at home. */
  const day = [
    parked(0, 1000),
    driving(60, 1000.5),
    parked(600, 1030, FAR),
    driving(1200, 1030.5, FAR),
    parked(1800, 1060),
    parked(1900, 1060, { chargeStatus: 'CHARGING', chargerPowerKw: 11, chargeEnergyAddedKwh: 0 }),
    parked(3000, 1060, { chargeStatus: 'CHARGING', chargerPowerKw: 11, chargeEnergyAddedKwh: 3 }),
    parked(3100, 1060),
  ];

  /** The places that everything of a vehicle is at. */
  async function placesOf({ vehicle: { id: vehicleId } }: Person) {
    const orderBy = { startedAt: 'asc' } as const;
    const query = { where: { vehicleId }, orderBy };
    const drives = await db.prisma.drive.findMany(query);
    const charges = await db.prisma.charge.findMany(query);
    const parks = await db.prisma.parkedSpan.findMany(query);
    const trips = await db.prisma.trip.findMany(query);
    return {
      drives: drives.map(({ startPlaceId, endPlaceId }) => [startPlaceId, endPlaceId]),
      charges: charges.map(({ placeId, network }) => [placeId, network]),
      parks: parks.map(({ placeId }) => placeId),
      trips: trips.map(({ startPlaceId, endPlaceId }) => [startPlaceId, endPlaceId]),
    };
  }

  const nowhere = {
    drives: [
      [null, null],
      [null, null],
    ],
    charges: [[null, 'UNKNOWN']],
    parks: [null, null, null],
    trips: [[null, null]],
  };

  const home = { name: 'Home', kind: 'HOME', ...HOME, radiusM: 100 };

  it('is given to a place that is made later, and taken from it again', async () => {
    const person = await aPerson();
    const stranger = await aPerson();
    for (const one of [person, stranger]) await apply(one, day);
    expect(await placesOf(person)).toEqual(nowhere);

    const { id } = await createPlace(person.call, home);
    await settle();
    const atHome = {
      drives: [
        [id, null],
        [null, id],
      ],
      charges: [[id, 'HOME']],
      parks: [id, null, id],
      trips: [[id, id]],
    };
    expect(await placesOf(person)).toEqual(atHome);
    expect(await placesOf(stranger)).toEqual(nowhere);

    const publicId = typeIdOf('Place', id);
    await updatePlace(person.call, publicId, { kind: 'WORK' });
    await settle();
    expect(await placesOf(person)).toMatchObject({ charges: [[id, 'WORK']] });
    await updatePlace(person.call, publicId, FAR);
    await settle();
    expect(await placesOf(person)).toMatchObject({
      drives: [
        [null, id],
        [id, null],
      ],
      parks: [null, id, null],
    });
    await deletePlace(person.call, publicId);
    await settle();
    expect(await placesOf(person)).toEqual(nowhere);
  });

  it('of a vehicle that fails holds up no other', async () => {
    const people = [await aPerson(), await aPerson()];
    for (const one of people) {
      await apply(one, day);
      await createPlace(one.call, home);
    }
    const [broken, sound] = people.sort((a, b) => a.vehicle.id.localeCompare(b.vehicle.id));
    if (broken === undefined || sound === undefined) throw new Error('Nobody.');
    const where = { accountId: broken.account.id };
    await db.prisma.place.updateMany({ where, data: { polygon: 'no corners' } });
    await expect(settle()).rejects.toThrow('1 vehicles');
    expect(await placesOf(sound)).toMatchObject({ charges: [[expect.any(String), 'HOME']] });
    expect(await placesOf(broken)).toEqual(nowhere);
    await db.prisma.account.delete({ where: { id: broken.account.id } });
  });

  it('falls to the larger place when the smaller one in it is removed', async () => {
    const person = await aPerson();
    await apply(person, day);
    const town = await createPlace(person.call, { ...home, name: 'Town', radiusM: 3000 });
    const house = await createPlace(person.call, home);
    await settle();
    expect((await placesOf(person)).parks).toEqual([house.id, null, house.id]);
    await deletePlace(person.call, typeIdOf('Place', house.id));
    expect((await placesOf(person)).parks).toEqual([null, null, null]);
    await settle();
    expect((await placesOf(person)).parks).toEqual([town.id, null, town.id]);
  });

  it('that is under way keeps the places of now', async () => {
    const person = await aPerson();
    await apply(person, day.slice(0, 1));
    const { id } = await createPlace(person.call, home);
    await apply(person, day.slice(1, 2));
    await settle();
    await apply(person, day.slice(2));
    expect(await placesOf(person)).toMatchObject({
      drives: [
        [id, null],
        [null, id],
      ],
      parks: [id, null, id],
      trips: [[id, id]],
    });
    // A state that names a place that is gone would be refused by the database.
    await deletePlace(person.call, typeIdOf('Place', id));
    await apply(person, [driving(3200, 1060.5), parked(3900, 1070, { batteryLevelPct: 66 })]);
    await settle();
    expect((await placesOf(person)).drives).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
  });

  it('goes on where the work on it stopped, and starts over when places change meanwhile', async () => {
    const person = await aPerson();
    const { vehicle } = person;
    const rows = Array.from({ length: 600 }, (_, n) => driveData(vehicle, n / 10, { ...ends() }));
    await db.prisma.drive.createMany({ data: rows });
    const { id } = await createPlace(person.call, home);
    const given = () =>
      db.prisma.drive.count({ where: { vehicleId: vehicle.id, startPlaceId: id } });
    expect(await reassignStep(parts(), vehicle.id)).toBe(true);
    // What a crash would leave: some rows done, and a note of how far it came.
    expect(await given()).toBe(500);
    expect(
      await db.prisma.placeWork.count({ where: { vehicleId: vehicle.id, stage: 'drive' } }),
    ).toBe(1);
    await updatePlace(person.call, typeIdOf('Place', id), FAR);
    expect(
      await db.prisma.placeWork.findUnique({ where: { vehicleId: vehicle.id } }),
    ).toMatchObject({
      stage: 'drive',
      afterId: null,
    });
    await settle();
    expect(await given()).toBe(0);
    expect(await db.prisma.placeWork.count()).toBe(0);
    expect(await reassignStep(parts(), vehicle.id)).toBe(false);
  });

  function ends() {
    return { startLatitude: HOME.latitude, startLongitude: HOME.longitude };
  }

  describe('gets the tags and purpose of a place', () => {
    const lake = {
      ...{ name: 'Lake', ...FAR, radiusM: 200 },
      ...{ autoTags: ['swim', 'sun'], purposeDefault: 'PERSONAL' },
    };

    const drivesOf = ({ vehicle }: Person) =>
      db.prisma.drive.findMany({ where: { vehicleId: vehicle.id }, orderBy: { startedAt: 'asc' } });

    it('when a drive ends there, and not again when somebody takes them off', async () => {
      const person = await aPerson();
      await createPlace(person.call, lake);
      await apply(person, day.slice(0, 2));
      expect(await drivesOf(person)).toMatchObject([{ tags: [], purpose: null }]);
      await apply(person, day.slice(2, 3));
      const [drive] = await drivesOf(person);
      expect(drive).toMatchObject({ tags: ['swim', 'sun'], purpose: 'PERSONAL' });
      const data = { tags: ['sun'], purpose: null };
      await db.prisma.drive.update({ where: { id: drive?.id ?? '' }, data });
      await apply(person, day.slice(3));
      expect(await drivesOf(person)).toMatchObject([data, { tags: [] }]);
    });

    it('when the place is made later, but not over what a person put on a drive', async () => {
      const person = await aPerson();
      await apply(person, day);
      const [first] = await drivesOf(person);
      await createPlace(person.call, lake);
      await settle();
      expect(await drivesOf(person)).toMatchObject([{ tags: ['swim', 'sun'] }, { tags: [] }]);
      const edited = await aPerson();
      await apply(edited, day);
      const where = { id: (await drivesOf(edited))[0]?.id ?? '' };
      expect(first?.id).not.toBe(where.id);
      await db.prisma.drive.update({ where, data: { tags: ['own'], editedAt: new Date(now) } });
      await createPlace(edited.call, lake);
      await settle();
      expect(await drivesOf(edited)).toMatchObject([{ tags: ['own'], purpose: null }, {}]);
    });
  });
});
