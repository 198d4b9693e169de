import { expect, test } from 'vitest';
import { observationOfVehicleData } from '../../src/maker/parse-vehicle-data.ts';
import { identityOfVehicle } from '../../src/maker/vehicle-identity.ts';
import { recording } from './recordings.ts';

const recorded = recording('vehicle_data.json');
const receivedAt = Date.UTC(2020, 11, 10, 18, 12, 0);
const observedAt = 1607623897515;

test('reads every value of a recorded answer in our names and units', (context) => {
  if (!recorded.found) return context.skip(recorded.reason);
  const parsed = observationOfVehicleData(recorded.json, { receivedAt, source: 'POLL' });
  if (!parsed.ok) throw new Error(parsed.reason);
  const { signals, ...rest } = parsed.value;
  expect(rest).toEqual({
    vin: '5YJSA111111111111',
    at: observedAt,
    receivedAt,
    source: 'POLL',
    connectivity: 'online',
    inService: false,
    sectionAt: {
      charge: observedAt,
      climate: observedAt,
      drive: observedAt,
      closures: observedAt,
      software: observedAt,
      config: observedAt,
    },
    raw: {},
  });
  const {
    rangeRatedKm,
    rangeIdealKm,
    rangeEstimatedKm,
    chargeRateKmPerH,
    odometerKm,
    speedLimitKmh,
    speedLimitMinKmh,
    speedLimitMaxKmh,
    ...exact
  } = signals;
  // 149.92, 187.4, 132.98, 28, 57869.762487, 85, 50 and 90 miles, to the metre.
  expect(rangeRatedKm).toBe(241.273);
  expect(rangeIdealKm).toBe(301.591);
  expect(rangeEstimatedKm).toBe(214.011);
  expect(chargeRateKmPerH).toBe(45.062);
  expect(odometerKm).toBe(93132.355);
  expect(speedLimitKmh).toBe(136.794);
  expect(speedLimitMinKmh).toBe(80.467);
  expect(speedLimitMaxKmh).toBe(144.841);
  expect(exact).toEqual({
    batteryLevelPct: 59,
    usableBatteryLevelPct: 59,
    chargeStatus: 'CHARGING',
    pluggedIn: true,
    chargeLimitPct: 90,
    chargeLimitMinPct: 50,
    chargeLimitMaxPct: 100,
    chargeLimitStandardPct: 90,
    chargeRequestedCurrentA: 40,
    chargeMaxCurrentA: 40,
    chargeActualCurrentA: 40,
    chargerVoltageV: 243,
    chargerPhases: 1,
    chargerPowerKw: 9,
    chargeEnergyAddedKwh: 2.42,
    minutesToFull: 165,
    chargePortOpen: true,
    chargePortLatch: 'ENGAGED',
    chargeCableType: 'SAE',
    fastChargerPresent: false,
    fastChargerType: null,
    fastChargerBrand: null,
    batteryHeaterOn: false,
    chargeSchedulePending: false,
    chargeScheduleStartAt: null,
    climateOn: false,
    climatePower: 'OFF',
    insideTempC: 22.1,
    outsideTempC: 18,
    driverTempSettingC: 21.1,
    passengerTempSettingC: 21.1,
    climateMinTempC: 15,
    climateMaxTempC: 28,
    fanLevel: 0,
    preconditioning: false,
    autoConditioning: false,
    climateKeeperMode: 'OFF',
    defrostMode: 'OFF',
    frontDefrosterOn: false,
    rearDefrosterOn: false,
    bioweaponMode: false,
    seatHeatFrontLeft: 0,
    seatHeatFrontRight: 0,
    mirrorHeatersOn: false,
    wiperHeaterOn: false,
    gear: null,
    speedKmh: null,
    powerKw: -9,
    headingDeg: 5,
    latitude: 33.111111,
    longitude: -88.111111,
    locatedAt: 1607623884000,
    routeDestination: null,
    routeLatitude: null,
    routeLongitude: null,
    routeDistanceKm: null,
    routeMinutes: null,
    routeEnergyAtArrivalPct: null,
    routeTrafficDelayMin: null,
    locked: false,
    doorFrontLeft: false,
    doorFrontRight: false,
    doorRearLeft: false,
    doorRearRight: false,
    windowFrontLeft: 'CLOSED',
    windowFrontRight: 'CLOSED',
    windowRearLeft: 'CLOSED',
    windowRearRight: 'CLOSED',
    frunkOpen: false,
    trunkOpen: false,
    sunroofState: 'closed',
    sunroofOpenPct: 0,
    sentry: 'OFF',
    valetMode: false,
    speedLimitActive: false,
    speedLimitPinSet: false,
    userPresent: false,
    homelinkNearby: true,
    homelinkDeviceCount: 2,
    centerDisplay: '0',
    remoteStartActive: false,
    softwareVersion: '2020.48.10',
    softwareCommit: 'f8900cddd03a',
    updateStatus: 'NONE',
    updateVersion: null,
    updateDownloadPct: null,
    updateInstallPct: null,
    updateExpectedDurationMin: null,
    updateScheduledAt: null,
    vehicleName: 'Nikola 2.0',
    sentryAvailable: true,
    remoteStartSupported: true,
    model: 'Model S',
    modelCode: 'models2',
    trim: 'p90d',
    exteriorColor: 'White',
    wheelType: 'AeroTurbine19',
    spoilerType: 'None',
    roofColor: 'None',
    rightHandDrive: false,
    chargePortType: 'US',
    hasSunroof: true,
    canActuateTrunks: true,
  });
});

test('knows the vehicle of a recorded answer by its text id', (context) => {
  if (!recorded.found) return context.skip(recorded.reason);
  expect(identityOfVehicle(recorded.json)).toEqual({
    ok: true,
    value: {
      vin: '5YJSA111111111111',
      makerVehicleId: '12345678901234567',
      displayName: 'Nikola 2.0',
      accessType: 'OWNER',
      inService: false,
      connectivity: 'online',
    },
  });
});
