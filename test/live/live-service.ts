import { operatorContext } from '../../src/actions/access-context.ts';
import type { EventFeed } from '../../src/actions/event-feed.ts';
import { createToken, revokeToken } from '../../src/actions/manage-access.ts';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import { createCallerWatch } from '../../src/auth/caller-watch.ts';
import type { LocationPrecision } from '../../src/auth/principal.ts';
import { systemClock } from '../../src/base/clock.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import type { Context } from '../../src/schema/context.ts';
import { graphqlPlugin } from '../../src/transports/graphql/plugin.ts';
import { graphqlSockets, type SocketParts } from '../../src/transports/graphql/sockets.ts';
import { restPlugin } from '../../src/transports/rest/plugin.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { startHttpApp } from '../support/http-app.ts';
import { closedDoor } from '../support/rows.ts';
import { aFeed } from './following.ts';

/** What is live, on a port of its own over a scratch database; callers are looked up again every 50 ms. */
export type LiveService = AsyncDisposable & {
  baseUrl: string;
  wsUrl: string;
  port: number;
  db: ScratchDatabase;
  feed: EventFeed;
  token: (
    accountId: string,
    scopes: readonly Scope[],
    limits?: { vehicleIds?: readonly string[]; locationPrecision?: LocationPrecision },
  ) => Promise<string>;
  /** Revokes every token of an account. */
  revoke: (accountId: string) => Promise<void>;
};

/** Starts it. */
export async function startLive(limits: SocketParts['limits'] = {}): Promise<LiveService> {
  const db = await scratchDatabase('embedded');
  const { prisma } = db;
  const clock = systemClock;
  const log = silentLog;
  const authenticator = createAuthenticator({ prisma, clock, log, apiKeys: false });
  const access = operatorContext(prisma, clock, authenticator.forget);
  const feed = aFeed(db);
  const watch = createCallerWatch(50);
  const newContext = (call: Pick<Context, 'principal' | 'requestId' | 'log'>): Context => ({
    ...call,
    prisma,
    clock,
    feed,
    maker: closedDoor(prisma),
    surface: 'api',
  });
  const app = await startHttpApp({
    routes: (http) => {
      const parts = { authenticator, newContext, log, watch, feed };
      http.register(graphqlPlugin(parts));
      http.register(graphqlSockets({ ...parts, limits }));
      http.register(restPlugin({ ...parts, baseUrl: null, heartbeatMs: 100 }));
    },
  });
  return {
    baseUrl: app.baseUrl,
    wsUrl: `ws://127.0.0.1:${app.port}/graphql`,
    port: app.port,
    db,
    feed,
    token: async (accountId, scopes, { vehicleIds, locationPrecision } = {}) => {
      const wish = {
        accountId,
        name: 'live',
        scopes,
        vehicleIds: vehicleIds?.map((id) => typeIdOf('Vehicle', id)) ?? null,
        locationPrecision,
      };
      return (await createToken(access, wish)).token;
    },
    revoke: async (accountId) => {
      const tokens = await prisma.token.findMany({ where: { accountId } });
      for (const { id } of tokens) {
        await revokeToken(access, { id: typeIdOf('Token', id), accountId });
      }
    },
    async [Symbol.asyncDispose]() {
      await feed.close();
      watch.close();
      await app[Symbol.asyncDispose]();
      await authenticator.settle();
      await db.close();
    },
  };
}
