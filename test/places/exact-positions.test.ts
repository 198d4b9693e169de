import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importPlaces } from '../../src/actions/import-places.ts';
import { createPlace, deletePlace, updatePlace } from '../../src/actions/manage-places.ts';
import { createTariff, deleteTariff, updateTariff } from '../../src/actions/manage-tariffs.ts';
import { recomputeCosts } from '../../src/actions/recompute-costs.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import type {
  Account,
  LocationPrecision,
  Vehicle,
} from '../../src/store/generated/prisma/client.ts';
import { aFeed, happen, listen, next } from '../live/following.ts';
import { at } from '../schema/ask.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aCharge, anAccount, aPlace, aPrincipal, aTariff, aVehicle, now } from '../support/rows.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { aDesk, aHolder, callOf, made, standingClock } from '../webhooks/sending.ts';

let db: ScratchDatabase;
let account: Account;
let vehicle: Vehicle;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db?.close());
beforeEach(async () => {
  account = await anAccount(db.prisma);
  vehicle = await aVehicle(db.prisma, account);
});

const set = (locationPrecision: LocationPrecision) =>
  db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { locationPrecision } });

describe('places and tariffs', () => {
  const place = { name: 'Probe', latitude: 52.5, longitude: 13.4, radiusM: 20 };
  const tariff = { name: 'Probe', currency: 'EUR', defaultRate: '123.45' };

  /** What comes of every way to change them: `done`, or the word of its error. */
  async function changes(
    locationPrecision: LocationPrecision,
    scopes: readonly Scope[],
  ): Promise<string[]> {
    const principal = aPrincipal(account, { locationPrecision, scopes: new Set(scopes) });
    const call = { prisma: db.prisma, clock: () => now, principal, requestId: 'req-test' };
    const placeIds = [await aPlace(db.prisma, account), await aPlace(db.prisma, account)];
    const tariffIds = [await aTariff(db.prisma, account), await aTariff(db.prisma, account)];
    const [one = '', other = ''] = placeIds.map(({ id }) => typeIdOf('Place', id));
    const [price = '', old = ''] = tariffIds.map(({ id }) => typeIdOf('Tariff', id));
    const file = { format: 'CSV', data: 'name,latitude,longitude\nProbe,47,9\n' };
    const wishes = [
      () => createPlace(call, place),
      () => importPlaces(call, file),
      () => updatePlace(call, one, { latitude: 52.5, longitude: 13.4 }),
      () => deletePlace(call, other),
      () => createTariff(call, tariff),
      () => updateTariff(call, price, { defaultRate: '123.45' }),
      () => deleteTariff(call, old),
      () => recomputeCosts(call, {}),
    ];
    const found: string[] = [];
    for (const wish of wishes) {
      const came = await wish().then(
        () => 'done',
        (error: unknown) => String(at(error, 'code')),
      );
      found.push(came);
    }
    return [...new Set(found)];
  }

  it('are changed by no credential that sees positions less than exactly, whatever its scopes', async () => {
    expect(await changes('EXACT', ['account'])).toEqual(['done']);
    expect(await changes('APPROXIMATE', ['account', 'controls'])).toEqual(['setting_forbids']);
    expect(await changes('HIDDEN', ['account', 'controls'])).toEqual(['setting_forbids']);
  });

  it('are changed beside a vehicle that tells less only by who could change its setting', async () => {
    await set('HIDDEN');
    expect(await changes('EXACT', ['account'])).toEqual(['setting_forbids']);
    expect(await changes('EXACT', ['account', 'controls'])).toEqual(['done']);
  });
});

describe('that a vehicle entered a place', () => {
  const document: [string] = ['subscription { events { type } }'];

  it('is told to subscribers who see its position exactly', async () => {
    const feed = aFeed(db);
    const precisions = ['EXACT', 'APPROXIMATE', 'HIDDEN'] as const;
    const told = await Promise.all(
      precisions.map(async (locationPrecision) => {
        const caller = aPrincipal(account, { locationPrecision });
        const answers = await listen(db, feed, caller, document);
        await next(answers);
        return answers;
      }),
    );
    await happen(db.prisma, vehicle, { type: 'place.entered' }, { type: 'drive.ended' });
    const first = await Promise.all(
      told.map(async (one) => at(await next(one), 'data.events.type')),
    );
    expect(first).toEqual(['place.entered', 'drive.ended', 'drive.ended']);
    for (const one of told) await one.return?.();
    await feed.close();
  });

  it.each([
    ['HIDDEN', 'EXACT'],
    ['EXACT', 'APPROXIMATE'],
  ] as const)(
    'and that a tariff changed a cost makes no charge be told again: token %s, vehicle %s',
    async (locationPrecision, ofVehicle) => {
      const data = { locationPrecision: ofVehicle };
      await db.prisma.vehicle.update({ where: { id: vehicle.id }, data });
      const feed = aFeed(db);
      const [one, other] = [
        await aCharge(db.prisma, vehicle, 2),
        await aCharge(db.prisma, vehicle, 1),
      ];
      const caller = aPrincipal(account, { locationPrecision });
      const asked: [string] = ['subscription { chargeUpdated { id } }'];
      const answers = await listen(db, feed, caller, asked);
      await next(answers);
      await happen(
        db.prisma,
        vehicle,
        { type: 'charge.cost_changed', data: { chargeId: other.id } },
        { type: 'charge.ended', data: { chargeId: one.id } },
      );
      const told = at(await next(answers), 'data.chargeUpdated.id');
      expect(told).toBe(typeIdOf('Charge', one.id));
      await answers.return?.();
      await feed.close();
    },
  );

  it('and that a tariff changed a cost has a charge told again to who sees positions exactly', async () => {
    const feed = aFeed(db);
    const { id: chargeId } = await aCharge(db.prisma, vehicle, 1);
    const asked: [string] = ['subscription { chargeUpdated { id } }'];
    const answers = await listen(db, feed, aPrincipal(account), asked);
    await next(answers);
    await happen(db.prisma, vehicle, { type: 'charge.cost_changed', data: { chargeId } });
    const told = at(await next(answers), 'data.chargeUpdated.id');
    expect(told).toBe(typeIdOf('Charge', chargeId));
    await answers.return?.();
    await feed.close();
  });

  it('is told to webhooks whose token sees its position exactly, as long as it does', async () => {
    const clock = standingClock();
    const desk = aDesk(db, clock);
    await using receiver = await startReceiver();
    const types = ['place.entered', 'drive.ended'];
    for (const locationPrecision of ['EXACT', 'APPROXIMATE'] as const) {
      const principal = await aHolder(db.prisma, account, { locationPrecision });
      const call = callOf(db.prisma, { desk, clock, principal });
      await made(call, `${receiver.url}?${locationPrecision}`, { types });
    }
    const calls = () => receiver.calls.splice(0).map(({ body }) => at(JSON.parse(body), 'type'));
    await happen(db.prisma, vehicle, { type: 'place.entered' }, { type: 'drive.ended' });
    desk.look();
    await desk.settled();
    expect(calls().sort()).toEqual(['drive.ended', 'drive.ended', 'place.entered']);
    await set('HIDDEN');
    await happen(db.prisma, vehicle, { type: 'place.entered' }, { type: 'drive.ended' });
    desk.look();
    await desk.settled();
    expect(calls()).toEqual(['drive.ended', 'drive.ended']);
    await desk.close();
  });
});
