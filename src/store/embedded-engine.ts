import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

let compiling: Promise<WebAssembly.Module> | null = null;

/**
 * The program of the embedded database, read and compiled once for all threads of this process. What one of them ran is
 * machine code for the next, so each start after the first costs half. Throws when its file cannot be read.
 */
export function compiledEngine(): Promise<WebAssembly.Module> {
  compiling ??= compile().catch((error: unknown) => {
    compiling = null;
    throw error;
  });
  return compiling;
}

async function compile(): Promise<WebAssembly.Module> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return WebAssembly.compile(await readFile(join(dirname(entry), 'pglite.wasm')));
}
