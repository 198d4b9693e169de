import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replay } from '../../src/ingest/replay.ts';
import { ensureServerBuilt, runBuilt } from '../support/built.ts';
import { streamedDay } from '../support/streamed-day.ts';
import { VIN } from '../support/telemetry.ts';

it('prints what the store holds after a replay, which is what the reducer made, and leaves nothing', async () => {
  await ensureServerBuilt();
  const folder = mkdtempSync(join(tmpdir(), 'odo-'));
  // A folder for this run alone: the verb's scratch database is made in it, and nobody else's.
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  try {
    const other = streamedDay.map((line) => line.replaceAll(VIN, 'TEST0000000000002'));
    const lines = [...streamedDay, '{', ...other];
    const file = join(folder, 'trace.jsonl');
    writeFileSync(file, `${lines.join('\n')}\n`);
    await using run = runBuilt({
      cwd: folder,
      args: ['replay', file, '--json'],
      env: { TMPDIR: scratch },
    });
    expect(await run.ended, run.stderr()).toBe(0);
    const report: unknown = JSON.parse(run.stdout());
    expect(report).toEqual(replay(lines));
    expect(readdirSync(scratch)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('ends with 2 for a file that is not there', async () => {
  await ensureServerBuilt();
  const args = ['replay', '/nowhere/trace.jsonl', '--json'];
  await using run = runBuilt({ cwd: tmpdir(), args, env: {} });
  expect(await run.ended).toBe(2);
  expect(run.stdout()).toBe('');
  expect(run.stderr()).toContain('/nowhere/trace.jsonl');
});
