// Feeds the events in the file of the last argument into the database of the others (`-` for the embedded one), from the one
// on whose number comes in on a line. Prints `ready` before, and `done NUMBER` when an event is committed.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { silentLog } from '../../../src/base/log.ts';
import { openDatabase } from '../../../src/store/client.ts';
import { type FedEvent, feed } from '../killed-day.ts';

const [, , dataDir = '', address = '-', streamedId = '', lookedAtId = '', file = ''] = process.argv;
const events: FedEvent[] = JSON.parse(readFileSync(file, 'utf8'));
process.stdout.write('ready\n');
const [line] = await once(process.stdin.setEncoding('utf8'), 'data');
const { prisma } = await openDatabase({
  dataDir,
  databaseUrl: address === '-' ? null : address,
  log: silentLog,
});
const first = Number(line);
for (const [index, event] of events.entries()) {
  if (index < first) continue;
  await feed(prisma, { streamedId, lookedAtId }, event);
  process.stdout.write(`done ${index}\n`);
}
