// @ts-check
// Builds the tree: the database client and the server, and beside them the pages.
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string} script path below node_modules @param {string[]} args */
async function run(script, ...args) {
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      // Prisma starts its generators by name.
      PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      // It would ask its maker's server for a newer version.
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code === 0) return;
  process.stderr.write(output);
  throw new Error(`${script} ${args.join(' ')} ended with ${code}.`);
}

async function server() {
  await run('prisma/build/index.js', 'generate', '--config', '.config/prisma.ts');
  await Promise.all([
    run('vite/bin/vite.js', 'build', '--config', '.config/vite-server.ts', '--logLevel', 'error'),
    run('tsx/dist/cli.mjs', '.config/database-template.ts'),
  ]);
}

// What `npm run codegen` writes is committed, and `npm run check` holds it to the code.
await Promise.all([
  server(),
  run('vite/bin/vite.js', 'build', '--config', '.config/vite.ts', '--logLevel', 'error'),
]);
// `npx odograph` runs it as a program.
chmodSync(join(root, '.build/src/main.js'), 0o755);
