import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { removeClusterOfRun, serverBinaries } from './cluster.ts';

declare module 'vitest' {
  // An interface, because it has to merge with the one of vitest.
  interface ProvidedContext {
    /** Folder that the processes of this test run share. */
    runFolder: string;
    /** Why there is no PostgreSQL server for the tests; null when there is. */
    serverMissing: string | null;
  }
}

const runPrefix = 'odo-run-';

/** Prepares what a test run shares, without starting anything: the first test that needs the server does. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers();
  const missing = serverBinaries() === null ? 'PostgreSQL is not installed' : null;
  if (missing !== null && process.env.CI === 'true') {
    throw new Error(`${missing}, and in CI the tests have to run on both databases.`);
  }
  if (missing !== null) process.stderr.write(`Tests on a server are skipped: ${missing}.\n`);
  const runFolder = mkdtempSync(join(tmpdir(), `${runPrefix}${process.pid}-`));
  project.provide('runFolder', runFolder);
  project.provide('serverMissing', missing);
  return async () => {
    await removeClusterOfRun(runFolder);
    rmSync(runFolder, { recursive: true, force: true });
  };
}

// A run that was killed could not stop its server.
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${runPrefix}(\\d+)-`).exec(name) ?? [];
    if (pid === undefined || runs(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    await removeClusterOfRun(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be asked, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
