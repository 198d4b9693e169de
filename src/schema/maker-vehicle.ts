import { registeredMaker } from '../actions/maker-application.ts';
import {
  addMakerVehicle,
  type MakerVehicle as MakerVehicleRow,
  removeMakerVehicle,
  vehiclesAtMaker,
} from '../actions/maker-vehicles.ts';
import { pairingUrlOf } from '../maker/connector.ts';
import type { KeyPairing as KeyPairingRow } from '../maker/key-pairing.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { caller, makerCall } from './context.ts';
import { AccessType } from './enums.ts';
import { MakerAccount } from './maker-account.ts';

const guard = { 'maker-accounts': true } as const satisfies Guard;

/** A question to the maker stands for many of ours. */
export const ASKING_COST = 50;

/** Maker accounts that are asked at once. */
const MOST_ACCOUNTS = 20;

const KeyPairing = builder.objectRef<KeyPairingRow>('KeyPairing').implement({
  description: 'Whether the service’s key is on a vehicle, and what the vehicle asks of it.',
  authScopes: guard,
  fields: (t) => ({
    paired: t.exposeBoolean('paired', {
      nullable: true,
      description: 'Whether the key is on it; null where the maker does not say.',
    }),
    commandProtocolRequired: t.exposeBoolean('commandProtocolRequired', {
      nullable: true,
      description: 'Whether it takes only signed commands.',
    }),
    firmwareVersion: t.exposeString('firmwareVersion', {
      nullable: true,
      description: 'Its software, in the maker’s words.',
    }),
    telemetryVersion: t.exposeString('telemetryVersion', {
      nullable: true,
      description: 'Version of its telemetry client; null where it has none.',
    }),
    totalKeys: t.exposeInt('totalKeys', {
      nullable: true,
      description: 'How many keys it knows.',
    }),
  }),
});

const MakerVehicle = builder.objectRef<MakerVehicleRow>('MakerVehicle').implement({
  description: 'A vehicle as the maker lists it for an account, followed here or not.',
  authScopes: guard,
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The maker’s own id of the vehicle.' }),
    vin: t.exposeString('vin', { description: 'Vehicle identification number.' }),
    name: t.exposeString('name', { nullable: true, description: 'Its name at the maker.' }),
    accessType: t.expose('accessType', {
      type: AccessType,
      nullable: true,
      description: 'What the account’s holder is to it.',
    }),
    associated: t.boolean({
      description: 'Whether it is followed here.',
      resolve: ({ publicId }) => publicId !== null,
    }),
    publicId: t.exposeString('publicId', {
      nullable: true,
      description: 'The slug that names it here; null while it is not followed.',
    }),
    keyPairing: t.expose('keyPairing', {
      type: KeyPairing,
      nullable: true,
      description: 'Whether the service’s key is on it; null where the maker does not say.',
    }),
  }),
});

builder.prismaObjectField(MakerAccount, 'vehiclesAtMaker', (t) =>
  t.field({
    type: [MakerVehicle],
    description: 'Its vehicles as the maker lists them now, followed here or not.',
    authScopes: guard,
    complexity: ASKING_COST,
    resolve: (account, _args, context) => vehiclesAtMaker(makerCall(context), account),
  }),
);

const MakerKeyPairing = builder
  .objectRef<{ pairingUrl: string | null; vehicles: MakerVehicleRow[] }>('MakerKeyPairing')
  .implement({
    description: 'On which vehicles of a maker account the service’s key is.',
    authScopes: guard,
    fields: (t) => ({
      pairingUrl: t.exposeString('pairingUrl', {
        nullable: true,
        description:
          'Where an owner puts the key on a vehicle: to be opened on the phone that has the maker’s app.',
      }),
      vehicles: t.expose('vehicles', {
        type: [MakerVehicle],
        description: 'The vehicles as the maker lists them now.',
      }),
    }),
  });

builder.prismaObjectField(MakerAccount, 'keyPairing', (t) =>
  t.field({
    type: MakerKeyPairing,
    description: 'On which of its vehicles the service’s key is now, and how it gets there.',
    authScopes: guard,
    complexity: ASKING_COST,
    resolve: async (account, _args, context) => {
      const application = registeredMaker(context.maker)?.application ?? null;
      const vehicles = await vehiclesAtMaker(makerCall(context), account);
      return { vehicles, pairingUrl: application === null ? null : pairingUrlOf(application) };
    },
  }),
);

builder.queryField('makerVehicles', (t) =>
  t.field({
    type: [MakerVehicle],
    description: 'The vehicles of all your working maker accounts as the makers list them now.',
    authScopes: guard,
    complexity: ASKING_COST,
    resolve: async (_root, _args, context) => {
      const accounts = await context.prisma.makerAccount.findMany({
        where: { accountId: caller(context).accountId, status: 'ACTIVE' },
        orderBy: { createdAt: 'desc' },
        take: MOST_ACCOUNTS,
      });
      const call = makerCall(context);
      return (await Promise.all(accounts.map((account) => vehiclesAtMaker(call, account)))).flat();
    },
  }),
);

const AddMakerVehiclePayload = builder
  .objectRef<{ makerVehicle: MakerVehicleRow }>('AddMakerVehiclePayload')
  .implement({
    description: 'The vehicle that is followed now.',
    authScopes: guard,
    fields: (t) => ({
      makerVehicle: t.expose('makerVehicle', { type: MakerVehicle, description: 'The vehicle.' }),
    }),
  });

const RemoveMakerVehiclePayload = builder
  .objectRef<{ publicId: string }>('RemoveMakerVehiclePayload')
  .implement({
    description: 'The vehicle that is no longer followed.',
    authScopes: guard,
    fields: (t) => ({
      publicId: t.exposeString('publicId', {
        description: 'Its slug here; its history stays under it.',
      }),
    }),
  });

builder.mutationFields((t) => ({
  addMakerVehicle: t.field({
    type: AddMakerVehiclePayload,
    description:
      'Follows a vehicle of a maker account; one that was removed goes on with its history.',
    authScopes: guard,
    args: {
      makerAccountId: t.arg.id({ required: true, description: 'Id of the maker account.' }),
      makerVehicleId: t.arg.string({
        required: true,
        description: 'The maker’s own id of the vehicle, or its VIN.',
      }),
    },
    resolve: async (_root, args, context) => ({
      makerVehicle: await addMakerVehicle(makerCall(context), args),
    }),
  }),
  removeMakerVehicle: t.field({
    type: RemoveMakerVehiclePayload,
    description: 'Stops following a vehicle; its history stays.',
    authScopes: guard,
    args: {
      makerAccountId: t.arg.id({ required: true, description: 'Id of the maker account.' }),
      makerVehicleId: t.arg.string({
        required: true,
        description: 'The maker’s own id of the vehicle, or its VIN.',
      }),
    },
    resolve: (_root, args, context) => removeMakerVehicle(makerCall(context), args),
  }),
}));
