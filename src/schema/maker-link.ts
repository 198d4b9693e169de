import { callbackIn, completeMakerLink } from '../actions/complete-maker-link.ts';
import { linkMakerAccount } from '../actions/link-maker-account.ts';
import { registeredMaker } from '../actions/maker-application.ts';
import { reauthorizeMakerAccount, type StartedLink } from '../actions/start-maker-link.ts';
import { typeIdOf } from '../base/ids.ts';
import { pairingUrlOf } from '../maker/connector.ts';
import type { MakerAccount as MakerAccountRow } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Guard } from './connection.ts';
import { makerCall } from './context.ts';
import { MakerAccount } from './maker-account.ts';

const guard = { 'maker-accounts': true } as const satisfies Guard;

const MakerSignIn = builder.objectRef<StartedLink>('MakerSignIn').implement({
  description: 'A sign-in at a maker that was started.',
  authScopes: guard,
  fields: (t) => ({
    authorizeUrl: t.exposeString('authorizeUrl', {
      description: 'Where the person consents; open it in a browser.',
    }),
    state: t.exposeString('state', {
      description: 'Names this sign-in when the maker sends the person back; it works once.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Until when it can be completed.',
    }),
  }),
});

const LinkMakerAccountInput = builder.inputType('LinkMakerAccountInput', {
  description: 'What to link.',
  fields: (t) => ({
    maker: t.string({ description: 'Name of the maker; the one that is configured unless given.' }),
    label: t.string({ description: 'A name for the link, at most 100 characters.' }),
    refreshToken: t.string({
      description:
        'Links with a refresh token that you have of this application, without a sign-in; it is used up.',
    }),
    seed: t.string({
      description:
        'Links a person of the simulated garage, without a sign-in; the same seed is the same person.',
    }),
  }),
});

const CompleteMakerLinkInput = builder.inputType('CompleteMakerLinkInput', {
  description: 'Where the maker sent the person back to.',
  fields: (t) => ({
    callbackUrl: t.string({
      required: true,
      description: 'The whole address in the browser after consent.',
    }),
  }),
});

const CompleteMakerLinkPayload = builder
  .objectRef<{ makerAccount: MakerAccountRow }>('CompleteMakerLinkPayload')
  .implement({
    description: 'The account that is linked now.',
    authScopes: guard,
    fields: (t) => ({
      makerAccount: t.field({
        type: MakerAccount,
        description: 'The maker account.',
        resolve: (payload) => payload.makerAccount,
      }),
    }),
  });

const LinkMakerAccountPayload = builder
  .objectRef<{ signIn: StartedLink | null; makerAccount: MakerAccountRow | null }>(
    'LinkMakerAccountPayload',
  )
  .implement({
    description: 'A sign-in that was started, or an account that is linked without one.',
    authScopes: guard,
    fields: (t) => ({
      authorizeUrl: t.string({
        nullable: true,
        description: 'Where the person consents; null where no sign-in is needed.',
        resolve: ({ signIn }) => signIn?.authorizeUrl ?? null,
      }),
      state: t.string({
        nullable: true,
        description: 'Names the sign-in when the maker sends the person back; it works once.',
        resolve: ({ signIn }) => signIn?.state ?? null,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Until when the sign-in can be completed.',
        resolve: ({ signIn }) => signIn?.expiresAt ?? null,
      }),
      makerAccount: t.field({
        type: MakerAccount,
        nullable: true,
        description: 'The account that is linked now; null where a sign-in was started.',
        resolve: (payload) => payload.makerAccount,
      }),
    }),
  });

/** What a browser without a token may know of the link that its state has made. */
const MakerCallbackPayload = builder.objectRef<MakerAccountRow>('MakerCallbackPayload').implement({
  description: 'The link that was made.',
  fields: (t) => ({
    label: t.exposeString('label', { nullable: true, description: 'Name of the link.' }),
    vehiclesCount: t.int({
      description: 'How many vehicles are followed through it.',
      resolve: ({ id }, _args, { prisma }) =>
        prisma.vehicle.count({ where: { makerAccountId: id, archivedAt: null } }),
    }),
    missingScopes: t.exposeStringList('missingScopes', {
      description: 'What was not granted of what the service asks for, in the maker’s words.',
    }),
    pairingUrl: t.string({
      nullable: true,
      description: 'Where an owner puts the service’s key on a vehicle; null where there is none.',
      resolve: (_account, _args, { maker }) => {
        const connector = registeredMaker(maker);
        return connector === null ? null : pairingUrlOf(connector.application);
      },
    }),
    makerAccountId: t.id({
      description: 'Id of the maker account.',
      resolve: ({ id }) => typeIdOf('MakerAccount', id),
    }),
    linked: t.boolean({
      description: 'Whether it can be used; false where too little was granted.',
      resolve: ({ status }) => status === 'ACTIVE',
    }),
  }),
});

builder.mutationFields((t) => ({
  linkMakerAccount: t.field({
    type: LinkMakerAccountPayload,
    description:
      'Starts linking an account of a vehicle maker, or links one at once with a refresh token or a seed of the garage.',
    authScopes: guard,
    args: {
      input: t.arg({ type: LinkMakerAccountInput, required: true, description: 'What to link.' }),
    },
    resolve: (_root, { input }, context) => linkMakerAccount(makerCall(context), input),
  }),
  reauthorizeMakerAccount: t.field({
    type: MakerSignIn,
    description: 'Starts signing in anew, for scopes that are missing or a link that has ended.',
    authScopes: guard,
    args: { id: t.arg.id({ required: true, description: 'Id of the maker account.' }) },
    resolve: (_root, { id }, context) => reauthorizeMakerAccount(makerCall(context), id),
  }),
  completeMakerLink: t.field({
    type: CompleteMakerLinkPayload,
    description:
      'Ends a sign-in by hand, where the maker cannot reach the callback of this instance.',
    authScopes: guard,
    args: {
      input: t.arg({
        type: CompleteMakerLinkInput,
        required: true,
        description: 'Where the maker sent the person.',
      }),
    },
    resolve: async (_root, { input }, context) => ({
      makerAccount: await completeMakerLink(makerCall(context), callbackIn(input.callbackUrl)),
    }),
  }),
  makerCallback: t.field({
    type: MakerCallbackPayload,
    description:
      'Ends a sign-in with what the maker sent the browser back with; the state says whose it is.',
    args: {
      state: t.arg.string({ required: true, description: 'The state of the sign-in.' }),
      code: t.arg.string({ description: 'The code that consent gave.' }),
      error: t.arg.string({ description: 'Why there is none.' }),
    },
    resolve: (_root, { state, code, error }, context) => {
      const { prisma, clock, maker: door, requestId } = context;
      const call = { prisma, clock, door, principal: null, requestId };
      return completeMakerLink(call, { state, code: code ?? null, error: error ?? null });
    },
  }),
}));
