import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { build } from 'vite';
import { packageRoot } from '../../src/base/package-root.ts';

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
 * Joins a program and what it imports of ours into one file of JavaScript, which starts in a third of the time; for programs
 * that are started over and over. Not for the embedded database, whose thread is a file of its own. Gives its path.
 */
export async function joinedProgram(path: string): Promise<string> {
  const outDir = join(packageRoot, '.build', 'test', basename(path, '.ts'));
  const options = { ssr: path, outDir, emptyOutDir: true, minify: false, target: 'node20' };
  await build({ root: packageRoot, configFile: false, logLevel: 'error', build: options });
  return join(outDir, `${basename(path, '.ts')}.js`);
}

/** Starts a program from a path under the package's folder. */
export function startProgram(path: string, ...args: string[]): Program {
  const loader = path.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...loader, path, ...args], {
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
          else reject(new Error(`${path} ended without the line that was waited for.`));
        };
        watchers.add(look);
        look();
      }),
  };
}
