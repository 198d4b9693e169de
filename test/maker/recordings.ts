import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = resolve(
  process.env.ODOGRAPH_RECORDINGS ??
    resolve(new URL('../..', import.meta.url).pathname, '../shared/data'),
);

/** The recording of that name as JSON, or the reason why it cannot be read, which is printed. */
export function recording(
  name: string,
): { found: true; json: unknown } | { found: false; reason: string } {
  const file = resolve(folder, name);
  if (!existsSync(file)) {
    const reason = `skipped: no recording at ${file} (set ODOGRAPH_RECORDINGS)`;
    process.stderr.write(`${reason}\n`);
    return { found: false, reason };
  }
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return { found: true, json };
}
