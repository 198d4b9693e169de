import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/store/client.ts';
import { copyMigratedDatabase } from '../support/embedded-template.ts';
import { startProgram } from '../support/program.ts';

it('keeps every acknowledged row of a process that was killed (SIGKILL) during its writes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
  try {
    await copyMigratedDatabase(dataDir);
    const acknowledged: string[] = [];
    for (const rows of [50, 200]) {
      await using program = await startProgram('store/insert-accounts', dataDir);
      await program.line(() => program.lines().length >= rows);
      await program.kill();
      acknowledged.push(...program.lines());
    }
    await using database = await openDatabase({ dataDir, log: silentLog });
    const kept = await database.prisma.account.findMany({ where: { id: { in: acknowledged } } });
    expect(acknowledged.length).toBeGreaterThanOrEqual(250);
    expect(kept).toHaveLength(acknowledged.length);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
