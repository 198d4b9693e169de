import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import type { Disposables } from '../base/disposables.ts';
import type { Log } from '../base/log.ts';
import { type Recorder, recorderTo, type TraceSink } from '../ingest/record-answers.ts';
import { redactionWith } from '../maker/redact-answer.ts';

/** A file that lines of a trace are appended to; only its owner may read it. */
type TraceFile = { sink: TraceSink; close: () => Promise<void> };

/** Lines that wait for a slow disk; beyond that lines are left out. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/** What cannot be written is told once and ends the recording, and nothing else. */
function openTraceFile(file: string, log: Log): TraceFile {
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  const ended = finished(stream).catch((cause: unknown) =>
    log.error({ err: cause }, 'What the maker answers is recorded no longer.'),
  );
  return {
    sink: (line) => {
      if (stream.writable && stream.writableLength < MOST_WAITING_BYTES) stream.write(`${line}\n`);
    },
    close: async () => {
      stream.end();
      await ended;
    },
  };
}

/** Records what the maker answers into the configured file until `started` is closed; undefined where none is set. */
export function openRecorder(
  { recordFile, dataDir }: Config,
  { clock, log }: { clock: Clock; log: Log },
  started: Disposables,
): Recorder | undefined {
  if (recordFile === null) return undefined;
  const redaction = redactionWith(traceKey(dataDir));
  const file = openTraceFile(recordFile, log);
  started.add('recording', () => file.close());
  log.info({ file: recordFile }, 'What the maker answers is recorded.');
  return recorderTo(file.sink, { redaction, clock });
}

/** What stand-ins are made with: the same for all recordings of a data folder, so that they can be put together. */
function traceKey(dataDir: string): Buffer {
  const file = join(dataDir, 'trace-key');
  if (existsSync(file)) return readFileSync(file);
  const key = randomBytes(32);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, key, { mode: 0o600, flush: true });
  return key;
}
