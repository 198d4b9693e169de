import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/base/package-root.ts';

const program = join(packageRoot, '.build/src/main.js');

const BUILD_MS = 240_000;

/** A run of the built program; disposing kills it at once. */
export type BuiltRun = AsyncDisposable & {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** The first whole line on standard output; rejects with what it said when it ends before. */
  firstLine: () => Promise<string>;
  /** Waits until standard error holds `text`. */
  saying: (text: string) => Promise<void>;
  /** Exit code, null after a signal that was not caught. */
  ended: Promise<number | null>;
};

/** What is built of some folders by a configuration of Vite; `result` is the last file that it writes. */
type Product = { sources: readonly string[]; result: string; config: string };

const server: Product = {
  sources: ['src'],
  result: '.build/src/main.js',
  config: '.config/vite-server.ts',
};

const pages: Product = {
  sources: ['src/console'],
  result: '.build/console/graphiql/index.html',
  config: '.config/vite.ts',
};

const testPrograms: Product = {
  sources: ['src', 'test'],
  result: '.build/test/store-hold-lock.js',
  config: '.config/vite-test-programs.ts',
};

function newestMs(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(
    ...entries.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

function isFresh({ sources, result }: Product): boolean {
  const built = statSync(join(packageRoot, result), { throwIfNoEntry: false });
  const changedMs = Math.max(...sources.map((folder) => newestMs(join(packageRoot, folder))));
  return built !== undefined && changedMs <= built.mtimeMs;
}

const ensured = new Map<Product, Promise<void>>();

/** Builds what is older than its sources, once in a process. */
function ensure(product: Product): Promise<void> {
  const ensuring = ensured.get(product) ?? build(product);
  ensured.set(product, ensuring);
  return ensuring;
}

/** Processes that ask at once wait for the first. */
async function build(product: Product): Promise<void> {
  const turn = join(packageRoot, '.build', `.building-${basename(product.config, '.ts')}`);
  mkdirSync(join(packageRoot, '.build'), { recursive: true });
  const deadline = Date.now() + BUILD_MS;
  // What somebody is still writing may be there in part.
  while (existsSync(turn) || !isFresh(product)) {
    if (Date.now() > deadline) throw new Error(`The build takes too long; is ${turn} left over?`);
    try {
      mkdirSync(turn);
    } catch {
      await sleep(200);
      continue;
    }
    try {
      // Somebody may have had the turn since the look.
      if (isFresh(product)) continue;
      const command = ['node_modules/vite/bin/vite.js', 'build', '--config', product.config];
      // Not at one go: a worker that is silent for long is taken for dead.
      await promisify(execFile)(process.execPath, command, { cwd: packageRoot, timeout: BUILD_MS });
    } finally {
      rmdirSync(turn);
    }
  }
}

/** Builds the server when a source is newer than what was built. */
export function ensureServerBuilt(): Promise<void> {
  return ensure(server);
}

/** Builds the pages when a source is newer than what was built. */
export function ensurePagesBuilt(): Promise<void> {
  return ensure(pages);
}

/** Builds the programs that tests start when a source is newer than what was built. */
export function ensureTestProgramsBuilt(): Promise<void> {
  return ensure(testPrograms);
}

/** Starts the built program in `cwd` with nothing of this process's environment but PATH. */
export function runBuilt(place: {
  cwd: string;
  args?: string[];
  env?: Record<string, string>;
}): BuiltRun {
  const child = spawn(process.execPath, [program, ...(place.args ?? [])], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH, ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  let over = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      over = true;
      resolve(code);
    });
  });
  const until = async (reached: () => boolean): Promise<void> => {
    while (!reached()) {
      if (over) throw new Error(`The program ended before:\n${stdout}${stderr}`);
      await sleep(20);
    }
  };
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    firstLine: async () => {
      await until(() => stdout.includes('\n'));
      return stdout.slice(0, stdout.indexOf('\n'));
    },
    saying: (text) => until(() => stderr.includes(text)),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
