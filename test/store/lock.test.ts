import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { lockDataDir } from '../../src/store/lock.ts';
import { thisProcess } from '../../src/store/lock-holder.ts';
import { type Program, startProgram } from '../support/program.ts';

const holdLock = 'store/hold-lock';

describe('the lock of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'odo-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('refuses a second holder, naming the process and the folder', async () => {
    using _held = await lockDataDir(folder);
    const refusal = lockDataDir(folder);
    await expect(refusal).rejects.toThrow(ServiceError);
    await expect(refusal).rejects.toThrow(
      `Odograph already runs on ${folder} (process ${process.pid}). Stop it, or choose another folder with ODOGRAPH_DATA_DIR.`,
    );
  });

  it('can be taken again after its release', async () => {
    (await lockDataDir(folder)).release();
    using lock = await lockDataDir(folder);
    expect(lock).toBeDefined();
  });

  it('keeps one file, however often it was taken', async () => {
    for (let round = 0; round < 3; round += 1) (await lockDataDir(folder)).release();
    expect(readdirSync(folder)).toEqual(['lock.3']);
  });

  it('makes the folder for its owner alone', async () => {
    const missing = join(folder, 'a', 'b');
    using _held = await lockDataDir(missing);
    expect(statSync(missing).mode & 0o777).toBe(0o700);
  });

  it('is free again when its holder was killed', async () => {
    await using holder = await startProgram(holdLock, folder);
    await start(holder);
    await holder.line((line) => line === 'won');
    await expect(lockDataDir(folder)).rejects.toThrow(`(process ${holder.process.pid})`);
    await holder.kill();
    using lock = await lockDataDir(folder);
    expect(lock).toBeDefined();
  });

  it('is taken over when the number of its holder belongs to a later process', async () => {
    const earlier = { ...thisProcess(), started: '1' };
    writeFileSync(join(folder, 'lock.1'), JSON.stringify(earlier));
    using lock = await lockDataDir(folder);
    expect(lock).toBeDefined();
  });

  it('is taken over when its file was cut short by a power failure', async () => {
    writeFileSync(join(folder, 'lock.4'), '{"pid":');
    using lock = await lockDataDir(folder);
    expect(lock).toBeDefined();
  });

  it('goes to exactly one of many that start at once on a lock left behind', async () => {
    writeFileSync(join(folder, 'lock.1'), JSON.stringify({ ...thisProcess(), started: '1' }));
    const starters = await Promise.all(
      Array.from({ length: 6 }, () => startProgram(holdLock, folder)),
    );
    try {
      await Promise.all(starters.map((starter) => starter.line((line) => line === 'ready')));
      for (const starter of starters) starter.process.stdin.write('go\n');
      const outcomes = await Promise.all(
        starters.map((starter) => starter.line((line) => /^(won|lost)/.test(line))),
      );
      const winner = starters[outcomes.indexOf('won')]?.process.pid;
      expect(outcomes.filter((line) => line === 'won')).toHaveLength(1);
      expect(outcomes.filter((line) => line.includes(`(process ${winner})`))).toHaveLength(5);
    } finally {
      await Promise.all(starters.map((starter) => starter.kill()));
    }
  });
});

describe('a lock of another machine or container', () => {
  let folder: string;
  const patience = { beatMs: 40, watchMs: 1_000 };
  const stranger = JSON.stringify({ ...thisProcess(), machine: 'elsewhere' });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'odo-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('holds while its holder shows that it lives', async () => {
    using held = await lockDataDir(folder, patience);
    expect(held).toBeDefined();
    // The holder of this process goes on beating on the file that now names a stranger.
    writeFileSync(join(folder, 'lock.1'), stranger);
    await expect(lockDataDir(folder, patience)).rejects.toThrow(
      'on another machine or in a container',
    );
  });

  it('is taken over when its holder gives no sign of life', async () => {
    writeFileSync(join(folder, 'lock.1'), stranger);
    using lock = await lockDataDir(folder, patience);
    expect(lock).toBeDefined();
  });
});

async function start(program: Program): Promise<void> {
  await program.line((line) => line === 'ready');
  program.process.stdin.write('go\n');
}
