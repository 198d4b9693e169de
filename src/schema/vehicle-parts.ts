import { modelYearOf } from '../contract/model-year.ts';
import type { Vehicle } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { BatteryChemistry, LocationPrecision } from './enums.ts';
import { moneyText } from './money.ts';
import { packCapacity } from './pack-capacity.ts';
import { PollProfile } from './poll-profile.ts';

/** The traction battery of a vehicle. */
export const VehicleBattery = builder.objectRef<Vehicle>('VehicleBattery').implement({
  description: 'The traction battery of a vehicle.',
  authScopes: vehicles,
  fields: (t) => ({
    usableCapacityKwh: t.float({
      nullable: true,
      description:
        'Energy the pack gives from full to empty now, by its charges where the vehicle does not tell it (`batteryHealth`) [kWh].',
      resolve: async (vehicle, _args, context) =>
        vehicle.usableCapacityKwh ?? (await packCapacity(vehicle, context)).capacityKwh,
    }),
    originalCapacityKwh: t.exposeFloat('originalCapacityKwh', {
      nullable: true,
      description: 'Energy the pack gave when new; the person may set it [kWh].',
    }),
    chemistry: t.expose('batteryChemistry', {
      type: BatteryChemistry,
      description: 'Chemistry of the cells.',
    }),
  }),
});

/** The service's key on a vehicle. */
export const VehicleKey = builder.objectRef<Vehicle>('VehicleKey').implement({
  description: 'The service’s key on a vehicle, which signed commands need.',
  authScopes: vehicles,
  fields: (t) => ({
    paired: t.exposeBoolean('keyPaired', {
      nullable: true,
      description: 'Whether the service’s key is on the vehicle.',
    }),
    commandProtocolRequired: t.exposeBoolean('commandProtocolRequired', {
      nullable: true,
      description: 'Whether the vehicle takes only signed commands.',
    }),
    totalKeys: t.exposeInt('totalKeys', {
      nullable: true,
      description: 'How many keys the vehicle knows.',
    }),
  }),
});

/** What the service may do with a vehicle. */
export const VehicleSettings = builder.objectRef<Vehicle>('VehicleSettings').implement({
  description: 'What the service may do with a vehicle.',
  authScopes: vehicles,
  fields: (t) => ({
    logging: t.exposeBoolean('logging', { description: 'Whether observations are recorded.' }),
    sleepAware: t.exposeBoolean('sleepAware', {
      description: 'Whether polling leaves the vehicle time to fall asleep.',
    }),
    pollProfile: t.expose('pollProfile', {
      type: PollProfile,
      description: 'How often it is asked for its data.',
    }),
    budget: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'What may be spent on it at the maker in a calendar month (UTC), in major units, beside what its maker account may; null for no such limit.',
      resolve: ({ budget }) => (budget === null ? null : moneyText(Number(budget))),
    }),
    allowUnlock: t.exposeBoolean('allowUnlock', {
      description: 'Whether commands may unlock it.',
    }),
    allowControls: t.exposeBoolean('allowControls', {
      description: 'Whether commands may be sent at all.',
    }),
    calculateCost: t.exposeBoolean('calculateCost', {
      description: 'Whether costs are computed.',
    }),
    locationPrecision: t.expose('locationPrecision', {
      type: LocationPrecision,
      description: 'How exactly positions are told.',
    }),
    leftOpenMinutes: t.exposeInt('leftOpenMinutes', {
      description:
        'Minutes after which a reminder tells that the parked vehicle was left open or unlocked; 0 for never [min].',
    }),
  }),
});

/** How a vehicle is built; its fields are those of `Vehicle` and of `Vehicle.config`. */
export const VehicleBuild = builder.prismaInterface('Vehicle', {
  variant: 'VehicleBuild',
  description: 'How a vehicle is built, as the maker tells it.',
  authScopes: vehicles,
  fields: (t) => ({
    model: t.exposeString('model', { nullable: true }),
    modelCode: t.exposeString('modelCode', { nullable: true }),
    trim: t.exposeString('trim', { nullable: true }),
    year: t.int({
      nullable: true,
      description: 'Model year, from the VIN (ISO 3779).',
      resolve: ({ vin }, _args, { clock }) => modelYearOf(vin, clock()),
    }),
    marketingName: t.exposeString('marketingName', { nullable: true }),
    exteriorColor: t.exposeString('exteriorColor', { nullable: true }),
    wheelType: t.exposeString('wheelType', { nullable: true }),
    spoilerType: t.exposeString('spoilerType', { nullable: true }),
    roofColor: t.exposeString('roofColor', { nullable: true }),
    rightHandDrive: t.exposeBoolean('rightHandDrive', { nullable: true }),
    chargePortType: t.exposeString('chargePortType', { nullable: true }),
    driverAssistHw: t.exposeString('driverAssistHw', { nullable: true }),
    efficiencyWhPerKm: t.exposeFloat('efficiencyWhPerKm', { nullable: true }),
    capabilities: t.exposeStringList('capabilities'),
  }),
});

/** The same apart, for those who want it in one piece. */
export const VehicleConfig = builder.prismaObject('Vehicle', {
  variant: 'VehicleConfig',
  description: 'How a vehicle is built, in one piece.',
  authScopes: vehicles,
  interfaces: [VehicleBuild],
  fields: () => ({}),
});
