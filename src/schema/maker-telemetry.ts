import {
  endTelemetry,
  telemetryAt,
  tellTelemetry,
  type VehicleTelemetry as VehicleTelemetryView,
} from '../actions/maker-telemetry.ts';
import {
  telemetryErrorsAt,
  type VehicleTelemetryError,
} from '../actions/maker-telemetry-errors.ts';
import { telemetryTable } from '../contract/telemetry-standing.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { makerCall } from './context.ts';
import { MakerAccount } from './maker-account.ts';
import { ASKING_COST } from './maker-vehicle.ts';

const guard = { 'maker-accounts': true } as const satisfies Guard;

const TelemetryStatus = builder.enumType('MakerTelemetryStatus', {
  description: 'How a vehicle stands with the telemetry that it is asked for.',
  values: telemetryTable,
});

const MakerTelemetry = builder.objectRef<VehicleTelemetryView>('MakerTelemetry').implement({
  description: 'How a vehicle stands with the telemetry that it is asked for.',
  authScopes: guard,
  fields: (t) => ({
    publicId: t.exposeString('publicId', { description: 'The slug of the vehicle.' }),
    vin: t.exposeString('vin', { description: 'Vehicle identification number.' }),
    status: t.expose('status', { type: TelemetryStatus, description: 'How it stands.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why the maker skipped it, in its word, or why it did not say.',
    }),
    next: t.exposeString('next', {
      nullable: true,
      description: 'What to do next; null where nothing is to be done.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends unless the vehicle is told anew.',
    }),
    checkedAt: t.expose('checkedAt', { type: 'DateTime', description: 'When the maker said so.' }),
  }),
});

const MakerTelemetryError = builder
  .objectRef<VehicleTelemetryError>('MakerTelemetryError')
  .implement({
    description: 'What a vehicle reported of its telemetry.',
    authScopes: guard,
    fields: (t) => ({
      publicId: t.exposeString('publicId', { description: 'The slug of the vehicle.' }),
      name: t.exposeString('name', { description: 'What failed, in the maker’s word.' }),
      error: t.exposeString('error', { description: 'How, in the maker’s words.' }),
    }),
  });

builder.prismaObjectFields(MakerAccount, (t) => ({
  telemetry: t.field({
    type: [MakerTelemetry],
    description: 'How its followed vehicles stand with the telemetry that they are asked for, now.',
    authScopes: guard,
    complexity: ASKING_COST,
    resolve: (account, _args, context) => telemetryAt(makerCall(context), account),
  }),
  telemetryErrors: t.field({
    type: [MakerTelemetryError],
    description: 'What its followed vehicles reported lately of their telemetry.',
    authScopes: guard,
    complexity: ASKING_COST,
    resolve: (account, _args, context) => telemetryErrorsAt(makerCall(context), account),
  }),
}));

const MakerTelemetryPayload = builder
  .objectRef<{ telemetry: VehicleTelemetryView[] }>('MakerTelemetryPayload')
  .implement({
    description: 'How the vehicles stand now.',
    authScopes: guard,
    fields: (t) => ({
      telemetry: t.expose('telemetry', {
        type: [MakerTelemetry],
        description: 'Each vehicle; those that the maker skipped say why.',
      }),
    }),
  });

const choiceArgs = {
  id: { required: true, description: 'Id of the maker account.' },
  vehicles: {
    required: false,
    description:
      'Slugs or VINs of the vehicles that are meant; all that are followed unless given.',
  },
} as const;

builder.mutationFields((t) => ({
  tellMakerTelemetry: t.field({
    type: MakerTelemetryPayload,
    description:
      'Tells vehicles what to stream to the telemetry server, through the signing proxy.',
    authScopes: guard,
    args: { id: t.arg.id(choiceArgs.id), vehicles: t.arg.stringList(choiceArgs.vehicles) },
    resolve: async (_root, { id, vehicles }, context) => ({
      telemetry: await tellTelemetry(makerCall(context), {
        makerAccountId: id,
        vehicles: vehicles ?? null,
      }),
    }),
  }),
  endMakerTelemetry: t.field({
    type: MakerTelemetryPayload,
    description: 'Tells vehicles to stream no longer.',
    authScopes: guard,
    args: { id: t.arg.id(choiceArgs.id), vehicles: t.arg.stringList(choiceArgs.vehicles) },
    resolve: async (_root, { id, vehicles }, context) => ({
      telemetry: await endTelemetry(makerCall(context), {
        makerAccountId: id,
        vehicles: vehicles ?? null,
      }),
    }),
  }),
}));
