import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system of its own (tmpfs); disposing unmounts it. */
export type SmallDisk = Disposable & { folder: string; resize(mebibytes: number): void };

/** Mounts a small tmpfs, which takes root on Linux; throws elsewhere. */
export function mountSmallDisk(mebibytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'odo-'));
  try {
    mount('-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  chmodSync(folder, 0o755);
  return {
    folder,
    resize: (newMebibytes) => mount('-o', `remount,size=${newMebibytes}m`, folder),
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether this process may mount one. */
export function canMountSmallDisk(): boolean {
  try {
    mountSmallDisk(1)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: 'ignore' });
}
