import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

function folderOfPackage(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new Error('The package of the service is incomplete: no package.json above it.');
    folder = parent;
  }
  return folder;
}

/** Folder that holds package.json, the same whether the sources or the built files run. */
export const packageRoot: string = folderOfPackage();

/** Version in package.json. */
export const packageVersion: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))).version;
