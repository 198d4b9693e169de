import { operatorContext } from '../../src/actions/access-context.ts';
import { type Authenticator, createAuthenticator } from '../../src/auth/authenticate.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { vaultOf } from '../../src/base/vault.ts';
import { ensureDemoAccount } from '../../src/store/accounts.ts';
import { lockDataDir } from '../../src/store/lock.ts';
import {
  type ControlServer,
  startControlServer,
} from '../../src/transports/control/control-server.ts';
import type { Status } from '../../src/transports/control/verbs.ts';
import { type Engine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';

/** The parts of a service that the control socket needs, running in the process of the test. */
export type RunningService = AsyncDisposable & {
  db: ScratchDatabase;
  accountId: string;
  authenticator: Authenticator;
  control: ControlServer;
};

export const status: Status = {
  running: true,
  version: '0.1.0',
  pid: process.pid,
  startedAt: '2026-12-01T12:00:00.000Z',
  urls: { graphqlUrl: 'http://127.0.0.1:8080/graphql', mcpUrl: null },
};

/** Starts a service on a scratch database with the demo account and, as a real one, the lock of its folder. */
export async function startService(
  engine: Engine,
  options: { idleMs?: number } = {},
): Promise<RunningService> {
  const db = await scratchDatabase(engine);
  const lock = await lockDataDir(db.dataDir);
  const { id: accountId } = await ensureDemoAccount(db.prisma, systemClock());
  const authenticator = createAuthenticator({
    prisma: db.prisma,
    clock: systemClock,
    log: silentLog,
    apiKeys: true,
  });
  const access = operatorContext(db.prisma, systemClock, authenticator.forget);
  const control = await startControlServer({
    dataDir: db.dataDir,
    context: {
      access,
      status: () => status,
      vault: () => vaultOf(Buffer.alloc(32, 7)),
      connectors: new Map(),
      doctor: async () => [],
    },
    log: silentLog,
    ...options,
  });
  return {
    db,
    accountId,
    authenticator,
    control,
    async [Symbol.asyncDispose]() {
      await control.close();
      await authenticator.settle();
      lock.release();
      await db.close();
    },
  };
}
