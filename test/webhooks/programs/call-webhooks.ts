// Calls the webhooks of the database at the address in the second argument, with the data folder in the first, until it is
// killed.
import { openWebhookDesk } from '../../../src/actions/webhook-desk.ts';
import { networksOf } from '../../../src/base/address-range.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { systemResolve } from '../../../src/base/name-lookup.ts';
import { vaultOf } from '../../../src/base/vault.ts';
import { openDatabase } from '../../../src/store/client.ts';

const [, , dataDir = '', databaseUrl = ''] = process.argv;
const { prisma, onEvents } = await openDatabase({ dataDir, databaseUrl, log: silentLog });
openWebhookDesk({
  ...{ prisma, onEvents, clock: systemClock, log: silentLog, keepDays: 30 },
  vault: vaultOf(Buffer.alloc(32, 7)),
  policy: { allowed: networksOf(['127.0.0.1']), resolve: systemResolve },
});
