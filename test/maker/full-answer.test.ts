import { expect, test } from 'vitest';
import { type SignalName, signals } from '../../src/contract/signals.ts';
import { observationOfVehicleData } from '../../src/maker/parse-vehicle-data.ts';
import { fullAnswer, fullAnswerAt } from './full-answer.ts';
import { kmOf, readSignals } from './read.ts';

const receivedAt = fullAnswerAt + 800;

test('reads the battery and the charger in km, kWh, minutes and our words', () => {
  expect(readSignals(fullAnswer())).toMatchObject({
    batteryLevelPct: 64,
    usableBatteryLevelPct: 63,
    energyRemainingKwh: 46.92,
    rangeRatedKm: kmOf(200),
    rangeIdealKm: kmOf(210),
    rangeEstimatedKm: kmOf(190),
    chargeStatus: 'DISCONNECTED',
    pluggedIn: false,
    chargeRequestedCurrentA: 13,
    chargeMaxCurrentA: 16,
    chargeActualCurrentA: 0,
    chargerPhases: null,
    chargeRateKmPerH: kmOf(10),
    chargeEnergyAddedKwh: 7.25,
    minutesToFull: 0,
    chargePortLatch: 'DISENGAGED',
    chargeCableType: null,
    batteryHeaterOn: true,
    chargeScheduleMode: 'DEPART_BY',
    chargeScheduleStartAt: 1715029200000,
    chargeScheduleDepartureAt: 1715061600000,
    chargeSchedulePending: true,
    moduleTempMinC: 16.5,
    moduleTempMaxC: 18,
    lifetimeEnergyUsedKwh: 20505.629,
  });
});

test('reads the climate with the reason why it runs and the level of each seat', () => {
  expect(readSignals(fullAnswer())).toMatchObject({
    climateOn: true,
    climatePower: 'ON',
    insideTempC: 19.4,
    outsideTempC: -3.5,
    fanLevel: 3,
    climateKeeperMode: 'DOG',
    defrostMode: 'MAX',
    cabinOverheatMode: 'FAN_ONLY',
    cabinOverheatLimitC: 35,
    seatHeatFrontLeft: 3,
    seatHeatFrontRight: 1,
    seatHeatRearLeft: 1,
    seatHeatRearCenter: 0,
    seatHeatRearRight: 2,
    seatCoolFrontLeft: 1,
    seatCoolFrontRight: 2,
    seatAutoFrontLeft: true,
    seatAutoFrontRight: false,
    steeringWheelHeatLevel: 2,
    mirrorHeatersOn: true,
  });
});

test('reads motion, place and route in km and km/h', () => {
  expect(readSignals(fullAnswer())).toMatchObject({
    gear: 'D',
    speedKmh: kmOf(50),
    powerKw: 23,
    headingDeg: 185,
    latitude: 47.3769,
    longitude: 8.5417,
    locatedAt: 1714979288000,
    odometerKm: kmOf(10_000),
    routeDestination: 'Home',
    routeLatitude: 46.9481,
    routeLongitude: 7.4474,
    routeDistanceKm: kmOf(100),
    routeMinutes: 95.5,
    routeEnergyAtArrivalPct: 41,
    routeTrafficDelayMin: 4,
  });
});

test('reads doors, windows and trunks by side of the vehicle', () => {
  expect(readSignals(fullAnswer())).toMatchObject({
    doorFrontLeft: false,
    doorRearLeft: true,
    doorFrontRight: true,
    doorRearRight: false,
    windowFrontLeft: 'OPEN',
    windowRearLeft: 'CLOSED',
    windowFrontRight: 'CLOSED',
    windowRearRight: 'OPEN',
    frunkOpen: false,
    trunkOpen: true,
    sentry: 'ARMED',
    sunroofState: 'open',
    sunroofOpenPct: 20,
    speedLimitActive: true,
    speedLimitKmh: kmOf(60),
  });
});

test('puts the driver on the right where the wheel is', () => {
  const answer = fullAnswer();
  const right = { ...answer, vehicle_config: { ...answer.vehicle_config, rhd: true } };
  expect(readSignals(right)).toMatchObject({
    doorFrontRight: false,
    doorRearRight: true,
    doorFrontLeft: true,
    doorRearLeft: false,
    windowFrontRight: 'OPEN',
    windowRearLeft: 'OPEN',
  });
});

test('takes the side of the wheel from what is known where the answer does not say', () => {
  const { vehicle_config, ...answer } = fullAnswer();
  expect(vehicle_config.rhd).toBe(false);
  const parsed = observationOfVehicleData(answer, {
    receivedAt,
    source: 'POLL',
    rightHandDrive: true,
  });
  expect(parsed.ok && parsed.value.signals.doorFrontLeft).toBe(true);
});

test('reads tyres in bar with their warnings and times', () => {
  expect(readSignals(fullAnswer())).toMatchObject({
    tyrePressureFlBar: 2.775,
    tyrePressureFrBar: 2.8,
    tyrePressureRlBar: 2.85,
    tyrePressureRrBar: 1.9,
    tyreSoftWarningRl: true,
    tyreHardWarningRl: false,
    tyreHardWarningRr: true,
    tyreObservedAtFl: 1714979000000,
    tyreObservedAtRr: 1714979003000,
    tyreRecommendedFrontBar: 2.9,
    tyreRecommendedRearBar: 3,
  });
});

test('reads software, media and configuration', () => {
  expect(readSignals(fullAnswer())).toMatchObject({
    softwareVersion: '2024.14.3',
    softwareCommit: '06f534d46010',
    updateStatus: 'INSTALLING',
    updateVersion: '2024.20.1',
    updateDownloadPct: 100,
    updateInstallPct: 30,
    updateExpectedDurationMin: 45,
    updateScheduledAt: fullAnswerAt + 60_000,
    mediaPlaying: true,
    mediaTitle: 'Something',
    mediaArtist: 'Somebody',
    mediaStation: 'Station 1',
    mediaSource: 'Radio',
    mediaVolume: 2.6667,
    mediaVolumeMax: 10.333333,
    vehicleName: 'Blue',
    model: 'Model 3',
    modelCode: 'model3',
    trim: '74d',
    driverAssistHw: 'TeslaAP3',
    chargePortType: 'CCS',
    hasSunroof: false,
    hasSeatCooling: true,
    sentryAvailable: true,
    remoteStartSupported: true,
  });
});

test('names the time of every section that it tells', () => {
  const parsed = observationOfVehicleData(fullAnswer(), { receivedAt, source: 'POLL' });
  if (!parsed.ok) throw new Error(parsed.reason);
  expect(parsed.value.at).toBe(fullAnswerAt);
  expect(parsed.value.sectionAt).toEqual({
    charge: fullAnswerAt,
    climate: fullAnswerAt,
    drive: fullAnswerAt,
    closures: fullAnswerAt,
    tyres: fullAnswerAt,
    software: fullAnswerAt,
    media: fullAnswerAt,
    config: fullAnswerAt,
  });
});

/** Signals that this protocol does not carry; they come by stream or not at all (maker.md §5.4). */
const notByPoll: readonly SignalName[] = [
  'packVoltageV',
  'packCurrentA',
  'acEnergyInKwh',
  'dcEnergyInKwh',
  'acPowerKw',
  'dcPowerKw',
  'bmsChargeState',
  'elevationM',
  'tonneauPct',
  'guestMode',
  'pinToDrive',
  'kmSinceReset',
  'selfDrivingKmSinceReset',
];

test('tells every signal that a poll can tell', () => {
  const told = Object.keys(readSignals(fullAnswer()));
  const expected = Object.keys(signals).filter((name) => !notByPoll.some((n) => n === name));
  expect(told.sort()).toEqual(expected.sort());
});
