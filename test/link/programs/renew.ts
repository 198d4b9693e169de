// Renews the tokens of the maker account in its arguments as soon as a line arrives, standing still for ever at the moment
// that the last argument names, if it names one. Prints what it does.
import { once } from 'node:events';
import { silentLog } from '../../../src/base/log.ts';
import { openDatabase } from '../../../src/store/client.ts';
import { aSession } from '../linked.ts';

const [, , dataDir = '', databaseUrl = '', tokenUrl = '', id = '', halt = ''] = process.argv;
const database = await openDatabase({
  dataDir,
  databaseUrl: databaseUrl === '' ? null : databaseUrl,
  log: silentLog,
});
const session = aSession(database.prisma, { tokenUrl }, id, {
  // What a dead process leaves is waited for; one that lives has the time that it usually has.
  ...(halt === '' ? { times: undefined } : {}),
  reached: async (point) => {
    process.stdout.write(`${point}\n`);
    if (point === halt) await new Promise<never>(() => setInterval(() => {}, 1_000));
  },
});
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const token = await session.accessToken();
process.stdout.write(token === null ? 'no token\n' : 'token\n');
await database.close();
process.exit(0);
