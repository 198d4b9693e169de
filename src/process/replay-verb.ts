import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import { ServiceError } from '../base/errors.ts';
import { processLog } from '../base/log.ts';
import { replayInStore } from '../ingest/replay-in-store.ts';
import type { ReplayReport } from '../ingest/replay-report.ts';
import {
  type CollectedTrace,
  type TraceCollector,
  traceCollector,
} from '../ingest/replay-trace.ts';
import { openDatabase } from '../store/client.ts';
import { layDatabaseTemplate } from '../store/embedded-template.ts';
import { exitCodeOf, failureText } from './operator-words.ts';

type ReplayFlags = { format?: 'telemetry' | 'poll'; json?: true };

/** Adds `replay`, which holds a recording against the service: it works on a scratch database and leaves nothing behind. */
export function registerReplay(program: Command): void {
  program
    .command('replay')
    .description('replay recorded traces in a scratch database and print what came of them')
    .argument('<file...>', 'traces, one record or answer of the maker a line (NDJSON)')
    .addOption(
      new Option('--format <format>', 'what the lines are (default: by their look)').choices([
        'telemetry',
        'poll',
      ]),
    )
    .option('--json', 'print one line of JSON on standard output')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(async (files: string[], flags: ReplayFlags) => {
      try {
        const report = await replayFiles(files, flags.format ?? 'auto');
        process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : summaryOf(report));
      } catch (cause) {
        process.stderr.write(failureText(cause));
        process.exitCode = exitCodeOf(cause);
      }
    });
}

/** Replays the traces in `files` as one; throws ServiceError for a file that cannot be read. */
export async function replayFiles(
  files: readonly string[],
  format: 'telemetry' | 'poll' | 'auto',
): Promise<ReplayReport> {
  const collector = traceCollector(format);
  for (const file of files) await addFile(collector, file, files.length > 1);
  return replayInScratch(collector.finish());
}

async function addFile(collector: TraceCollector, file: string, named: boolean): Promise<void> {
  let line = 0;
  try {
    const input = createReadStream(file, 'utf8');
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      collector.add(text, line, named ? file : undefined);
    }
  } catch (cause) {
    throw new ServiceError('invalid_request', `The file ${file} cannot be read.`, { cause });
  }
}

async function replayInScratch(trace: CollectedTrace): Promise<ReplayReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'odograph-replay-'));
  try {
    layDatabaseTemplate(dataDir);
    const database = await openDatabase({ dataDir, log: processLog('error') });
    try {
      return await replayInStore(database.prisma, trace);
    } finally {
      await database.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function summaryOf({ vehicles, rejected }: ReplayReport): string {
  const lines = vehicles.map(({ vin, ...parts }) => {
    const counts = Object.entries(parts).map(
      ([part, rows]) => `${Array.isArray(rows) ? rows.length : 0} ${part}`,
    );
    return `${vin}: ${counts.join(', ')}`;
  });
  if (rejected !== undefined) lines.push(`${rejected.length} lines name no vehicle.`);
  lines.push('Add --json to see them.');
  return `${lines.join('\n')}\n`;
}
