import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/base/units.ts';
import { type SignalName, signals } from '../../src/contract/signals.ts';
import { schema } from '../../src/schema/index.ts';
import type { VehicleStatus } from '../../src/store/generated/prisma/client.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aPlace, aPrincipal, aVehicle, now } from '../support/rows.ts';
import { answer, at } from './ask.ts';
import { everyField } from './documents.ts';

describe('the state of a vehicle', () => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  afterAll(() => db.close());

  type Values = { [N in SignalName]?: string | number | boolean | null };

  /** The state of a vehicle of which the given signals were observed `ageMs` ago. */
  async function stateOf(
    values: Values,
    selection: string,
    { ageMs = 0, status = 'ONLINE' }: { ageMs?: number; status?: VehicleStatus } = {},
  ): Promise<unknown> {
    const account = await anAccount(db.prisma);
    await aPlace(db.prisma, account, { latitude: 52.52, longitude: 13.4, radiusM: 500 });
    const vehicle = await aVehicle(db.prisma, account, { status });
    const sections: Record<string, object> = {};
    for (const [name, value] of Object.entries(values)) {
      const path = Object.entries(signals).find(([signal]) => signal === name)?.[1].path ?? '';
      const section = path.split('.')[0] ?? '';
      const observedAt = now - ageMs;
      const before = sections[section];
      const known = before !== undefined && 'values' in before ? before.values : {};
      sections[section] = {
        observedAt,
        receivedAt: observedAt + 500,
        source: 'STREAM',
        values: { ...Object(known), [name]: value },
      };
    }
    await db.prisma.vehicleState.create({ data: { vehicleId: vehicle.id, sections } });
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { state ${selection} location { latitude } } }`,
      { id: vehicle.publicId },
    );
    return at(data, 'vehicle.state');
  }

  it('has a field for every signal of the table', async () => {
    const values: Values = {};
    let number = 1;
    for (const [name, { kind }] of Object.entries(signals)) {
      const value =
        typeof kind !== 'string'
          ? kind[0]
          : kind === 'boolean'
            ? true
            : kind === 'string'
              ? name
              : number++;
      Object.assign(values, { [name]: value });
    }
    const type = schema.getType('VehicleState');
    if (type === undefined) throw new Error('There is no type VehicleState.');
    const state = await stateOf(values, everyField(type, 4));
    const missing: string[] = [];
    JSON.stringify(state, (key, value) => {
      // A place is a thing of its own; the height of a destination is not known, and nobody looked its address up.
      if (
        value === null &&
        !['place', 'address', 'elevationM', 'headingDeg', 'coolLevel', 'auto'].includes(key)
      )
        missing.push(key);
      return key === 'place' ? undefined : value;
    });
    expect(missing).toEqual([]);
  });

  it('is null in the sections of which nothing was observed', async () => {
    expect(await stateOf({ locked: true }, '{ charge { isStale } closures { locked } }')).toEqual({
      charge: null,
      closures: { locked: true },
    });
  });

  it('says null for what the vehicle does not know, and for stored values of another kind', async () => {
    const state = await stateOf(
      { gear: null, speedKmh: 'fast', odometerKm: 12.5, locked: 1, chargePortLatch: 'MELTED' },
      '{ drive { gear speedKmh odometerKm } closures { locked } charge { portLatch } }',
    );
    expect(state).toEqual({
      drive: { gear: null, speedKmh: null, odometerKm: 12.5 },
      closures: { locked: null },
      charge: { portLatch: null },
    });
  });

  it('says when each section was observed and received, and how', async () => {
    const state = await stateOf({ locked: true }, '{ closures { observedAt receivedAt source } }');
    expect(at(state, 'closures')).toEqual({
      observedAt: '2026-03-01T12:00:00.000Z',
      receivedAt: '2026-03-01T12:00:00.500Z',
      source: 'STREAM',
    });
  });

  it.each<[VehicleStatus, number, boolean]>([
    ['ONLINE', 10 * MINUTE_MS, false],
    ['ONLINE', 10 * MINUTE_MS + 1, true],
    ['DRIVING', 11 * MINUTE_MS, true],
    ['CHARGING', 11 * MINUTE_MS, true],
    ['ASLEEP', 9_000 * MINUTE_MS, false],
    ['WAITING_FOR_SLEEP', 11 * MINUTE_MS, false],
    ['OFFLINE', 11 * MINUTE_MS, false],
  ])('of a vehicle %s whose values are %i ms old is stale: %s', async (status, ageMs, stale) => {
    const state = await stateOf({ locked: true }, '{ closures { isStale } }', { ageMs, status });
    expect(at(state, 'closures.isStale')).toBe(stale);
  });

  it('lists the seats of which something is known', async () => {
    const state = await stateOf(
      {
        seatHeatFrontRight: 3,
        seatCoolFrontRight: 1,
        seatHeatRearCenter: 0,
        seatAutoFrontLeft: null,
      },
      '{ climate { seats { position heatLevel coolLevel auto } } }',
    );
    expect(at(state, 'climate.seats')).toEqual([
      { position: 'FRONT_RIGHT', heatLevel: 3, coolLevel: 1, auto: null },
      { position: 'REAR_CENTER', heatLevel: 0, coolLevel: null, auto: null },
    ]);
  });

  it('tells each tyre apart', async () => {
    const state = await stateOf(
      { tyrePressureFlBar: 2.9, tyrePressureRrBar: 3.1, tyreSoftWarningRr: true },
      '{ tyres { fl { pressureBar softWarning } rr { pressureBar softWarning } recommendedFrontBar } }',
    );
    expect(at(state, 'tyres')).toEqual({
      fl: { pressureBar: 2.9, softWarning: null },
      rr: { pressureBar: 3.1, softWarning: true },
      recommendedFrontBar: null,
    });
  });

  it('tells the position once, with the place it lies in and when it was fixed', async () => {
    const state = await stateOf(
      {
        latitude: 52.5201,
        longitude: 13.4001,
        headingDeg: 90,
        locatedAt: now - 1000,
        routeDestination: 'Lake',
        routeLatitude: 48,
        routeLongitude: 11,
      },
      '{ drive { location { latitude longitude headingDeg observedAt place { name } } route { destination location { latitude longitude } distanceKm } } }',
    );
    expect(at(state, 'drive')).toEqual({
      location: {
        latitude: 52.5201,
        longitude: 13.4001,
        headingDeg: 90,
        observedAt: '2026-03-01T11:59:59.000Z',
        place: { name: 'Home' },
      },
      route: { destination: 'Lake', location: { latitude: 48, longitude: 11 }, distanceKm: null },
    });
  });

  it('has no route where none is set, and no location where none is known', async () => {
    const state = await stateOf(
      { odometerKm: 1 },
      '{ drive { route { minutes } location { latitude } } }',
    );
    expect(at(state, 'drive')).toEqual({ route: null, location: null });
  });
});
