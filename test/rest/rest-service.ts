import { operatorContext } from '../../src/actions/access-context.ts';
import { createEventFeed } from '../../src/actions/event-feed.ts';
import type { MakerDoor } from '../../src/actions/maker-door.ts';
import { createApiKey, createToken } from '../../src/actions/manage-access.ts';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import { createCallerWatch } from '../../src/auth/caller-watch.ts';
import type { Clock } from '../../src/base/clock.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import { isDatabaseUnavailable } from '../../src/store/database-errors.ts';
import { restPlugin } from '../../src/transports/rest/plugin.ts';
import { type Engine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { startHttpApp } from '../support/http-app.ts';
import { closedDoor, closedWebhookDesk, now } from '../support/rows.ts';

type TokenWish = {
  vehicleIds?: readonly string[] | null;
  expiresInDays?: number;
  locationPrecision?: 'EXACT' | 'APPROXIMATE' | 'HIDDEN';
};

/** REST on a port of its own over a scratch database; the clock stands at `now` until it is moved. */
export type RestService = AsyncDisposable & {
  baseUrl: string;
  db: ScratchDatabase;
  clock: Clock & { at: number };
  logLines: string[];
  /** A new token of an account (stored id). */
  token: (accountId: string, scopes: readonly Scope[], wish?: TokenWish) => Promise<string>;
  apiKey: (accountId: string, controls?: boolean) => Promise<string>;
  /** Waits until the last uses of credentials are noted. */
  settle: () => Promise<void>;
  get: (path: string, token?: string | null, headers?: Record<string, string>) => Promise<Response>;
  /** A request with a JSON body, or with a text as it is. */
  send: (
    method: string,
    path: string,
    token: string | null,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>;
};

function outage(cause: unknown): ServiceError | null {
  return isDatabaseUnavailable(cause)
    ? new ServiceError('service_unavailable', 'The database does not answer.', {
        cause,
        retryAfterS: 5,
      })
    : null;
}

const bearer = (token: string | null | undefined): Record<string, string> =>
  token == null ? {} : { authorization: `Bearer ${token}` };

/** Starts it; `apiKeys` says whether the instance takes `api_key`. */
export async function startRest(
  options: { engine?: Engine; apiKeys?: boolean; maker?: MakerDoor } = {},
): Promise<RestService> {
  const { engine = 'embedded', apiKeys = true } = options;
  const db = await scratchDatabase(engine);
  const { prisma } = db;
  const clock = Object.assign(() => clock.at, { at: now });
  const authenticator = createAuthenticator({ prisma, clock, log: silentLog, apiKeys });
  const access = operatorContext(prisma, clock, authenticator.forget);
  const feed = createEventFeed({ prisma, onEvents: db.onEvents, log: silentLog });
  const watch = createCallerWatch();
  const app = await startHttpApp({
    explain: outage,
    routes: (http, _config, log) => {
      const newContext = (call: Parameters<Parameters<typeof restPlugin>[0]['newContext']>[0]) => ({
        ...call,
        prisma,
        clock,
        maker: options.maker ?? closedDoor(prisma),
        feed,
        webhooks: closedWebhookDesk(),
        surface: 'api' as const,
      });
      http.register(restPlugin({ authenticator, newContext, log, baseUrl: null, watch }));
    },
  });
  const { baseUrl, logLines } = app;
  return {
    baseUrl,
    db,
    clock,
    logLines,
    token: async (accountId, scopes, { vehicleIds = null, ...wish }: TokenWish = {}) =>
      (await createToken(access, { accountId, name: 'test', scopes, vehicleIds, ...wish })).token,
    apiKey: async (accountId, controls = false) =>
      (await createApiKey(access, { accountId, controls })).apiKey,
    settle: authenticator.settle,
    get: (path, token, headers) =>
      fetch(baseUrl + path, { headers: { ...bearer(token), ...headers } }),
    send: (method, path, token, body, headers) =>
      fetch(baseUrl + path, {
        method,
        headers: { 'content-type': 'application/json', ...bearer(token), ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await authenticator.settle();
      await feed.close();
      watch.close();
      await app[Symbol.asyncDispose]();
      await db.close();
    },
  };
}
