import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config.ts';
import { settings } from './settings.ts';

/**
 * The 32 bytes that encrypt what is kept secret: the configured ones; in the garage, those kept in the data folder, made
 * there the first time with access for the owner only (contract §21). Throws ConfigError when there are none or the file is damaged.
 */
export function secretKeyOf(place: {
  configured: Buffer | null;
  dataDir: string;
  garage: boolean;
}): Buffer {
  if (place.configured !== null) return place.configured;
  if (!place.garage) {
    throw new ConfigError([
      `${settings.secretKey.variable} is required when the garage is off: ${settings.secretKey.sentence}`,
    ]);
  }
  const file = join(place.dataDir, 'secret-key');
  const text = readIfThere(file) ?? made(file);
  const read = settings.secretKey.reader.safeParse(text.trim());
  if (!read.success) {
    throw new ConfigError([
      `The secret key in ${file} is damaged: put the right one back or set ${settings.secretKey.variable}.`,
    ]);
  }
  return read.data;
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw cause;
  }
}

/** Written whole before it gets its name, so that a crash never leaves half a key. */
function made(file: string): string {
  const text = randomBytes(32).toString('base64');
  const draft = `${file}.${process.pid}`;
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  rmSync(draft, { force: true });
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(draft, file);
  return text;
}
