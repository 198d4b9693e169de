import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replay } from '../../src/ingest/replay.ts';
import { startProgram } from '../support/program.ts';
import { streamedDay } from '../support/streamed-day.ts';
import { VIN } from '../support/telemetry.ts';

it('prints what the store holds after a replay, which is what the reducer made, and leaves nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'odo-'));
  try {
    const other = streamedDay.map((line) => line.replaceAll(VIN, 'TEST0000000000002'));
    const lines = [...streamedDay, '{', ...other];
    const file = join(folder, 'trace.jsonl');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const before = scratchFolders();
    await using program = startProgram('src/main.ts', 'replay', file, '--json');
    const line = await program.line((text) => text.startsWith('{'));
    const report: unknown = JSON.parse(line);
    expect(report).toEqual(replay(lines));
    await new Promise((resolve) => program.process.once('close', resolve));
    expect(program.process.exitCode).toBe(0);
    expect(scratchFolders().filter((name) => !before.includes(name))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('ends with 2 for a file that is not there', async () => {
  await using program = startProgram('src/main.ts', 'replay', '/nowhere/trace.jsonl', '--json');
  await new Promise((resolve) => program.process.once('close', resolve));
  expect(program.process.exitCode).toBe(2);
  expect(program.lines()).toEqual([]);
});

function scratchFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('odograph-replay-'));
}
