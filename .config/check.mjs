// @ts-check
// Runs every check, two at a time, and says what each found; ends with 1 when one failed.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {{ name: string, script: string, args: string[] }[]} */
const checks = [
  { name: 'types', script: 'typescript/bin/tsc', args: ['--noEmit', '-p', '.'] },
  {
    name: 'types of the console',
    script: 'typescript/bin/tsc',
    args: ['--noEmit', '-p', '.config/tsconfig.console.json'],
  },
  { name: 'lint and format', script: '@biomejs/biome/bin/biome', args: ['check', '.'] },
  {
    name: 'layers',
    script: 'dependency-cruiser/bin/dependency-cruise.mjs',
    args: ['--config', '.config/dependency-cruiser.cjs', 'src'],
  },
  { name: 'unused code', script: 'knip/bin/knip.js', args: ['--config', '.config/knip.json'] },
  { name: 'generated files', script: 'tsx/dist/cli.mjs', args: ['codegen.ts', '--check'] },
  {
    name: 'OpenAPI',
    script: '@redocly/cli/bin/cli.js',
    args: ['lint', '--config', '.config/redocly.yaml', 'schema/openapi.json'],
  },
];

/** @param {{ name: string, script: string, args: string[] }} check */
async function passes({ name, script, args }) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // No tool of ours tells anybody that it ran.
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name} (${seconds} s)\n`);
  if (code !== 0) process.stdout.write(`${output.trimEnd()}\n`);
  return code === 0;
}

const waiting = [...checks];
let failed = 0;
async function work() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    if (!(await passes(check))) failed += 1;
  }
}
await Promise.all([work(), work()]);
process.exitCode = failed === 0 ? 0 : 1;
