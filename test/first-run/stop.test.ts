import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockDataDir } from '../../src/store/lock.ts';
import { ensureServerBuilt, runBuilt } from '../support/built.ts';

let cwd = '';
beforeAll(async () => {
  await ensureServerBuilt();
  cwd = mkdtempSync(join(tmpdir(), 'odo-stop-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

describe('a stop', () => {
  it('while the garage is filled ends with 0, without a line and without the data folder held', async () => {
    await using service = runBuilt({ cwd, args: ['--json', '--port', '0'] });
    await service.saying('Database ready.');
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.stdout()).toBe('');
    (await lockDataDir(join(cwd, '.odograph'))).release();
  });
});
