import pg from 'pg';
import { ServiceError } from '../base/errors.ts';
import { connectionOptions } from './connections.ts';

/** Oldest PostgreSQL the service is tested with. */
const oldestVersion = 15;

type Version = { number: number; text: string };

/** Throws with a sentence for the operator when the server cannot be used: out of reach, no entry, or too old. */
export async function checkServer(url: string): Promise<void> {
  const problem = versionProblem(await versionOf(url));
  if (problem !== null) throw new ServiceError('service_unavailable', problem);
}

/** Why a server of this `server_version_num` will not do, or null when it will. */
export function versionProblem({ number, text }: Version): string | null {
  if (number >= oldestVersion * 10_000) return null;
  return `The database server runs PostgreSQL ${text}; Odograph needs ${oldestVersion} or later.`;
}

async function versionOf(url: string): Promise<Version> {
  const pool = new pg.Pool({ ...connectionOptions({ url }), max: 1 });
  // The query that waits is told as well; an idle connection has nobody to tell.
  pool.on('error', () => {});
  try {
    const { rows } = await pool.query<Version>(
      `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS text`,
    );
    return rows[0] ?? { number: 0, text: 'of an unknown version' };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new ServiceError(
      'service_unavailable',
      `The database at DATABASE_URL cannot be used: ${reason}`,
      { cause },
    );
  } finally {
    await pool.end();
  }
}
