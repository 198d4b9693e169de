import { tmpdir } from 'node:os';
import { ensureServerBuilt, runBuilt } from '../support/built.ts';

/** What a run of the command line left: its exit code and both outputs. */
export type Run = { code: number | null; stdout: string; stderr: string };

/** Runs the built command line in a process of its own on a data folder. */
export async function runOdograph(
  place: { dataDir: string; databaseUrl: string | null },
  ...args: string[]
): Promise<Run> {
  await ensureServerBuilt();
  const env = {
    ODOGRAPH_DATA_DIR: place.dataDir,
    ...(place.databaseUrl === null ? {} : { DATABASE_URL: place.databaseUrl }),
  };
  await using run = runBuilt({ cwd: tmpdir(), args, env });
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}
