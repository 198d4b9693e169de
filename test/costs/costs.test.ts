import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { AccountCall } from '../../src/actions/account-call.ts';
import { updateCharge } from '../../src/actions/edit-charge.ts';
import { createPlace, updatePlace } from '../../src/actions/manage-places.ts';
import { createTariff, deleteTariff, updateTariff } from '../../src/actions/manage-tariffs.ts';
import { recomputeCosts } from '../../src/actions/recompute-costs.ts';
import { undoEdit } from '../../src/actions/undo-edit.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { applyEvents } from '../../src/ingest/apply.ts';
import { reassignDue } from '../../src/ingest/reassign-places.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { violations } from '../rest/contract.ts';
import { every } from '../rest/requests.ts';
import { type RestService, startRest } from '../rest/rest-service.ts';
import { answer, at } from '../schema/ask.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aCharge, aDrive, anAccount, aPrincipal, aVehicle, now } from '../support/rows.ts';
import { parked } from '../support/trace.ts';

const HOME = { latitude: 47.0664, longitude: 9.5032 };
const home = { name: 'Home', kind: 'HOME', ...HOME, radiusM: 100 };
const flat = { name: 'Flat', currency: 'EUR', defaultRate: '0.30' };

describeEachEngine('costs', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  type Person = { account: Account; vehicle: Vehicle; call: AccountCall; placeId: string };

  async function aPerson(): Promise<Person> {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    const principal = aPrincipal(account);
    const call = { prisma: db.prisma, clock: () => now, principal, requestId: 'req-test' };
    const placeId = typeIdOf('Place', (await createPlace(call, home)).id);
    return { account, vehicle, call, placeId };
  }

  const settle = () =>
    reassignDue({ prisma: db.prisma, clock: () => now }, new AbortController().signal);

  async function costsOf({ vehicle }: Person) {
    const where = { vehicleId: vehicle.id };
    const rows = await db.prisma.charge.findMany({ where, orderBy: { startedAt: 'asc' } });
    return rows.map(({ costAmount, costMethod }) => [costAmount?.toNumber() ?? null, costMethod]);
  }

  async function eventsOf({ vehicle }: Person) {
    const where = { vehicleId: vehicle.id, type: { in: ['charge.ended', 'charge.cost_changed'] } };
    return db.prisma.event.findMany({ where, orderBy: { position: 'asc' } });
  }

  it('are set when a charge ends, and told of after its end', async () => {
    const person = await aPerson();
    await createTariff(person.call, { ...flat, placeId: person.placeId });
    const charging = { chargeStatus: 'CHARGING', chargerPowerKw: 10 } as const;
    await applyEvents(db.prisma, person.vehicle.id, [
      parked(0, 1000),
      parked(60, 1000, { ...charging, chargeEnergyAddedKwh: 0 }),
      parked(1860, 1000, { ...charging, chargeEnergyAddedKwh: 5 }),
    ]);
    expect(await costsOf(person)).toEqual([[null, 'NONE']]);
    await applyEvents(db.prisma, person.vehicle.id, [parked(3660, 1000)]);
    const [[amount, method] = []] = await costsOf(person);
    expect(method).toBe('TARIFF');
    expect(amount).toBeGreaterThanOrEqual(1.5);
    const events = await eventsOf(person);
    expect(events.map(({ type }) => type)).toEqual(['charge.ended', 'charge.cost_changed']);
    expect(events[1]?.data).toMatchObject({
      amount: Number(amount).toFixed(2),
      currency: 'EUR',
      method: 'TARIFF',
      previous: { amount: null, method: 'NONE' },
    });
  });

  it('follow a tariff and its places, and leave what a person said', async () => {
    const person = await aPerson();
    const { vehicle, call, placeId } = person;
    await aCharge(db.prisma, vehicle, 3, HOME);
    await aCharge(db.prisma, vehicle, 2, {
      ...HOME,
      ...{ costAmount: '7', costCurrency: 'EUR', costMethod: 'MANUAL' },
    });
    await aCharge(db.prisma, vehicle, 1, { latitude: 40 });
    const tariff = await createTariff(call, { ...flat, placeId });
    const id = typeIdOf('Tariff', tariff.id);
    await settle();
    const manual = [7, 'MANUAL'];
    const none = [null, 'NONE'];
    expect(await costsOf(person)).toEqual([[9, 'TARIFF'], manual, none]);
    await updateTariff(call, id, { defaultRate: '0.5' });
    await settle();
    expect(await costsOf(person)).toEqual([[15, 'TARIFF'], manual, none]);
    await updatePlace(call, placeId, { latitude: 40, longitude: 13.404954 });
    await settle();
    expect(await costsOf(person)).toEqual([none, manual, [15, 'TARIFF']]);
    await deleteTariff(call, id);
    await settle();
    expect(await costsOf(person)).toEqual([none, manual, none]);
    expect((await eventsOf(person)).map(({ data }) => at(data, 'amount'))).toEqual([
      '9.00',
      '15.00',
      null,
      '15.00',
      null,
    ]);
  });

  it('come back by an undo though their tariff is gone, and are told', async () => {
    const person = await aPerson();
    const { vehicle, call, placeId } = person;
    const charge = await aCharge(db.prisma, vehicle, 3, HOME);
    const tariff = await createTariff(call, { ...flat, placeId });
    await settle();
    const id = typeIdOf('Charge', charge.id);
    const cost = { amount: '7', currency: 'EUR' };
    const edit = await updateCharge(call, { publicId: null, id }, { cost });
    await deleteTariff(call, typeIdOf('Tariff', tariff.id));
    await settle();
    expect(await costsOf(person)).toEqual([[7, 'MANUAL']]);
    await undoEdit(call, { publicId: null, id: typeIdOf('HistoryEdit', edit.id) });
    expect(await costsOf(person)).toEqual([[null, 'NONE']]);
    expect((await eventsOf(person)).at(-1)?.data).toMatchObject({
      amount: null,
      previous: { method: 'MANUAL' },
    });
  });

  it('are those of the tariff that held when the charge began', async () => {
    const person = await aPerson();
    const { vehicle, call, placeId } = person;
    for (const days of [30, 20, 10]) await aCharge(db.prisma, vehicle, days, HOME);
    const day = (ago: number) => now - ago * 86_400_000;
    await createTariff(call, { ...flat, placeId, validTo: day(25) });
    await createTariff(call, { ...flat, defaultRate: '0.4', placeId, validFrom: day(25) });
    const spring = { ...flat, defaultRate: '0.2', validFrom: day(15), validTo: day(5) };
    const chosen = await createTariff(call, spring);
    await settle();
    expect(await costsOf(person)).toEqual([
      [9, 'TARIFF'],
      [12, 'TARIFF'],
      [12, 'TARIFF'],
    ]);
    await updatePlace(call, placeId, { tariffId: typeIdOf('Tariff', chosen.id) });
    await settle();
    expect((await costsOf(person)).map(([amount]) => amount)).toEqual([9, 12, 6]);
  });

  it('are computed anew on wish, and those that changed are told', async () => {
    const person = await aPerson();
    const { vehicle, call, placeId } = person;
    const charge = await aCharge(db.prisma, vehicle, 3, HOME);
    await createTariff(call, { ...flat, placeId });
    await settle();
    await db.prisma.charge.update({ where: { id: charge.id }, data: { energyAddedKwh: 40 } });
    const wish = { publicId: vehicle.publicId };
    expect(await recomputeCosts(call, wish)).toMatchObject({
      examined: 1,
      more: false,
      changed: [
        {
          chargeId: charge.id,
          publicId: vehicle.publicId,
          before: { costAmount: '9.00' },
          after: { costAmount: '12.00' },
        },
      ],
    });
    expect(await recomputeCosts(call, wish)).toMatchObject({ examined: 1, changed: [] });
    expect(await recomputeCosts(call, { ...wish, to: now - 30 * 86_400_000 })).toMatchObject({
      examined: 0,
    });
  });

  it('of drives and trips follow from the charges before them', async () => {
    const person = await aPerson();
    const { account, vehicle, call, placeId } = person;
    const before = await aDrive(db.prisma, vehicle, 5);
    await aCharge(db.prisma, vehicle, 3, { ...HOME, energyUsedKwh: 33 });
    const drive = await aDrive(db.prisma, vehicle, 2);
    await createTariff(call, { ...flat, placeId });
    await settle();
    const document =
      'query ($id: ID!) { drive(id: $id) { cost { amount amountMinor currency method breakdown { rate } } } }';
    const costOf = async ({ id }: { id: string }) =>
      at(
        await answer(db.prisma, aPrincipal(account), document, { id: typeIdOf('Drive', id) }),
        'drive.cost',
      );
    // 33 kWh were paid for and 30 came in: 3 of those cost 0.99.
    expect(await costOf(drive)).toEqual({
      amount: '0.99',
      amountMinor: 99,
      currency: 'EUR',
      method: 'DERIVED',
      breakdown: [],
    });
    expect(await costOf(before)).toBeNull();
  });
});

it('tariffs are made, read, changed and removed over REST as documented', async () => {
  await using rest: RestService = await startRest();
  const account = await anAccount(rest.db.prisma, { timezone: 'Europe/Zurich' });
  const token = await rest.token(account.id, ['account', 'vehicles']);
  const call = async (method: string, path: string, body?: object) => {
    const url = `/api/account/tariffs${path}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await (body === undefined
      ? fetch(rest.baseUrl + url, { method, headers: { authorization: headers.authorization } })
      : fetch(rest.baseUrl + url, { method, headers, body: JSON.stringify(body) }));
    const template = `/api/account/tariffs${path.startsWith('/trf') ? '/:id' : path}`;
    const endpoint = every.find(({ route }) => route.method === method && route.path === template);
    if (endpoint === undefined) throw new Error(`No ${method} ${template}.`);
    expect(await violations(endpoint, response.clone())).toEqual([]);
    return z.looseObject({ response: z.looseObject({}).nullable() }).parse(await response.json());
  };
  const night = {
    days: ['FRI'],
    start: '22:00',
    end: '06:00',
    months: [1, 2],
    rate_per_kwh: '0.19',
  };
  const made = await call('POST', '', {
    name: 'Home',
    currency: 'CHF',
    default_rate: '0.27',
    rules: [night],
  });
  expect(made.response).toMatchObject({
    name: 'Home',
    currency: 'CHF',
    timezone: 'Europe/Zurich',
    default_rate: '0.27',
    rules: [{ ...night, rate_per_min: null }],
    valid_from: null,
  });
  const path = `/${made.response?.id}`;
  expect((await call('PATCH', path, { rules: [] })).response).toMatchObject({
    rules: [],
    currency: 'CHF',
  });
  expect((await call('GET', path)).response).toMatchObject({ name: 'Home', rules: [] });
  expect((await call('POST', '/recompute', {})).response).toEqual({
    examined: 0,
    more: false,
    changed: [],
  });
  for (const [field, body] of [
    ['currency', { currency: 'Franken' }],
    ['timezone', { timezone: '+01:00' }],
    ['default_rate', { default_rate: '-1' }],
    ['rules.0.start', { rules: [{ start: '25:00' }] }],
    ['rules.0.months.0', { rules: [{ months: [13] }] }],
    ['rules.0.session_fee', { rules: [{ session_fee: '0.1234567' }] }],
    ['place_id', { place_id: 'plc_01h455vb4pex5vsknk084sn02q' }],
    ['valid_to', { valid_from: '2026-03-01T00:00:00Z', valid_to: '2026-02-01T00:00:00Z' }],
  ] as const) {
    const refused = await call('PATCH', path, body);
    expect([
      field,
      refused.code,
      Object.keys(z.object({}).loose().parse(refused.messages)),
    ]).toEqual([field, 422, [field]]);
  }
  expect((await call('DELETE', path)).response).toMatchObject({ name: 'Home' });
  expect(await call('DELETE', path)).toMatchObject({ code: 404 });
});
