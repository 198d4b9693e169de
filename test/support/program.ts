import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { packageRoot } from '../../src/base/package-root.ts';
import { ensureTestProgramsBuilt } from './built.ts';

/** A TypeScript program of the tests in a process of its own; disposing kills it at once (SIGKILL). */
export type Program = AsyncDisposable & {
  process: ChildProcessByStdio<Writable, Readable, null>;
  /** Settles with the first printed line that `wanted` accepts; rejects when the program ends before. */
  line(wanted: (line: string) => boolean): Promise<string>;
  /** Every whole line printed so far. */
  lines(): string[];
  kill(): Promise<void>;
};

/**
 * Starts `test/AREA/programs/NAME.ts`, as `AREA/NAME`. It is built before, with all it imports: read as TypeScript, a start
 * takes three seconds of the processor.
 */
export async function startProgram(program: string, ...args: string[]): Promise<Program> {
  await ensureTestProgramsBuilt();
  const path = join('.build', 'test', `${program.replace('/', '-')}.js`);
  const child = spawn(process.execPath, [path, ...args], {
    cwd: packageRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  const watchers = new Set<() => void>();
  const tellAll = () => {
    for (const tell of watchers) tell();
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    tellAll();
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void ended.then(tellAll);

  const lines = () => text.split('\n').slice(0, -1);
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return {
    process: child,
    lines,
    kill,
    [Symbol.asyncDispose]: kill,
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines().find(wanted);
          const over = child.exitCode !== null || child.signalCode !== null;
          if (found === undefined && !over) return;
          watchers.delete(look);
          if (found !== undefined) resolve(found);
          else reject(new Error(`${program} ended without the line that was waited for.`));
        };
        watchers.add(look);
        look();
      }),
  };
}
