import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { operationTypes } from './.config/operation-types.ts';
import { withTables } from './.config/readme.ts';
import { packageRoot } from './src/base/package-root.ts';
import { schemaText } from './src/schema/index.ts';
import { endpoints } from './src/transports/rest/endpoint.ts';
import { openApiText } from './src/transports/rest/openapi/document.ts';

/** A file that is written from the code: its path in the repository and what must be in it, given what is. */
type Generated = { path: string; text: (present: string) => string | Promise<string> };

const generated: readonly Generated[] = [
  { path: 'schema/schema.graphql', text: schemaText },
  { path: 'schema/openapi.json', text: () => openApiText(endpoints()) },
  { path: 'src/transports/rest/generated/operations.ts', text: operationTypes },
  { path: 'README.md', text: withTables },
];

const { values } = parseArgs({
  options: {
    /** Writes nothing; exits with 1 when a file is stale. */
    check: { type: 'boolean', default: false },
    root: { type: 'string', default: packageRoot },
  },
});

const stale: string[] = [];
for (const { path, text } of generated) {
  const file = join(values.root, path);
  const present = await readFile(file, 'utf8').catch(() => '');
  const wanted = await text(present);
  if (present === wanted) continue;
  stale.push(path);
  if (values.check) continue;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, wanted);
}

if (stale.length === 0) {
  process.stdout.write('Generated files are up to date.\n');
} else if (values.check) {
  process.stderr.write(`Stale: ${stale.join(', ')}. Run npm run codegen and commit the result.\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`Written: ${stale.join(', ')}.\n`);
}
