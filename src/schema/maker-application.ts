import {
  type ApplicationView,
  applicationView,
  type RegistrationView,
  registerApplication,
} from '../actions/maker-application.ts';
import { registrationTable } from '../contract/registration.ts';
import type { Region as RegionWord } from '../maker/regions.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { makerCall } from './context.ts';
import { Region } from './enums.ts';

const guard = { 'maker-accounts': true } as const satisfies Guard;

const RegistrationStatus = builder.enumType('RegistrationStatus', {
  description: 'How the application stands with a region of the maker.',
  values: registrationTable,
});

const MakerRegistration = builder.objectRef<RegistrationView>('MakerRegistration').implement({
  description: 'How the application stands with a region of the maker, as it was found last.',
  authScopes: guard,
  fields: (t) => ({
    region: t.expose('region', { type: Region, description: 'The region.' }),
    status: t.expose('status', { type: RegistrationStatus, description: 'How it stands.' }),
    means: t.exposeString('description', { description: 'The same in a sentence.' }),
    next: t.exposeString('next', {
      nullable: true,
      description: 'What to do next; null where nothing is to be done.',
    }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'The maker’s own words, where it said any.',
    }),
    triedAt: t.expose('triedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last tried; null where it never was.',
    }),
    registeredAt: t.expose('registeredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last found registered with this service’s key.',
    }),
  }),
});

const MakerApplication = builder.objectRef<ApplicationView>('MakerApplication').implement({
  description: 'The application under which this instance is known to the maker.',
  authScopes: guard,
  fields: (t) => ({
    maker: t.exposeString('maker', { description: 'Name of the maker.' }),
    domain: t.exposeString('domain', {
      nullable: true,
      description: 'Its domain; null where the operator named none.',
    }),
    redirectUrl: t.exposeString('redirectUrl', {
      description: 'Where the maker sends people back to; it is registered on its developer pages.',
    }),
    publicKey: t.exposeString('publicKey', {
      nullable: true,
      description: 'Its public key, PEM; null before it is made.',
    }),
    publicKeyUrl: t.exposeString('publicKeyUrl', {
      nullable: true,
      description: 'Where the maker and its app fetch the public key.',
    }),
    pairingUrl: t.exposeString('pairingUrl', {
      nullable: true,
      description:
        'Where an owner puts the key on a vehicle: to be opened on the phone that has the maker’s app.',
    }),
    signs: t.exposeBoolean('signs', {
      description: 'Whether commands go through the maker’s signing proxy.',
    }),
    streams: t.exposeBoolean('streams', {
      description: 'Whether vehicles can be told to stream to a telemetry server.',
    }),
    registrations: t.expose('registrations', {
      type: [MakerRegistration],
      description: 'How it stands with each region that is set.',
    }),
  }),
});

const RegisterMakerApplicationPayload = builder
  .objectRef<{ makerApplication: ApplicationView }>('RegisterMakerApplicationPayload')
  .implement({
    description: 'The application after it was registered, or was not.',
    authScopes: guard,
    fields: (t) => ({
      makerApplication: t.expose('makerApplication', {
        type: MakerApplication,
        description: 'The application; each region says how it ended.',
      }),
    }),
  });

builder.queryField('makerApplication', (t) =>
  t.field({
    type: MakerApplication,
    nullable: true,
    description:
      'The application under which this instance is known to the maker; null where none is set.',
    authScopes: guard,
    resolve: (_root, _args, context) => applicationView(makerCall(context)),
  }),
);

builder.mutationField('registerMakerApplication', (t) =>
  t.field({
    type: RegisterMakerApplicationPayload,
    description:
      'Registers the application’s domain in every region that is set, and sees that each holds the public key; from the account of the operator, the first of the instance.',
    authScopes: guard,
    args: {
      regions: t.arg({
        type: [Region],
        description: 'Only these of the regions that are set; all unless given.',
      }),
    },
    resolve: async (_root, { regions }, context) => {
      const wished = regions?.filter((region): region is RegionWord => region !== 'SIM') ?? null;
      return { makerApplication: await registerApplication(makerCall(context), wished) };
    },
  }),
);
