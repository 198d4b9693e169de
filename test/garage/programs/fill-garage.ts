// Fills the simulated garage of the data folder in the first argument at the moment (epoch ms) in the second, with the
// days of history in the third. Prints `filling` when the database is open and, at the end, what it holds as JSON.
import { createHash } from 'node:crypto';
import { silentLog } from '../../../src/base/log.ts';
import { vaultOf } from '../../../src/base/vault.ts';
import { openDemoGarage } from '../../../src/process/garage.ts';
import { openDatabase } from '../../../src/store/client.ts';
import { lockDataDir } from '../../../src/store/lock.ts';

const [, , dataDir = '', at = '', days = ''] = process.argv;
const lock = await lockDataDir(dataDir);
const { prisma, close } = await openDatabase({ dataDir, log: silentLog });
process.stdout.write('filling\n');
const garage = await openDemoGarage({
  prisma,
  vault: vaultOf(Buffer.alloc(32, 1)),
  dataDir,
  historyDays: Number(days),
  clock: () => Number(at),
  log: silentLog,
  signal: new AbortController().signal,
});
await garage.simulator.close();

const by = { orderBy: { id: 'asc' }, omit: { createdAt: true, updatedAt: true } } as const;
const rows = [
  await prisma.drive.findMany(by),
  await prisma.charge.findMany(by),
  await prisma.stateSpan.findMany({ orderBy: { id: 'asc' } }),
  await prisma.vehicleMachine.findMany({ orderBy: { vehicleId: 'asc' } }),
];
const digest = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
process.stdout.write(`${JSON.stringify({ ...garage.history, digest })}\n`);
await close();
lock.release();
