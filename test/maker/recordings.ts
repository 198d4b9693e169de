import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = resolve(
  process.env.ODOGRAPH_RECORDINGS ??
    resolve(new URL('../..', import.meta.url).pathname, '../shared/data'),
);

type Missing = { found: false; reason: string };

/** The recording of that name as JSON, or the reason why it cannot be read, which is printed. */
export function recording(name: string): { found: true; json: unknown } | Missing {
  const read = recordedText(name);
  if (!read.found) return read;
  const json: unknown = JSON.parse(read.text);
  return { found: true, json };
}

/** The recording of that name as text, or the reason why it cannot be read, which is printed. */
export function recordedText(name: string): { found: true; file: string; text: string } | Missing {
  const file = resolve(folder, name);
  if (!existsSync(file)) {
    const reason = `skipped: no recording at ${file} (set ODOGRAPH_RECORDINGS)`;
    process.stderr.write(`${reason}\n`);
    return { found: false, reason };
  }
  return { found: true, file, text: readFileSync(file, 'utf8') };
}
