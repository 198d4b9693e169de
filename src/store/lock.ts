import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../base/errors.ts';
import { holderRuns, type LockHolder, readHolder, thisProcess } from './lock-holder.ts';

/** The lock of a data folder, held until `release` or the end of the process. */
export type DataDirLock = Disposable & { release(): void };

/** How often a holder shows that it lives, and how long a stranger watches for it [ms]. */
export type LockPatience = { beatMs: number; watchMs: number };

const usualPatience: LockPatience = { beatMs: 2_000, watchMs: 10_000 };
const lockName = /^lock\.(\d+)$/;
const attemptsMax = 100;

/**
 * Takes the lock of a data folder, making the folder when missing, or throws naming the process that holds it.
 *
 * The files `lock.<n>` are numbered upwards, and only the highest counts. It is never taken away: who finds it released
 * or its holder dead makes the next number, which the file system grants to one process alone. A holder on another
 * machine or in another container cannot be asked, so its sign of life, the file's time, is watched for a while.
 */
export async function lockDataDir(
  dataDir: string,
  patience: LockPatience = usualPatience,
): Promise<DataDirLock> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const highest = lockNumbers(dataDir).at(-1) ?? 0;
    const holder = highest === 0 ? null : holderOf(lockFile(dataDir, highest));
    if (holder !== null && (await lives(holder, lockFile(dataDir, highest), patience))) {
      throw taken(dataDir, holder);
    }
    const mine = claim(dataDir, highest + 1);
    if (mine !== null) return hold(mine, patience.beatMs);
  }
  throw new ServiceError(
    'service_unavailable',
    `The lock of ${dataDir} could not be taken: too many start on it at once.`,
  );
}

/** The file of the number, now ours, or null when somebody else was faster. */
function claim(dataDir: string, number: number): string | null {
  const file = lockFile(dataDir, number);
  // Written aside and linked into place, so that nobody ever reads half of it.
  const draft = join(dataDir, `.lock-${process.pid}-${randomBytes(4).toString('hex')}`);
  writeFileSync(draft, JSON.stringify(thisProcess()), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const numbers = lockNumbers(dataDir);
  if (numbers.some((other) => other > number)) {
    rmSync(file, { force: true });
    return null;
  }
  for (const older of numbers) {
    if (older < number) rmSync(lockFile(dataDir, older), { force: true });
  }
  return file;
}

function hold(file: string, beatMs: number): DataDirLock {
  const beat = setInterval(() => {
    const now = new Date();
    // A folder that was removed under the process has nothing left to protect.
    ignoreMissing(() => utimesSync(file, now, now));
  }, beatMs);
  beat.unref();
  const release = () => {
    clearInterval(beat);
    ignoreMissing(() => truncateSync(file));
  };
  return { release, [Symbol.dispose]: release };
}

async function lives(holder: LockHolder, file: string, patience: LockPatience): Promise<boolean> {
  const known = holderRuns(holder);
  if (known !== null) return known;
  const deadline = performance.now() + patience.watchMs;
  const before = beatOf(file);
  while (performance.now() < deadline) {
    await sleep(patience.beatMs / 4);
    if (beatOf(file) !== before) return true;
  }
  return false;
}

function taken(dataDir: string, holder: LockHolder): ServiceError {
  const where = holderRuns(holder) === null ? ' on another machine or in a container' : '';
  return new ServiceError(
    'service_unavailable',
    `Odograph already runs on ${dataDir} (process ${holder.pid}${where}). Stop it, or choose another folder with ODOGRAPH_DATA_DIR.`,
  );
}

function lockNumbers(dataDir: string): number[] {
  return readdirSync(dataDir)
    .flatMap((name) => lockName.exec(name)?.slice(1).map(Number) ?? [])
    .sort((a, b) => a - b);
}

function lockFile(dataDir: string, number: number): string {
  return join(dataDir, `lock.${number}`);
}

// Gone means that a higher number has been made meanwhile; the claim that follows finds out.
function holderOf(file: string): LockHolder | null {
  return ignoreMissing(() => readHolder(readFileSync(file, 'utf8')));
}

function beatOf(file: string): number | null {
  return ignoreMissing(() => statSync(file).mtimeMs);
}

function ignoreMissing<T>(run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
