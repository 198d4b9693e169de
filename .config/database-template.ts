// Sets up an embedded database without a row, for first starts to copy; a step of the build.
import { silentLog } from '../src/base/log.ts';
import { openDatabase } from '../src/store/client.ts';
import { keepDatabaseTemplate } from '../src/store/embedded-template.ts';

await keepDatabaseTemplate(async (dataDir) => {
  const database = await openDatabase({ dataDir, log: silentLog });
  await database.close();
});
