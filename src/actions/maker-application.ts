import { ServiceError } from '../base/errors.ts';
import { type RegistrationWord, registrationTable } from '../contract/registration.ts';
import type { Failure } from '../maker/answer.ts';
import { type MakerApi, makerApi } from '../maker/api.ts';
import { isSameKey } from '../maker/application-key.ts';
import {
  type Application,
  type Connector,
  pairingUrlOf,
  publicKeyUrlOf,
} from '../maker/connector.ts';
import { makerIdentity, type TokenOutcome } from '../maker/identity.ts';
import type { Region } from '../maker/regions.ts';
import { isOperators } from '../store/accounts.ts';
import { audited } from '../store/audit.ts';
import type { MakerRegistration, PrismaClient } from '../store/generated/prisma/client.ts';
import { makerRegistrations, storeRegistration } from '../store/maker-registrations.ts';
import { applicationPublicKey, ensureApplicationKey } from './application-key.ts';
import { actorOf, type MakerCall, type MakerDoor } from './maker-door.ts';

/** How the application stands with a region; the instants are null where it was never tried, never registered. */
export type RegistrationView = Pick<MakerRegistration, 'region' | 'status' | 'detail'> & {
  triedAt: Date | null;
  registeredAt: Date | null;
  /** What the status means, and what a person does next; null for nothing. */
  description: string;
  next: string | null;
};

/** The application under which the service is known to a maker. */
export type ApplicationView = {
  maker: string;
  domain: string | null;
  redirectUrl: string;
  /** PEM; null before it is made. */
  publicKey: string | null;
  publicKeyUrl: string | null;
  pairingUrl: string | null;
  /** Whether a signing proxy is set, and whether vehicles can be told to stream. */
  signs: boolean;
  streams: boolean;
  registrations: RegistrationView[];
};

/** A connector with an application. */
export type Registered = Connector & { application: Application };

/** The configured maker; null where only the garage is there. */
export function registeredMaker({ connectors }: Pick<MakerDoor, 'connectors'>): Registered | null {
  for (const connector of connectors.values()) {
    const { application } = connector;
    if (application !== null) return { ...connector, application };
  }
  return null;
}

/** What is known of the application; null where no maker is configured. Asks nobody. */
export async function applicationView({
  prisma,
  door,
}: {
  prisma: PrismaClient;
  door: Pick<MakerDoor, 'connectors'>;
}): Promise<ApplicationView | null> {
  const connector = registeredMaker(door);
  return connector === null ? null : viewOfMaker(prisma, connector);
}

async function viewOfMaker(
  prisma: PrismaClient,
  { maker, redirectUrl, application }: Registered,
): Promise<ApplicationView> {
  const tried = await makerRegistrations(prisma, maker);
  return {
    maker,
    redirectUrl,
    domain: application.domain,
    publicKey: await applicationPublicKey(prisma, maker),
    publicKeyUrl: publicKeyUrlOf(application),
    pairingUrl: pairingUrlOf(application),
    signs: application.proxyUrl !== null,
    streams: application.proxyUrl !== null && application.telemetry !== null,
    registrations: application.regions.map((region) => {
      // What was found for another domain says nothing of this one.
      const row = tried.find((one) => one.region === region && one.domain === application.domain);
      return standingOf(region, row);
    }),
  };
}

function standingOf(region: Region, row: MakerRegistration | undefined): RegistrationView {
  const {
    status = 'NOT_REGISTERED',
    detail = null,
    triedAt = null,
    registeredAt = null,
  } = row ?? {};
  return { region, status, detail, triedAt, registeredAt, ...registrationTable[status] };
}

/** Who registers: a caller of the operator's account, or the operator in the name of an account. */
export type RegisterCall = Pick<MakerCall, 'prisma' | 'clock'> & {
  door: Pick<MakerDoor, 'connectors' | 'vault'>;
  accountId: string;
  actor: string;
  requestId: string | null;
};

/**
 * Registers like `registerInstance` for a caller. Throws `setting_forbids` for an account that is not the operator's: the
 * application is the instance's, and so is what the maker makes of its use.
 */
export async function registerApplication(
  call: MakerCall,
  wished: readonly Region[] | null,
): Promise<ApplicationView> {
  const { prisma, principal } = call;
  const { accountId } = principal;
  if (!(await isOperators(prisma, accountId))) {
    const message = 'The application is registered from the account of the operator.';
    throw new ServiceError('setting_forbids', message);
  }
  return registerInstance({ ...call, accountId, actor: actorOf(principal) }, wished);
}

/**
 * Registers the application's domain in every region that is set, or in those given, and sees that each holds our public
 * key; how each ended is stored. Throws `setting_forbids` where no application or no domain is set.
 */
export async function registerInstance(
  call: RegisterCall,
  wished: readonly Region[] | null,
): Promise<ApplicationView> {
  const { prisma, clock, door, accountId, actor, requestId } = call;
  const connector = registeredMaker(door);
  const domain = connector?.application.domain ?? null;
  if (connector === null || domain === null) {
    throw new ServiceError(
      'setting_forbids',
      'No application with a domain is set; the operator sets the client id and ODOGRAPH_MAKER_DOMAIN.',
    );
  }
  const { maker } = connector;
  const { regions } = connector.application;
  const chosen = regions.filter((region) => wished === null || wished.includes(region));
  const publicKey = await ensureApplicationKey({ prisma, vault: door.vault, clock }, maker);
  const found = await Promise.all(
    chosen.map(async (region) => {
      const standing = await register(call, connector, { region, domain, publicKey });
      await storeRegistration(prisma, { maker, region, domain, ...standing, at: clock() });
      return `${region} ${standing.status}`;
    }),
  );
  const action = 'maker_application.register';
  const details = { maker, domain, found };
  const fact = { at: clock(), actor, action, object: null, details, requestId };
  await audited(prisma, accountId, async () => ({ result: null, facts: [fact] }));
  return viewOfMaker(prisma, connector);
}

type Standing = { status: RegistrationWord; detail: string | null };
type Wish = { region: Region; domain: string; publicKey: string };

async function register(
  { clock }: Pick<MakerCall, 'clock'>,
  connector: Registered,
  { region, domain, publicKey }: Wish,
): Promise<Standing> {
  const baseUrl = connector.apiUrlOf(region);
  const outcome = await applicationToken(connector, region, clock);
  if (outcome.kind !== 'ok') return tokenStanding(outcome);
  const { accessToken } = outcome.tokens;
  const api = makerApi({ baseUrl, token: () => Promise.resolve(accessToken), clock });
  const answer = await api.registerDomain(domain);
  const held = await heldKey(api, { domain, publicKey });
  // Registering again is refused by some, and is not needed where the region holds the key.
  if (held.status === 'REGISTERED' || answer.kind === 'ok') return held;
  return refusalStanding(answer);
}

/** A token of the application itself for a region. */
export function applicationToken(
  connector: Registered,
  region: Region,
  clock: MakerCall['clock'],
): Promise<TokenOutcome> {
  const { clientId, clientSecret, application, apiUrlOf } = connector;
  const tokenUrl = application.tokenUrlOf(region);
  const identity = makerIdentity({ tokenUrl, clientId, clientSecret, clock });
  return identity.applicationToken(apiUrlOf(region));
}

async function heldKey(
  api: MakerApi,
  { domain, publicKey }: Omit<Wish, 'region'>,
): Promise<Standing> {
  const answer = await api.domainKey(domain);
  if (answer.kind === 'not_found') return { status: 'NOT_REGISTERED', detail: answer.detail };
  if (answer.kind !== 'ok') return refusalStanding(answer);
  const same = isSameKey(answer.value, publicKey);
  return { status: same ? 'REGISTERED' : 'KEY_MISMATCH', detail: null };
}

function tokenStanding(outcome: Exclude<TokenOutcome, { kind: 'ok' }>): Standing {
  const { reason: detail } = outcome;
  if (outcome.kind !== 'unknown') return { status: 'CLIENT_REFUSED', detail };
  return { status: outcome.reason === 'unsaid' ? 'FAILED' : 'UNREACHABLE', detail };
}

/** What a refusal means, by its status: the maker answers 424 where the key could not be fetched (observed). */
function refusalStanding(answer: Failure): Standing {
  const { kind, status, detail } = answer;
  if (status === 424) return { status: 'KEY_UNREACHABLE', detail };
  if (kind === 'timeout' || kind === 'closed' || kind === 'upstream' || kind === 'rate_limited') {
    return { status: 'UNREACHABLE', detail: detail ?? kind };
  }
  const domain = kind === 'rejected' && /domain/i.test(detail ?? '');
  return { status: domain ? 'DOMAIN_REFUSED' : 'FAILED', detail: detail ?? kind };
}
