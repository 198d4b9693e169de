// Feeds the events of a day into the database of its arguments (`-` for the embedded one), from the one on whose number
// comes in on a line, with the ids of the vehicles. Prints `ready` before, and `done NUMBER` when an event is committed.
import { once } from 'node:events';
import { silentLog } from '../../../src/base/log.ts';
import { openDatabase } from '../../../src/store/client.ts';
import { EVENTS, feed } from '../killed-day.ts';

const [, , dataDir = '', address = '-', streamedId = '', lookedAtId = ''] = process.argv;
process.stdout.write('ready\n');
const [line] = await once(process.stdin.setEncoding('utf8'), 'data');
const { prisma } = await openDatabase({
  dataDir,
  databaseUrl: address === '-' ? null : address,
  log: silentLog,
});
for (let index = Number(line); index < EVENTS; index += 1) {
  await feed(prisma, { streamedId, lookedAtId }, index);
  process.stdout.write(`done ${index}\n`);
}
