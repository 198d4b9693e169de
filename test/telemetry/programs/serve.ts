// The way in for telemetry and the reduction of its journals alone, on the data folder in the first argument and the
// database in the second (`-` for the embedded one). Prints `serving URL TOKEN`, with a new ingest token, when it answers.
import { operatorContext } from '../../../src/actions/access-context.ts';
import { createIngestToken } from '../../../src/actions/manage-ingest.ts';
import { createAuthenticator } from '../../../src/auth/authenticate.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { loadConfig } from '../../../src/base/config.ts';
import { silentLog } from '../../../src/base/log.ts';
import { createIntake } from '../../../src/ingest/intake.ts';
import { startPump } from '../../../src/ingest/pump.ts';
import { openDatabase } from '../../../src/store/client.ts';
import { lockDataDir } from '../../../src/store/lock.ts';
import { createHttpApp } from '../../../src/transports/http/app.ts';
import { openListener } from '../../../src/transports/http/listener.ts';
import { ingestPlugin } from '../../../src/transports/ingest/plugin.ts';

const [, , dataDir = '', address = '-'] = process.argv;
const databaseUrl = address === '-' ? null : address;
await lockDataDir(dataDir);
const { prisma } = await openDatabase({ dataDir, databaseUrl, log: silentLog });
// A minute of waiting takes a second.
const startedAt = systemClock();
const clock = () => startedAt + (systemClock() - startedAt) * 60;
const log = silentLog;
const authenticator = createAuthenticator({ prisma, clock, log, apiKeys: false });
const intake = createIntake({ prisma, clock });
startPump({ prisma, clock, log, keepDays: 3 });
const listener = await openListener({ host: '127.0.0.1', port: 0 });
const app = await createHttpApp({
  config: loadConfig({}),
  log,
  server: listener.server,
  serve: listener.serve,
  checks: {},
  gauges: [],
  explain: () => null,
});
await app.register(ingestPlugin({ authenticator, intake, clock }));
await app.ready();
const { id: accountId } = await prisma.account.findFirstOrThrow();
const access = operatorContext(prisma, clock, authenticator.forget);
const { token } = await createIngestToken(access, { accountId, name: 'test' });
process.stdout.write(`serving http://127.0.0.1:${listener.port} ${token}\n`);
