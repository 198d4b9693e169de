import type { CommandPace } from '../../src/actions/command-parts.ts';
import { createToken } from '../../src/actions/manage-access.ts';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { loadConfig } from '../../src/base/config.ts';
import { createLog } from '../../src/base/log.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import { type RunningService, startServer } from '../../src/server.ts';
import { type Engine, scratchPlace } from './database.ts';

/** How a test boots the service. */
export type BootOptions = {
  /** The embedded database unless given. */
  engine?: Engine;
  /** Days of history of the simulated garage; no garage, and an empty database, when null or left out. */
  garageDays?: number | null;
  clock?: Clock;
  /** How fast commands are followed. */
  commandPace?: Partial<CommandPace>;
  environment?: Record<string, string>;
};

/** What a token of a test opens; every vehicle of the account unless it says which. */
export type TokenWish = {
  scopes: readonly Scope[];
  accountId?: string;
  vehicleIds?: readonly string[];
  locationPrecision?: 'EXACT' | 'APPROXIMATE' | 'HIDDEN';
  commandGroups?: readonly string[];
};

/** The whole service on a scratch database, on a port of its own. */
export type BootedService = AsyncDisposable & {
  baseUrl: string;
  service: RunningService;
  prisma: RunningService['access']['prisma'];
  /** Lines of the log from `info` up, as JSON. */
  logLines: string[];
  dataDir: string;
  /** A new token of the account, which is the garage's unless the wish names another. */
  token: (wish: TokenWish) => Promise<string>;
  /** A GET with a token, or without one. */
  get: (path: string, token?: string | null, headers?: Record<string, string>) => Promise<Response>;
  /** A GraphQL operation by POST. */
  graphql: (
    body: { query: string; variables?: object; operationName?: string },
    token?: string | null,
  ) => Promise<Response>;
};

/** Boots the service; dispose of it with `await using` or in `afterAll`. */
export async function boot(options: BootOptions = {}): Promise<BootedService> {
  const { engine = 'embedded', garageDays = null, clock = systemClock } = options;
  const place = await scratchPlace(engine);
  const config = loadConfig({
    PORT: '0',
    ODOGRAPH_DATA_DIR: place.dataDir,
    ODOGRAPH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    ODOGRAPH_GARAGE: garageDays === null ? 'off' : 'on',
    ...(place.databaseUrl === null ? {} : { DATABASE_URL: place.databaseUrl }),
    ...options.environment,
  });
  const logLines: string[] = [];
  const log = createLog('info', { write: (line) => logLines.push(line) });
  const historyDays = garageDays ?? 0;
  const { commandPace } = options;
  const service = await startServer(config, { log, clock, historyDays, commandPace }).catch(
    async (error: unknown) => {
      await place[Symbol.asyncDispose]();
      throw error;
    },
  );
  const { baseUrl, access } = service;
  const bearer = (token?: string | null): Record<string, string> =>
    token == null ? {} : { authorization: `Bearer ${token}` };
  return {
    baseUrl,
    service,
    prisma: access.prisma,
    logLines,
    dataDir: place.dataDir,
    token: async ({ accountId, vehicleIds = null, ...wish }) => {
      const owner = accountId ?? service.garage?.accountId;
      if (owner === undefined) throw new Error('There is no garage: name the account.');
      const request = { ...wish, accountId: owner, name: 'test', vehicleIds };
      return (await createToken(access, request)).token;
    },
    get: (path, token, headers) =>
      fetch(baseUrl + path, { headers: { ...bearer(token), ...headers } }),
    graphql: (body, token) =>
      fetch(`${baseUrl}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(token) },
        body: JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await service.close();
      await place[Symbol.asyncDispose]();
    },
  };
}
