import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, anAlert, aPrincipal, aVehicle, now } from '../support/rows.ts';
import { answer, at } from './ask.ts';

let db: ScratchDatabase;
let account: Account;
let vehicle: Vehicle;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
  account = await anAccount(db.prisma);
  vehicle = await aVehicle(db.prisma, account);
  const observedAt = new Date(now);
  await anAlert(db.prisma, vehicle, 2, { name: 'cleared' });
  await anAlert(db.prisma, vehicle, 1, { name: 'open', clearedAt: null });
  await db.prisma.vehicleDriver.create({
    data: { vehicleId: vehicle.id, makerUserId: '8', firstName: 'Ada', observedAt },
  });
  await db.prisma.vehicleSchedule.create({
    data: {
      vehicleId: vehicle.id,
      kind: 'CHARGE',
      number: 9_007_199_254_740_991n,
      days: 65,
      enabled: true,
      oneTime: false,
      startMinute: 60,
      latitude: 52.520008,
      longitude: 13.404954,
      observedAt,
    },
  });
});
afterAll(() => db.close());

const asked = (query: string, principal = aPrincipal(account)) =>
  answer(db.prisma, principal, `query ($id: ID!) { vehicle(publicId: $id) { ${query} } }`, {
    id: vehicle.publicId,
  });

it('alerts are listed the newest first, and by whether they are open', async () => {
  const data = await asked(
    'alerts { totalCount nodes { name } } open: alerts(filter: { open: true }) { nodes { name } } gone: alerts(filter: { open: false }) { nodes { name } }',
  );
  expect(data).toEqual({
    vehicle: {
      alerts: { totalCount: 2, nodes: [{ name: 'open' }, { name: 'cleared' }] },
      open: { nodes: [{ name: 'open' }] },
      gone: { nodes: [{ name: 'cleared' }] },
    },
  });
});

it('drivers and plans are told as they were learned, a plan’s number in full', async () => {
  expect(
    await asked(
      'drivers { makerUserId firstName lastName } schedules { kind number days startMinute endMinute location { latitude } }',
    ),
  ).toEqual({
    vehicle: {
      drivers: [{ makerUserId: '8', firstName: 'Ada', lastName: null }],
      schedules: [
        {
          kind: 'CHARGE',
          number: '9007199254740991',
          days: ['SUNDAY', 'SATURDAY'],
          startMinute: 60,
          endMinute: null,
          location: { latitude: 52.520008 },
        },
      ],
    },
  });
});

it('the place of a plan is told as exactly as the caller may see it', async () => {
  const seen = [];
  for (const locationPrecision of ['APPROXIMATE', 'HIDDEN'] as const) {
    const principal = aPrincipal(account, { locationPrecision });
    const data = await asked('schedules { location { latitude longitude } }', principal);
    seen.push(at(data, 'vehicle.schedules.0.location'));
  }
  expect(seen).toEqual([
    { latitude: 52.52, longitude: 13.4 },
    { latitude: null, longitude: null },
  ]);
});
