import { updateVehicle } from '../actions/update-vehicle.ts';
import { MOST_LEFT_OPEN_MINUTES, packKwh } from '../contract/vehicle-settings.ts';
import type { Vehicle as VehicleRow } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { makerCall } from './context.ts';
import { LocationPrecision } from './enums.ts';
import { PollProfile } from './poll-profile.ts';
import { Vehicle } from './vehicle.ts';

const controls = { controls: true } as const satisfies Guard;

const VehicleBatteryInput = builder.inputType('VehicleBatteryInput', {
  description: 'What to change of what is known of the battery; what is left out stays.',
  fields: (t) => ({
    originalCapacityKwh: t.float({
      description: `Energy the pack gave when new, ${packKwh.least} to ${packKwh.most}; null for not known [kWh].`,
    }),
  }),
});

const VehicleSettingsInput = builder.inputType('VehicleSettingsInput', {
  description: 'Settings to change; what is left out stays, and null is what it was at first.',
  fields: (t) => ({
    logging: t.boolean({
      description:
        'Whether the vehicle is recorded. Switched off, what is under way ends, nothing is asked or kept of it, and commands still work.',
    }),
    sleepAware: t.boolean({
      description: 'Whether an idle vehicle is left alone so that it can fall asleep.',
    }),
    pollProfile: t.field({
      type: PollProfile,
      description: 'How often it is asked for its data.',
    }),
    budget: t.field({
      type: 'Decimal',
      description:
        'What may be spent on it at the maker in a calendar month (UTC), in major units, beside what its maker account may; null for no such limit.',
    }),
    allowUnlock: t.boolean({ description: 'Whether commands may unlock it.' }),
    allowControls: t.boolean({ description: 'Whether commands may be sent at all.' }),
    calculateCost: t.boolean({
      description:
        'Whether costs are computed. Switched off, those that are there stay; switched on, those that are missing are made up for.',
    }),
    locationPrecision: t.field({
      type: LocationPrecision,
      description: 'How exactly positions are told.',
    }),
    leftOpenMinutes: t.int({
      description: `Minutes after which a reminder tells that the parked vehicle was left open or unlocked, at most ${MOST_LEFT_OPEN_MINUTES}; 0 for never [min].`,
    }),
  }),
});

const UpdateVehicleInput = builder.inputType('UpdateVehicleInput', {
  description: 'What to change of a vehicle; what is left out stays.',
  fields: (t) => ({
    name: t.string({
      description: 'Name of at most 100 characters; null for the one it has at the maker.',
    }),
    slug: t.string({
      description:
        'Public id in paths: 3 to 40 letters a to z, digits and hyphens. The one before stays a name of it.',
    }),
    battery: t.field({ type: VehicleBatteryInput, description: 'The battery.' }),
    settings: t.field({ type: VehicleSettingsInput, description: 'Settings.' }),
  }),
});

const UpdateVehiclePayload = builder
  .objectRef<{ vehicle: VehicleRow }>('UpdateVehiclePayload')
  .implement({
    description: 'The vehicle after the change.',
    authScopes: controls,
    fields: (t) => ({
      vehicle: t.field({
        type: Vehicle,
        description: 'The vehicle.',
        resolve: ({ vehicle }) => vehicle,
      }),
    }),
  });

builder.mutationField('updateVehicle', (t) =>
  t.field({
    type: UpdateVehiclePayload,
    description: 'Changes the name, slug, battery and settings of a vehicle.',
    authScopes: controls,
    args: {
      publicId: t.arg.id({
        required: true,
        description: 'Its slug in any case, a slug it had before, or its `veh_` id.',
      }),
      input: t.arg({ type: UpdateVehicleInput, required: true, description: 'What to change.' }),
    },
    resolve: async (_root, { publicId, input }, context) => {
      const vehicle = await updateVehicle(makerCall(context), publicId, input);
      context.maker.changed();
      return { vehicle };
    },
  }),
);
