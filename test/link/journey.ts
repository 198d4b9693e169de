import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { scopes as allScopes, type Scope } from '../../src/contract/scopes.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import type { Account, PrismaClient } from '../../src/store/generated/prisma/client.ts';
import type { Endpoint } from '../../src/transports/rest/endpoint.ts';
import { violations } from '../rest/contract.ts';
import { all } from '../rest/requests.ts';
import { type BootedService, boot } from '../support/boot.ts';
import { anAccount } from '../support/rows.ts';

const SECRET = 'the-secret-of-the-application';

const body = z.looseObject({ response: z.unknown().optional(), error: z.string().optional() });

/** An answer of the service, read. */
export type Told = { status: number; response: unknown; error: string | undefined; text: string };

/** A person of the service, and what they can do with their maker accounts. */
export type Person = {
  account: Account;
  token: string;
  call: (method: string, path: string, sent?: object) => Promise<Told>;
  /** Starts a link; answers where to consent. */
  start: (sent?: object) => Promise<{ authorizeUrl: string; state: string }>;
  /** Links with what the simulated person gives; answers the public id. */
  link: (wish?: { subject?: string; scopes?: string[]; vins?: string[] }) => Promise<string>;
};

/** The whole service, configured for a maker that is the simulator, and people who use it. */
export type Journey = AsyncDisposable & {
  service: BootedService;
  maker: Simulator;
  vins: string[];
  /** Everything that the service said to callers and to its log. */
  said: () => string;
  /** Moves the service's clock on. */
  pass: (ms: number) => void;
  person: (scopes?: readonly Scope[]) => Promise<Person>;
  /** The operator: whoever has the first account. */
  operator: () => Promise<Person>;
  /** Consents (or not) at the page, as a browser does; answers the address that it is sent back to. */
  consent: (authorizeUrl: string, decision?: 'approve' | 'deny') => Promise<string>;
};

/** Reads a string at a name of an answer. */
export function textAt(response: unknown, name: string): string {
  return z
    .record(z.string(), z.unknown())
    .transform((fields) => String(fields[name]))
    .parse(response);
}

/** The endpoint behind a path: one that is written out before one with parameters. Throws for none. */
function endpointAt(method: string, url: string): Endpoint {
  const { pathname } = new URL(url);
  const [found] = all
    .filter(({ route }) => route.method === method)
    .filter(({ route }) =>
      new RegExp(`^${route.path.replaceAll(/:[a-z_]+/g, '[^/]+')}$`).test(pathname),
    )
    .sort((a, b) => a.route.path.split(':').length - b.route.path.split(':').length);
  if (found === undefined) throw new Error(`No endpoint for ${method} ${pathname}.`);
  return found;
}

/** Domain of the application; the simulator finds the service there. */
export const DOMAIN = 'cars.example.org';

const ownerOf = (prisma: PrismaClient) =>
  prisma.account.findFirstOrThrow({ where: { simulated: false }, orderBy: { createdAt: 'asc' } });

/** Starts it, with further settings of the service. */
export async function startJourney(environment: Record<string, string> = {}): Promise<Journey> {
  const cars = openGarage({ seed: 'journey', untilMs: Date.now(), days: 0 });
  const maker = await startSimulator({ cars, clock: Date.now, seed: 'journey' });
  maker.requireSecret(SECRET);
  const said: string[] = [];
  let offsetMs = 0;
  const service = await boot({
    clock: () => systemClock() + offsetMs,
    environment: {
      ODOGRAPH_MAKER_CLIENT_ID: 'application',
      ODOGRAPH_MAKER_CLIENT_SECRET: SECRET,
      ODOGRAPH_MAKER_AUTH_URL: maker.baseUrl,
      ODOGRAPH_MAKER_API_URL: maker.baseUrl,
      ODOGRAPH_MAKER_DOMAIN: DOMAIN,
      ...environment,
    },
  });
  maker.answerDomain(DOMAIN, service.baseUrl);
  const consent = async (authorizeUrl: string, decision = 'approve') => {
    const page = new URL(authorizeUrl);
    page.searchParams.set('decision', decision);
    const answer = await fetch(page, { redirect: 'manual' });
    return answer.headers.get('location') ?? '';
  };
  const vins = cars.map(({ spec }) => spec.vin);
  const as = async (account: Account, scopes: readonly Scope[] = allScopes): Promise<Person> => {
    const token = await service.token({ accountId: account.id, scopes });
    const call = async (method: string, path: string, sent?: object): Promise<Told> => {
      const url = path.startsWith('http') ? path : service.baseUrl + path;
      const headers: Record<string, string> = { authorization: `Bearer ${token}` };
      if (sent !== undefined) headers['content-type'] = 'application/json';
      const answer = await fetch(url, { method, headers, body: sent && JSON.stringify(sent) });
      const wrong = await violations(endpointAt(method, url), answer.clone());
      if (wrong.length > 0) throw new Error(`${method} ${path}: ${wrong.join('; ')}`);
      const text = await answer.text();
      said.push(text);
      const { response, error } = body.parse(JSON.parse(text));
      return { status: answer.status, response, error, text };
    };
    const start = async (sent: object = {}) => {
      const { response } = await call('POST', '/api/account/maker-accounts', sent);
      return {
        authorizeUrl: textAt(response, 'authorize_url'),
        state: textAt(response, 'state'),
      };
    };
    const link: Person['link'] = async ({ subject = account.id, ...wish } = {}) => {
      maker.signIn({ subject, vins: [], ...wish });
      const { authorizeUrl } = await start();
      const { response } = await call('GET', await consent(authorizeUrl));
      return textAt(response, 'maker_account_id');
    };
    return { account, token, call, start, link };
  };
  return {
    service,
    maker,
    vins,
    said: () => [...said, ...service.logLines].join('\n'),
    pass: (ms) => {
      offsetMs += ms;
    },
    consent,
    person: async (scopes) => as(await anAccount(service.prisma), scopes),
    operator: async () => as(await ownerOf(service.prisma)),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await maker.close();
    },
  };
}

/** Waits until `look` gives something, looking often; fails after a minute. */
export async function eventually<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (let attempt = 0; attempt < 1_200; attempt += 1) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('It did not come to pass within a minute.');
}
