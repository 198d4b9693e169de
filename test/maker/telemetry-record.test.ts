import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { observationOfRecord } from '../../src/maker/telemetry.ts';

const receivedAt = Date.parse('2026-03-02T09:00:00Z');
const createdAt = '2026-03-02T08:00:00.123456789Z';
const vin = 'TEST0000000000001';

function read(record: unknown, rightHandDrive = false) {
  const parsed = observationOfRecord(record, { receivedAt, rightHandDrive });
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

function told(fields: Record<string, unknown>, rightHandDrive = false) {
  const data = Object.entries(fields).map(([key, value]) => ({ key, value }));
  return read({ data, createdAt, vin }, rightHandDrive);
}

describe('a record of data', () => {
  it('is an observation of the stream at its own time', () => {
    expect(told({ Soc: { doubleValue: 71.5 } })).toEqual({
      vin,
      at: Date.parse('2026-03-02T08:00:00.123Z'),
      receivedAt,
      source: 'STREAM',
      connectivity: 'online',
      inService: null,
      signals: { usableBatteryLevelPct: 71.5 },
      sectionAt: { charge: Date.parse('2026-03-02T08:00:00.123Z') },
      raw: {},
    });
  });

  it.each([
    '2026-03-02T08:00:00Z',
    '2026-03-02T08:00:00.000Z',
    '2026-03-02T08:00:00.000000Z',
    '2026-03-02T08:00:00.000000001Z',
  ])('has a time with any number of digits: %s', (time) => {
    expect(read({ data: [], createdAt: time, vin }).at).toBe(Date.parse('2026-03-02T08:00:00Z'));
  });

  it.each([
    [{ stringValue: '12.3' }],
    [{ doubleValue: 12.3 }],
    [{ floatValue: '12.3' }],
    ['12.3'],
    [12.3],
  ])('reads a number however it is typed: %j', (value) => {
    expect(told({ InsideTemp: value }).signals).toEqual({ insideTempC: 12.3 });
  });

  it('reads a long number from its text', () => {
    expect(told({ ChargerPhases: { longValue: '3' } }).signals).toEqual({ chargerPhases: 3 });
  });

  it.each([
    [{ invalid: true }],
    [{}],
    [{ stringValue: '<invalid>' }],
    [{ stringValue: '' }],
    [null],
  ])('says that a value is not known: %j', (value) => {
    expect(told({ VehicleSpeed: value })).toMatchObject({ signals: { speedKmh: null }, raw: {} });
  });

  it.each([
    [{ invalid: true }],
    [{}],
    [{ shiftStateValue: 'ShiftStateInvalid' }],
    [{ shiftStateValue: 'ShiftStateSNA' }],
    [{ shiftStateValue: 'ShiftStateUnknown' }],
    [{ stringValue: '' }],
  ])('says nothing of the gear while it is not known: %j', (value) => {
    expect(told({ Gear: value }).signals).toEqual({});
  });

  it('turns miles, mph, hours and atmospheres into our units', () => {
    const { signals } = told({
      Odometer: { doubleValue: 1000 },
      VehicleSpeed: { doubleValue: 100 },
      RatedRange: { doubleValue: 200 },
      MilesToArrival: { doubleValue: 10 },
      TimeToFullCharge: { doubleValue: 1.5 },
      TpmsPressureFl: { doubleValue: 2.9 },
    });
    expect(signals.odometerKm).toBe(1609.344);
    expect(signals.speedKmh).toBe(160.934);
    expect(signals.rangeRatedKm).toBe(321.869);
    expect(signals.routeDistanceKm).toBe(16.093);
    expect(signals.minutesToFull).toBe(90);
    expect(signals.tyrePressureFlBar).toBe(2.938);
  });

  it('keeps usable level and level apart', () => {
    expect(told({ Soc: '70', BatteryLevel: '72.5' }).signals).toEqual({
      usableBatteryLevelPct: 70,
      batteryLevelPct: 72.5,
    });
  });

  it('does not believe the ideal range of 999 miles', () => {
    const { signals, raw } = told({ IdealBatteryRange: { doubleValue: 999 } });
    expect(signals).toEqual({ rangeIdealKm: null });
    expect(raw).toEqual({ IdealBatteryRange: 999 });
  });

  it.each([
    ['DetailedChargeStateDisconnected', 'DISCONNECTED', false],
    ['DetailedChargeStateNoPower', 'NO_POWER', true],
    ['DetailedChargeStateStarting', 'STARTING', true],
    ['DetailedChargeStateCharging', 'CHARGING', true],
    ['DetailedChargeStateComplete', 'COMPLETE', true],
    ['DetailedChargeStateStopped', 'STOPPED', true],
    ['Charging', 'CHARGING', true],
  ])('knows the charger by %s', (word, chargeStatus, pluggedIn) => {
    const value = { detailedChargeStateValue: word };
    expect(told({ DetailedChargeState: value }).signals).toEqual({ chargeStatus, pluggedIn });
  });

  it('says nothing of the charger by a word that is not known, and keeps it', () => {
    const record = told({ DetailedChargeState: { stringValue: 'Dreaming' } });
    expect(record).toMatchObject({ signals: {}, raw: { DetailedChargeState: 'Dreaming' } });
  });

  it('keeps the coarse state of the battery system in its own words', () => {
    expect(told({ ChargeState: { chargingValue: 'ChargeStateEnable' } }).signals).toEqual({
      bmsChargeState: 'Enable',
    });
  });

  it('reads a position, also from text, and none where there is no fix', () => {
    const north = { locationValue: { latitude: 37.412374, longitude: -122.145867 } };
    const told37 = { latitude: 37.412374, longitude: -122.145867 };
    expect(told({ Location: north }).signals).toEqual(told37);
    const written = { stringValue: '(37.412374 N, 122.145867 W)' };
    expect(told({ Location: written }).signals).toEqual(told37);
    expect(told({ Location: { invalid: true } }).signals).toEqual({});
    expect(told({ Location: { locationValue: { latitude: 0, longitude: 0 } } }).signals).toEqual(
      {},
    );
  });

  it('reads doors by name, on the side where the driver sits', () => {
    const open = { doorValue: { DriverFront: true, PassengerRear: false, TrunkRear: true } };
    expect(told({ DoorState: open }).signals).toEqual({
      doorFrontLeft: true,
      doorFrontRight: false,
      doorRearLeft: false,
      doorRearRight: false,
      frunkOpen: false,
      trunkOpen: true,
    });
    expect(told({ DoorState: open }, true).signals).toMatchObject({
      doorFrontLeft: false,
      doorFrontRight: true,
    });
  });

  it('reads doors from text, the empty one as all closed', () => {
    expect(told({ DoorState: { stringValue: 'DriverFront|TrunkFront' } }).signals).toMatchObject({
      doorFrontLeft: true,
      frunkOpen: true,
      trunkOpen: false,
    });
    expect(told({ DoorState: { stringValue: '' } }).signals).toMatchObject({
      doorFrontLeft: false,
      trunkOpen: false,
    });
    expect(told({ DoorState: {} }).signals).toEqual({});
  });

  it('reads guard mode, windows and climate by their enums', () => {
    expect(
      told({
        SentryMode: { sentryModeStateValue: 'SentryModeStateAware' },
        FdWindow: { windowStateValue: 'WindowStatePartiallyOpen' },
        HvacPower: { hvacPowerValue: 'HvacPowerStatePrecondition' },
        ClimateKeeperMode: { climateKeeperModeValue: 'ClimateKeeperModeStateDog' },
        Locked: { stringValue: 'true' },
      }).signals,
    ).toEqual({
      sentry: 'AWARE',
      windowFrontLeft: 'VENTED',
      climatePower: 'PRECONDITION',
      climateOn: true,
      preconditioning: true,
      climateKeeperMode: 'DOG',
      locked: true,
    });
    expect(told({ SentryMode: { booleanValue: true } }).signals).toEqual({ sentry: 'ARMED' });
  });

  it('knows the rest values of an update for what they are', () => {
    expect(
      told({
        SoftwareUpdateVersion: { stringValue: ' ' },
        SoftwareUpdateInstallationPercentComplete: { intValue: 1 },
      }).signals,
    ).toEqual({ updateVersion: null, updateInstallPct: null });
  });

  it('believes the version only where it is the installed one', () => {
    expect(told({ Version: { stringValue: '2026.8.3 abcdef012' } }).signals).toEqual({
      softwareVersion: '2026.8.3',
      softwareCommit: 'abcdef012',
    });
    expect(told({ Version: { stringValue: '2024.38.7' } })).toMatchObject({
      signals: {},
      raw: { Version: '2024.38.7' },
    });
  });

  it('keeps unknown fields raw, and nothing of known ones that tell no signal', () => {
    const record = told({ NewThing: { stringValue: 'x' }, RouteLine: { stringValue: 'abc' } });
    expect(record).toMatchObject({ signals: {}, raw: { NewThing: 'x' } });
  });

  it('says nothing of the link where it is sent again', () => {
    expect(read({ data: [], createdAt, vin, isResend: true }).connectivity).toBeNull();
  });
});

describe('a record of another kind', () => {
  it('tells of the link', () => {
    const of = (status: string) => read({ vin, createdAt, status, connectionId: 'c' }).connectivity;
    expect(of('CONNECTED')).toBe('online');
    expect(of('DISCONNECTED')).toBe('offline');
  });

  it('of alerts and errors tells no signal', () => {
    for (const kind of ['alerts', 'errors']) {
      const { signals, connectivity } = read({ [kind]: [{ name: 'X' }], createdAt, vin });
      expect({ signals, connectivity }).toEqual({ signals: {}, connectivity: null });
    }
  });

  it.each([
    [[], 'not_an_object'],
    [{ data: [], createdAt }, 'no_vin'],
    [{ data: [], createdAt, vin: 'short' }, 'no_vin'],
    [{ data: [], vin }, 'no_time'],
    [{ data: [], vin, createdAt: 'yesterday' }, 'no_time'],
    [{ data: [], vin, createdAt: '2026-03-09T08:00:00Z' }, 'no_time'],
    [{ vin, createdAt }, 'unknown_record'],
  ])('is refused with its reason: %j', (record, reason) => {
    expect(observationOfRecord(record, { receivedAt })).toEqual({ ok: false, reason });
  });
});

it('reads any JSON without throwing', () => {
  const datum = fc.record({
    key: fc.oneof(fc.constantFrom('Gear', 'Location', 'DoorState', 'Version', 'Soc'), fc.string()),
    value: fc.oneof(fc.jsonValue(), fc.record({ stringValue: fc.string() })),
  });
  const record = fc.oneof(
    fc.jsonValue(),
    fc.record({
      data: fc.array(fc.oneof(datum, fc.jsonValue())),
      createdAt: fc.constant(createdAt),
      vin: fc.constant(vin),
    }),
  );
  fc.assert(
    fc.property(record, (value) => {
      expect(observationOfRecord(value, { receivedAt })).toHaveProperty('ok');
    }),
  );
});
