import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { ensureServerBuilt } from '../support/built.ts';

it('a result that nobody reads any more, as behind head, is no failure', async () => {
  await ensureServerBuilt();
  const folder = mkdtempSync(join(tmpdir(), 'odo-pipe-'));
  const trace = join(folder, 'trace.jsonl');
  writeFileSync(trace, '');
  const main = join(packageRoot, '.build', 'src', 'main.js');
  const child = spawn(process.execPath, [main, 'replay', trace, '--format', 'poll', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  rmSync(folder, { recursive: true });
  expect([code, said]).toEqual([0, '']);
});
