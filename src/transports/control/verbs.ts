import { z } from 'zod';
import type { AccessContext } from '../../actions/access-context.ts';
import { exportApplicationKey } from '../../actions/application-key.ts';
import type { Check } from '../../actions/doctor-check.ts';
import { registerInstance } from '../../actions/maker-application.ts';
import type { MakerDoor } from '../../actions/maker-door.ts';
import {
  createApiKey,
  createToken,
  listTokens,
  revokeApiKey,
  revokeToken,
} from '../../actions/manage-access.ts';
import {
  createIngestToken,
  listIngestTokens,
  revokeIngestToken,
} from '../../actions/manage-ingest.ts';
import { accountFor, checkAudit } from '../../actions/operator.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Vault } from '../../base/vault.ts';

/** What the verbs work with. */
export type VerbContext = {
  access: AccessContext;
  /** Opens what is kept secret; throws ConfigError where the key is not to be had. */
  vault: () => Vault;
  status: () => Status;
  /** The makers that are configured. */
  connectors: MakerDoor['connectors'];
  /** Looks at everything that has to be right. */
  doctor: () => Promise<Check[]>;
};

/** Whether a region is among those wished; all are where none is named. */
function regionsIn(wished: readonly string[] | null): (region: string) => boolean {
  return (region) => wished === null || wished.includes(region);
}

const account = z.string().nullable().default(null);
const region = z.enum(['NA', 'EU', 'CN']);

const status = z.object({
  /** Whether a service runs on the data folder. */
  running: z.boolean(),
  version: z.string().nullable(),
  pid: z.number().nullable(),
  /** RFC 3339. */
  startedAt: z.string().nullable(),
  /** Addresses by what answers there; null for a part that does not exist. */
  urls: z.record(z.string(), z.string().nullable()),
});

/** What the `status` verb tells. */
export type Status = z.output<typeof status>;

const tokenView = z.object({
  id: z.string(),
  name: z.string(),
  lastFour: z.string(),
  scopes: z.array(z.string()).readonly(),
  vehicleIds: z.array(z.string()).readonly().nullable(),
  locationPrecision: z.string(),
  commandGroups: z.array(z.string()).readonly().nullable(),
  createdAt: z.string(),
  expiresAt: z.string(),
  lastUsedAt: z.string().nullable(),
  lastIp: z.string().nullable(),
  revokedAt: z.string().nullable(),
});

const ingestTokenView = tokenView.omit({
  scopes: true,
  vehicleIds: true,
  locationPrecision: true,
  commandGroups: true,
});

const revocation = z.object({ id: z.string(), changed: z.boolean() });

const check = z.object({
  id: z.string(),
  level: z.enum(['OK', 'WARN', 'FAIL']),
  says: z.string(),
  next: z.string().nullable(),
});

function verb<A extends z.ZodType, R extends z.ZodType>(row: {
  args: A;
  result: R;
  run: (context: VerbContext, args: z.output<A>) => Promise<z.input<R>>;
}) {
  return {
    args: row.args,
    result: row.result,
    /** Checks the arguments, then runs; throws `validation_failed` with the fields that are wrong. */
    async call(context: VerbContext, args: unknown): Promise<unknown> {
      const read = row.args.safeParse(args);
      if (read.success) return row.run(context, read.data);
      const { fieldErrors, formErrors } = z.flattenError(read.error);
      throw new ServiceError('validation_failed', 'The arguments of the verb are wrong.', {
        fields: { ...fieldErrors, ...(formErrors.length > 0 ? { args: formErrors } : {}) },
      });
    },
  };
}

/** Every verb of the control socket: its arguments, its result, and the action it runs. */
export const verbs = {
  'token.create': verb({
    args: z.strictObject({
      account,
      name: z.string(),
      scopes: z.array(z.string()),
      vehicleIds: z.array(z.string()).nullable().default(null),
      expiresInDays: z.number().optional(),
      locationPrecision: z.enum(['EXACT', 'APPROXIMATE', 'HIDDEN']).optional(),
      commandGroups: z.array(z.string()).nullable().default(null),
    }),
    result: tokenView.extend({ token: z.string() }),
    run: async ({ access }, { account, ...request }) =>
      createToken(access, { ...request, accountId: await accountFor(access, account) }),
  }),
  'token.list': verb({
    args: z.strictObject({
      account,
      revoked: z.boolean().default(false),
      limit: z.number().int().min(1).max(200).default(200),
    }),
    result: z.object({ tokens: z.array(tokenView), more: z.boolean() }),
    run: async ({ access }, { account, ...page }) =>
      listTokens(access, { ...page, accountId: await accountFor(access, account) }),
  }),
  'token.revoke': verb({
    args: z.strictObject({ id: z.string() }),
    result: revocation,
    run: ({ access }, { id }) => revokeToken(access, { id, accountId: null }),
  }),
  'ingestToken.create': verb({
    args: z.strictObject({ account, name: z.string(), expiresInDays: z.number().optional() }),
    result: ingestTokenView.extend({ token: z.string() }),
    run: async ({ access }, { account, ...request }) =>
      createIngestToken(access, { ...request, accountId: await accountFor(access, account) }),
  }),
  'ingestToken.list': verb({
    args: z.strictObject({
      revoked: z.boolean().default(false),
      limit: z.number().int().min(1).max(200).default(200),
    }),
    result: z.object({ tokens: z.array(ingestTokenView), more: z.boolean() }),
    run: ({ access }, page) => listIngestTokens(access, page),
  }),
  'ingestToken.revoke': verb({
    args: z.strictObject({ id: z.string() }),
    result: revocation,
    run: ({ access }, { id }) => revokeIngestToken(access, { id }),
  }),
  'apiKey.create': verb({
    args: z.strictObject({ account, controls: z.boolean().default(false) }),
    result: z.object({
      apiKey: z.string(),
      id: z.string(),
      lastFour: z.string(),
      controls: z.boolean(),
      expiresAt: z.string(),
    }),
    run: async ({ access }, { account, controls }) =>
      createApiKey(access, { controls, accountId: await accountFor(access, account) }),
  }),
  'apiKey.revoke': verb({
    args: z.strictObject({ id: z.string() }),
    result: revocation,
    run: ({ access }, { id }) => revokeApiKey(access, { id, accountId: null }),
  }),
  'makerKey.export': verb({
    args: z.strictObject({ account }),
    result: z.object({ maker: z.string(), publicKey: z.string(), privateKey: z.string() }),
    run: async ({ access, vault }, { account }) =>
      exportApplicationKey(access, vault(), { accountId: await accountFor(access, account) }),
  }),
  'maker.register': verb({
    args: z.strictObject({ account, regions: z.array(region).nullable().default(null) }),
    result: z.object({
      domain: z.string().nullable(),
      registrations: z.array(
        z.object({
          region: z.string(),
          status: z.string(),
          description: z.string(),
          detail: z.string().nullable(),
          next: z.string().nullable(),
        }),
      ),
    }),
    run: async ({ access, vault, connectors }, { account, regions }) => {
      const { prisma, clock, actor, requestId } = access;
      const accountId = await accountFor(access, account);
      const door = { connectors, vault: vault() };
      const call = { prisma, clock, door, accountId, actor, requestId };
      const { domain, registrations } = await registerInstance(call, regions);
      const isMeant = regionsIn(regions);
      return { domain, registrations: registrations.filter(({ region: one }) => isMeant(one)) };
    },
  }),
  doctor: verb({
    args: z.strictObject({}),
    result: z.object({ checks: z.array(check) }),
    run: async ({ doctor }) => ({ checks: await doctor() }),
  }),
  'audit.verify': verb({
    args: z.strictObject({ account }),
    result: z.object({
      ...{ entries: z.number(), letGo: z.number(), lastHash: z.string().nullable() },
      fault: z
        .object({ position: z.number(), reason: z.enum(['OUT_OF_PLACE', 'CHANGED']) })
        .nullable(),
    }),
    run: async ({ access }, { account }) => checkAudit(access, await accountFor(access, account)),
  }),
  status: verb({
    args: z.strictObject({}),
    result: status,
    run: async (context) => context.status(),
  }),
};

export type VerbName = keyof typeof verbs;

/** Arguments of a verb, as its caller gives them. */
export type VerbArgs<V extends VerbName> = z.input<(typeof verbs)[V]['args']>;

/** Result of a verb, as its caller gets it. */
export type VerbResult<V extends VerbName> = z.output<(typeof verbs)[V]['result']>;

function isVerb(name: string): name is VerbName {
  return Object.hasOwn(verbs, name);
}

/** Runs a verb by name with arguments as they came; throws `invalid_request` for an unknown one. */
export function callVerb(context: VerbContext, name: string, args: unknown): Promise<unknown> {
  if (isVerb(name)) return verbs[name].call(context, args);
  throw new ServiceError('invalid_request', 'The service does not know this verb.');
}

/** A result as it came over the socket, checked; throws when the other end speaks otherwise. */
export function readResult<V extends VerbName>(verb: V, result: unknown): VerbResult<V> {
  // The table's one assertion: the compiler does not follow a result schema through a generic key.
  return verbs[verb].result.parse(result) as VerbResult<V>;
}
