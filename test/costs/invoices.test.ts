import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/units.ts';
import { type Billed, keepInvoices } from '../../src/ingest/invoices.ts';
import { type MakerApi, makerApi } from '../../src/maker/api.ts';
import { plugIn, unplug } from '../../src/simulator/charging.ts';
import { wake } from '../../src/simulator/journey.ts';
import type { Prisma, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { startFollowing } from '../ingest/following.ts';
import { type Maker, startMaker } from '../simulator/maker.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aCharge, aMakerAccount, anAccount, aVehicle, someLimits } from '../support/rows.ts';

let db: ScratchDatabase;
let maker: Maker;
let api: MakerApi;
let night: number;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
  maker = await startMaker();
  const { baseUrl, now, seedTokens } = maker.simulator;
  const { accessToken } = seedTokens({ subject: 'person' });
  night = now();
  api = makerApi({ baseUrl, token: async () => accessToken, clock: now });
});
afterAll(async () => {
  await maker?.[Symbol.asyncDispose]();
  await db?.close();
});

const scopes = ['vehicle_device_data', 'vehicle_charging_cmds'];

/** What a charge cost, without what an invoice has of lines. */
async function costOf(id: string) {
  const charge = await db.prisma.charge.findUniqueOrThrow({ where: { id } });
  return [charge.costMethod, charge.costAmount?.toNumber() ?? null, charge.costCurrency];
}

async function eventsOf({ id }: Pick<Vehicle, 'id'>): Promise<unknown[]> {
  const where = { vehicleId: id, type: 'charge.cost_changed' };
  const rows = await db.prisma.event.findMany({ where, orderBy: { position: 'asc' } });
  return rows.map(({ data }) => data);
}

/** A vehicle whose car was at a fast charger for an hour that ended three hours ago, for 20 kWh and ten minutes too long. */
async function aBilledVehicle(grantedScopes: string[] = scopes) {
  const { simulator } = maker;
  const [car] = simulator.cars;
  const vin = car?.spec.vin ?? '';
  simulator.clearFaults();
  simulator.chargeFree(vin, false);
  const person = await anAccount(db.prisma);
  const account = await aMakerAccount(db.prisma, person, { grantedScopes });
  const vehicle = await aVehicle(db.prisma, person, { vin, makerAccountId: account.id });
  const endedMs = night - 3 * HOUR_MS;
  const fromMs = endedMs - HOUR_MS;
  const untilMs = endedMs - 15 * MINUTE_MS;
  const stay = { site: 'Fast', fromMs, untilMs, unpluggedMs: endedMs, kwh: 20 };
  if (car !== undefined) car.state.fastCharges = [stay];
  const fastCharge = (endsAt: number, data: Partial<Prisma.ChargeUncheckedCreateInput> = {}) => {
    const times = { startedAt: new Date(endsAt - HOUR_MS), endedAt: new Date(endsAt) };
    const kind = { kind: 'DC', network: 'MAKER_FAST' } as const;
    return aCharge(db.prisma, vehicle, 0, { ...times, ...kind, ...data });
  };
  const billed: Billed = {
    vehicle: { id: vehicle.id, vin, simulated: false, billsAt: null, makerAccount: account },
    invoicesRestUntil: 0,
  };
  let at = night;
  const clock = () => at;
  const { windows } = someLimits(db.prisma, clock);
  const counts = { polls: 0, failures: 0, events: 0, dropped: 0, refused: 0 };
  const parts = { prisma: db.prisma, clock, log: silentLog, counts, limits: { windows } };
  return {
    ...{ vehicle, vin, endedMs, fastCharge, counts },
    /** A daily round, so long after the one before; how often the maker was asked. */
    round: async (afterMs = DAY_MS) => {
      const before = simulator.calls.charging;
      at += afterMs;
      await keepInvoices(billed, api, parts);
      return simulator.calls.charging - before;
    },
  };
}

it('a fast charge that was followed costs what the maker bills for it, fee by fee', async () => {
  const startMs = Date.parse('2026-03-02T01:00:00Z');
  const following = await startFollowing(db.prisma, { startMs });
  const { account, vehicle, car, look, pass, simulator } = following;
  const grant = { grantedScopes: scopes };
  await db.prisma.makerAccount.update({ where: { id: account.id }, data: grant });
  following.follower().vehicle.billsAt = null;
  // It is shown on the road.
  simulator.advance();
  for (let count = 0; car.state.placeId !== 'home' && count < 200; count += 1) {
    pass(10 * MINUTE_MS);
    simulator.advance();
  }
  expect(car.state).toMatchObject({ placeId: 'home', phase: 'parked' });
  wake(car);
  await look();
  plugIn(car, { cable: 'dc', limitPct: 95, startAtMs: null });
  for (let minutes = 0; minutes < 30; minutes += 2) {
    pass(2 * MINUTE_MS);
    await look();
  }
  unplug(car);
  pass(2 * MINUTE_MS);
  await look();
  pass(DAY_MS);
  simulator.advance();
  wake(car);
  expect(following.news('charging')).toBe(0);
  // It came online by itself, and is left alone for a while.
  for (let minutes = 0; minutes < 10; minutes += 2) {
    await look();
    pass(2 * MINUTE_MS);
  }
  expect(following.news('charging')).toBe(1);
  const [stay] = car.state.fastCharges;
  const kwh = Math.round((stay?.kwh ?? 0) * 1000) / 1000;
  const minor = Math.round(kwh * 45);
  expect(minor).toBeGreaterThan(300);
  const where = { vehicleId: vehicle.id, network: 'MAKER_FAST' } as const;
  const charge = await db.prisma.charge.findFirstOrThrow({ where });
  expect(charge).toMatchObject({ kind: 'DC', costMethod: 'INVOICE', costCurrency: 'EUR' });
  expect(charge.costBreakdown).toMatchObject([
    { kind: 'ENERGY', kwh, rate: '0.45', amountMinor: minor },
  ]);
  const amount = (minor / 100).toFixed(2);
  expect(await eventsOf(vehicle)).toMatchObject([
    { chargeId: charge.id, amount, method: 'INVOICE', previous: { amount: null, method: 'NONE' } },
  ]);
});

it('a vehicle of which only the free list is looked at has its bills too', async () => {
  const startMs = Date.parse('2026-03-02T01:00:00Z');
  const following = await startFollowing(db.prisma, { startMs });
  const { account, vehicle, car, look, pass, simulator } = following;
  const grant = { grantedScopes: scopes };
  await db.prisma.makerAccount.update({ where: { id: account.id }, data: grant });
  const endedMs = startMs - 2 * HOUR_MS;
  const stay = { fromMs: endedMs - HOUR_MS, untilMs: endedMs, unpluggedMs: endedMs, kwh: 20 };
  car.state.fastCharges = [{ site: 'Fast', ...stay }];
  simulator.chargeFree(car.spec.vin, false);
  const times = { startedAt: new Date(stay.fromMs), endedAt: new Date(endedMs) };
  const { id } = await aCharge(db.prisma, vehicle, 0, { ...times, network: 'MAKER_FAST' });
  Object.assign(following.follower().vehicle, { pollProfile: 'LIST_ONLY', billsAt: null });
  for (let hours = 0; hours < 3; hours += 1) {
    await look();
    pass(HOUR_MS);
  }
  expect(following.news('data')).toBe(0);
  expect(following.news('charging')).toBe(1);
  expect(await costOf(id)).toEqual(['INVOICE', 9, 'EUR']);
});

it('a bill counts over a tariff, and is stored and told of once', async () => {
  const { vehicle, endedMs, fastCharge, round } = await aBilledVehicle();
  const byTariff = { costMethod: 'TARIFF', costAmount: '1', costCurrency: 'EUR' } as const;
  const { id } = await fastCharge(endedMs, byTariff);
  expect(await round()).toBe(1);
  expect(await costOf(id)).toEqual(['INVOICE', 14, 'EUR']);
  const charge = await db.prisma.charge.findUniqueOrThrow({ where: { id } });
  expect(charge.costBreakdown).toMatchObject([
    { kind: 'ENERGY', kwh: 20, rate: '0.45', amountMinor: 900 },
    { kind: 'IDLE', kwh: null, rate: '0.5', amountMinor: 500 },
  ]);
  const told = [{ chargeId: id, amount: '14.00', previous: { amount: '1.00', method: 'TARIFF' } }];
  expect(await eventsOf(vehicle)).toMatchObject(told);
  expect(await round()).toBe(0);
  // Asked again for another charge, that does not share the session.
  const other = await fastCharge(endedMs + 10 * MINUTE_MS);
  expect(await round()).toBe(1);
  expect(await costOf(other.id)).toEqual(['NONE', null, null]);
  expect(await eventsOf(vehicle)).toMatchObject(told);
  const { updatedAt } = await db.prisma.charge.findUniqueOrThrow({ where: { id } });
  expect(updatedAt).toEqual(charge.updatedAt);
});

it('a charge that nothing is due for is free, until something is', async () => {
  const { vehicle, vin, endedMs, fastCharge, round } = await aBilledVehicle();
  const { id } = await fastCharge(endedMs);
  maker.simulator.chargeFree(vin, true);
  await round();
  expect(await costOf(id)).toEqual(['FREE', 0, 'EUR']);
  maker.simulator.chargeFree(vin, false);
  await round(3 * DAY_MS);
  expect(await costOf(id)).toEqual(['INVOICE', 14, 'EUR']);
  const told = [{ amount: '0.00', method: 'FREE' }, { method: 'INVOICE' }];
  expect(await eventsOf(vehicle)).toMatchObject(told);
});

it('a fast charge whose charger nothing told of was at the one that bills it', async () => {
  const { endedMs, fastCharge, round } = await aBilledVehicle();
  const { id } = await fastCharge(endedMs, { network: 'UNKNOWN' });
  const other = await fastCharge(endedMs - 9 * HOUR_MS, { network: 'UNKNOWN' });
  await round();
  expect(await costOf(id)).toEqual(['INVOICE', 14, 'EUR']);
  const where = { id: { in: [id, other.id] } };
  const charges = await db.prisma.charge.findMany({ where, orderBy: { startedAt: 'desc' } });
  expect(charges.map(({ network }) => network)).toEqual(['MAKER_FAST', 'UNKNOWN']);
});

it('a cost that a person said stays', async () => {
  const { vehicle, endedMs, fastCharge, round } = await aBilledVehicle();
  const said = { costMethod: 'MANUAL', costAmount: '3', costCurrency: 'CHF' } as const;
  const { id } = await fastCharge(endedMs, said);
  expect(await round()).toBe(0);
  await fastCharge(endedMs - 2 * HOUR_MS);
  expect(await round(3 * DAY_MS)).toBe(1);
  expect(await costOf(id)).toEqual(['MANUAL', 3, 'CHF']);
  expect(await eventsOf(vehicle)).toEqual([]);
});

it('an account whose grant does not reach so far is not asked', async () => {
  const { endedMs, fastCharge, round } = await aBilledVehicle(['vehicle_device_data']);
  await fastCharge(endedMs);
  expect([await round(), await round()]).toEqual([0, 0]);
});

it('an account that is refused is left alone for a week', async () => {
  const { endedMs, fastCharge, round, counts } = await aBilledVehicle();
  const { id } = await fastCharge(endedMs);
  maker.simulator.fault({ kind: 'missing_scopes', on: ['charging'] });
  const asked: number[] = [];
  for (let day = 1; day <= 7; day += 1) asked.push(await round());
  expect([asked, counts.failures]).toEqual([[1, 0, 0, 0, 0, 0, 0], 1]);
  maker.simulator.clearFaults();
  for (let day = 8; day <= 15; day += 1) await round();
  expect(await costOf(id)).toEqual(['INVOICE', 14, 'EUR']);
});

it('a bill that does not come is asked for with growing pauses, and then no longer', async () => {
  const { endedMs, fastCharge, round, counts } = await aBilledVehicle();
  await fastCharge(endedMs - 6 * HOUR_MS);
  maker.simulator.fault({ kind: 'upstream_error', on: ['charging'] });
  const asked: number[] = [];
  for (let day = 1; day <= 20; day += 1) if ((await round()) > 0) asked.push(day);
  expect(asked).toEqual([1, 3, 7, 14]);
  expect(counts.failures).toBe(asked.length);
});

it('a vehicle whose costs are not calculated has none billed', async () => {
  const { vehicle, endedMs, fastCharge, round } = await aBilledVehicle();
  await fastCharge(endedMs);
  const off = { calculateCost: false };
  await db.prisma.vehicle.update({ where: { id: vehicle.id }, data: off });
  expect(await round()).toBe(0);
});

it('a round in which no bill is due reads once and notes it', async () => {
  const { endedMs, fastCharge, round } = await aBilledVehicle();
  await fastCharge(endedMs, { network: 'THIRD_PARTY' });
  db.statements.length = 0;
  expect(await round()).toBe(0);
  expect(db.statements).toHaveLength(2);
});
