// Serves the data folder in the first argument, on the database in the second (`-` for the embedded one), and prints
// `serving URL TOKEN`, with a new ingest token, when it answers. Every account of the database is there already.
import { createIngestToken } from '../../../src/actions/manage-ingest.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { loadConfig } from '../../../src/base/config.ts';
import { silentLog } from '../../../src/base/log.ts';
import { startServer } from '../../../src/server.ts';

const [, , dataDir = '', databaseUrl = '-'] = process.argv;
const config = loadConfig({
  PORT: '0',
  ODOGRAPH_DATA_DIR: dataDir,
  ODOGRAPH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ODOGRAPH_GARAGE: 'off',
  ...(databaseUrl === '-' ? {} : { DATABASE_URL: databaseUrl }),
});
// Each look of the service at its clock finds it a little further on, so that a minute of waiting takes a second.
const startedAt = systemClock();
const clock = () => startedAt + (systemClock() - startedAt) * 60;
const service = await startServer(config, { log: silentLog, clock });
const account = await service.access.prisma.account.findFirstOrThrow();
const { token } = await createIngestToken(service.access, { accountId: account.id, name: 'test' });
process.stdout.write(`serving ${service.baseUrl} ${token}\n`);
