import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** What a run of the command line left: its exit code and both outputs. */
export type Run = { code: number | null; stdout: string; stderr: string };

/** Runs the command line in a process of its own on a data folder. */
export async function runOdograph(
  place: { dataDir: string; databaseUrl: string | null },
  ...args: string[]
): Promise<Run> {
  const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    env: {
      PATH: process.env.PATH,
      ODOGRAPH_DATA_DIR: place.dataDir,
      ...(place.databaseUrl === null ? {} : { DATABASE_URL: place.databaseUrl }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
