// Inserts accounts into the embedded database of the folder in its argument and prints the id of each that was
// acknowledged, until killed.
import { newUuid } from '../../../src/base/ids.ts';
import { silentLog } from '../../../src/base/log.ts';
import { openDatabase } from '../../../src/store/client.ts';

const [, , dataDir = ''] = process.argv;
const { prisma } = await openDatabase({ dataDir, log: silentLog });
for (;;) {
  const { id } = await prisma.account.create({ data: { id: newUuid(), name: 'Ada' } });
  process.stdout.write(`${id}\n`);
}
