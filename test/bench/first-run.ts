import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * Measures the first run as a person meets it: from starting the built program on an empty data folder to the first
 * correct answer with history, and the same for a second start. Run `npm run build` first.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** What `npm start` runs. */
const [, ...command] = scripts.start.split(' ');
const rounds = Number(process.argv[2] ?? 3);

type Started = {
  child: ChildProcess;
  report: { restUrl: string; token: string; vehicles: string[]; history: object };
};

async function started(dataDir: string): Promise<Started> {
  const child = spawn(
    process.execPath,
    [...command, '--json', '--no-open', '--port', '0', '--data-dir', dataDir],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    if (line.startsWith('{')) return { child, report: JSON.parse(line) };
  }
  throw new Error('The service ended before it was ready.');
}

async function firstAnswerMs(
  dataDir: string,
): Promise<{ ms: number; drives: number; history: object }> {
  const from = performance.now();
  const { child, report } = await started(dataDir);
  try {
    const [vehicle] = report.vehicles;
    const url = `${report.restUrl}/vehicle/${vehicle}/drives?limit=1&include_total=1`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${report.token}` } });
    const body = await response.json();
    const ms = Math.round(performance.now() - from);
    const drives = body.pagination?.total ?? 0;
    if (response.status !== 200 || drives === 0) throw new Error(`No history: ${response.status}.`);
    return { ms, drives, history: report.history };
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}

const results: { round: number; start: string; ms: number; drives: number; history: string }[] = [];
for (let round = 1; round <= rounds; round += 1) {
  const dataDir = await mkdtemp(join(tmpdir(), 'odograph-bench-'));
  try {
    for (const start of ['first', 'second']) {
      const { ms, drives, history } = await firstAnswerMs(dataDir);
      results.push({ round, start, ms, drives, history: JSON.stringify(history) });
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
process.stdout.write(`${JSON.stringify({ node: process.version, results }, null, 2)}\n`);
