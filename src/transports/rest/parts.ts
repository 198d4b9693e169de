import type { Authenticator } from '../../auth/authenticate.ts';
import type { CallerWatch } from '../../auth/caller-watch.ts';
import type { Log } from '../../base/log.ts';
import type { Context } from '../../schema/context.ts';

/** What REST needs from the rest of the service. */
export type RestParts = {
  authenticator: Authenticator;
  /** A fresh context for one operation. */
  newContext: (call: Pick<Context, 'principal' | 'requestId' | 'log'>) => Context;
  log: Log;
  /** Address of the service for links; null takes it from each request. */
  baseUrl: string | null;
  watch: CallerWatch;
  /** How often a stream says that it is there [ms]; 15 s unless given. */
  heartbeatMs?: number;
};
