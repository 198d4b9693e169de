import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/units.ts';
import { type Asked, keepParticulars } from '../../src/ingest/particulars.ts';
import { type MakerApi, makerApi } from '../../src/maker/api.ts';
import { schedulesIn } from '../../src/maker/particulars.ts';
import type { Vehicle } from '../../src/store/generated/prisma/client.ts';
import { open } from '../maker/stand-in.ts';
import { type Maker, startMaker } from '../simulator/maker.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aVehicle } from '../support/rows.ts';

const strange = {
  name: 'ZZ_a999_neverHeardOf',
  time: '2026-11-18T10:00:00.000Z',
  audience: ['service-fix'],
  user_text: 'Look at it',
};
const timeless = { name: 'timeless', time: '', audience: [], user_text: '' };

describeEachEngine('what the maker tells seldom', (engine) => {
  let db: ScratchDatabase;
  let maker: Maker;
  let api: MakerApi;
  let vehicle: Vehicle;
  let asked: Asked;
  let clock: () => number;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
    maker = await startMaker({ wakeTime: 0 });
    const { simulator } = maker;
    clock = simulator.now;
    // A token lasts eight hours, and the clock is turned by weeks.
    const token = async () => simulator.seedTokens({ subject: 'person' }).accessToken;
    api = makerApi({ baseUrl: simulator.baseUrl, token, clock, gate: open });
  });
  afterAll(async () => {
    await maker?.[Symbol.asyncDispose]();
    await db?.close();
  });
  beforeEach(async () => {
    const { simulator } = maker;
    const [vin = ''] = maker.vins;
    simulator.warn(vin, []);
    simulator.clearFaults();
    vehicle = await aVehicle(db.prisma, await anAccount(db.prisma), { vin });
    asked = {
      vehicle: { id: vehicle.id, vin, simulated: false, particularsAt: null },
      restsUntil: 0,
      schedules: null,
    };
  });

  const keep = (schedules: Parameters<typeof keepParticulars>[2] = null) =>
    keepParticulars(asked, api, schedules, { prisma: db.prisma, clock, log: silentLog });

  /** A week later, a Thursday again, with these alerts at the maker. */
  async function aWeekLater(...notices: (typeof strange)[]): Promise<void> {
    maker.turn(7 * DAY_MS);
    maker.simulator.warn(vehicle.vin, notices);
    await keep();
  }

  async function events(): Promise<unknown[]> {
    const rows = await db.prisma.event.findMany({
      where: { vehicleId: vehicle.id, type: { startsWith: 'alert.' } },
      orderBy: { position: 'asc' },
    });
    return rows.map(({ type, data }) => [type, Reflect.get(Object(data), 'name')]);
  }

  it('raises an alert once and clears it once, whatever its name and time', async () => {
    await aWeekLater(strange, timeless);
    const raised = [
      ['alert.raised', strange.name],
      ['alert.raised', 'timeless'],
    ];
    expect(await events()).toEqual(raised);
    await aWeekLater(strange, timeless);
    expect(await events()).toEqual(raised);
    await aWeekLater();
    const cleared = [...(await events())].slice(raised.length).sort();
    expect(cleared).toEqual([
      ['alert.cleared', strange.name],
      ['alert.cleared', 'timeless'],
    ]);
    await aWeekLater();
    expect(await events()).toHaveLength(raised.length + 2);
    const row = await db.prisma.alert.findFirst({
      where: { name: strange.name, vehicleId: vehicle.id },
    });
    expect(row).toMatchObject({
      audiences: ['service-fix'],
      text: 'Look at it',
      raisedAt: new Date(strange.time),
    });
    // The same occurrence told again stays cleared; another one is raised.
    await aWeekLater(strange, { ...strange, time: '2026-11-19T00:00:00Z' }, timeless);
    expect((await events()).slice(raised.length + 2)).toEqual([
      ['alert.raised', strange.name],
      ['alert.raised', 'timeless'],
    ]);
  });

  it('is asked for once a day, at once where it was taken back, and not while the maker fails', async () => {
    const { calls } = maker.simulator;
    const callsOf = async () => {
      const before = calls.particulars;
      await keep();
      return calls.particulars - before;
    };
    expect([await callsOf(), await callsOf()]).toEqual([2, 0]);
    maker.turn(DAY_MS - MINUTE_MS);
    expect(await callsOf()).toBe(0);
    maker.turn(MINUTE_MS);
    expect(await callsOf()).toBe(2);
    const stored = await db.prisma.vehicle.findUnique({ where: { id: vehicle.id } });
    expect(stored?.particularsAt).toEqual(new Date(clock()));
    asked.vehicle.particularsAt = null;
    maker.simulator.fault({ kind: 'upstream_error', on: ['particulars'] });
    expect([await callsOf(), await callsOf()]).toEqual([1, 0]);
    maker.simulator.clearFaults();
    maker.turn(HOUR_MS);
    expect(await callsOf()).toBe(2);
  });

  it('keeps what it knows where the maker does not answer or tells a list no more', async () => {
    await aWeekLater(strange);
    maker.simulator.fault({ kind: 'upstream_error', on: ['particulars'] });
    await aWeekLater();
    const open = () => db.prisma.alert.count({ where: { vehicleId: vehicle.id, clearedAt: null } });
    expect(await open()).toBe(1);
    const drivers = await db.prisma.vehicleDriver.findMany({ where: { vehicleId: vehicle.id } });
    expect(drivers).toMatchObject([{ firstName: 'Simulated', lastName: 'Driver' }]);
  });

  it('stores the plans that commands made, as the vehicle’s data tells them', async () => {
    await api.wakeUp(vehicle.vin);
    maker.turn(MINUTE_MS);
    const plan = { days_of_week: 'Mon,Thursday', enabled: true, lat: 52.5, lon: 13.4, id: 7 };
    const charge = { ...plan, start_enabled: true, start_time: 90, end_enabled: false };
    await api.command(vehicle.vin, 'add_charge_schedule', charge);
    await api.command(vehicle.vin, 'add_precondition_schedule', {
      ...plan,
      days_of_week: 'Weekdays',
      precondition_time: 465,
    });
    const plansNow = async () => {
      const sections = ['charge_schedule_data', 'preconditioning_schedule_data'] as const;
      const answer = await api.vehicleData(vehicle.vin, sections);
      return answer.kind === 'ok' ? schedulesIn(answer.value) : null;
    };
    await keep(await plansNow());
    const stored = () =>
      db.prisma.vehicleSchedule.findMany({
        where: { vehicleId: vehicle.id },
        orderBy: { kind: 'asc' },
      });
    expect(await stored()).toMatchObject([
      { kind: 'CHARGE', number: 7n, days: 18, startMinute: 90, endMinute: null, latitude: 52.5 },
      { kind: 'PRECONDITION', number: 7n, days: 62, startMinute: 465, enabled: true },
    ]);
    await keep(null);
    expect(await stored()).toHaveLength(2);
    await api.command(vehicle.vin, 'remove_charge_schedule', { id: 7 });
    await keep(await plansNow());
    expect(await stored()).toMatchObject([{ kind: 'PRECONDITION' }]);
  });
});
