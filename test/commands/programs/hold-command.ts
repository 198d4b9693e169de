// Opens a desk on the database in the arguments, sends the commands named in the last one to the vehicle, and prints their
// ids as JSON once the first is being sent. Then it waits to be killed.

import { silentLog } from '../../../src/base/log.ts';
import { isCommandName } from '../../../src/contract/commands.ts';
import { openDatabase } from '../../../src/store/client.ts';
import { aDesk, send } from '../desks.ts';

const [, , dataDir = '', databaseUrl = '', tokenUrl = '', vehicleId = '', names = ''] =
  process.argv;
const { prisma } = await openDatabase({ dataDir, databaseUrl, log: silentLog });
const desk = aDesk({ prisma, tokenUrl, pace: { request: 60_000, lease: 3_000 } });
await desk.recover();
const vehicle = await prisma.vehicle.findUniqueOrThrow({ where: { id: vehicleId } });
const ids: string[] = [];
for (const name of names.split(',')) {
  if (!isCommandName(name)) throw new Error(`There is no ${name}.`);
  ids.push((await send(desk, vehicle, name, { waitSeconds: 0 })).id);
}
for (;;) {
  const first = await prisma.command.findUniqueOrThrow({ where: { id: ids[0] ?? '' } });
  if (first.state === 'SENDING') break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdout.write(`${JSON.stringify(ids)}\n`);
