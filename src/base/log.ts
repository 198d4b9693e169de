import { type Logger, pino } from 'pino';
import { z } from 'zod';
import type { Config } from './config.ts';
import { redacted } from './redact.ts';

/** Structured log: `log.info({ durationMs }, 'sentence')`. */
export type Log = Logger;

/** Where finished lines go. */
export type LineSink = { write: (line: string) => void };

const secretPaths = ['authorization', 'cookie', 'token', 'password', 'secret', 'vin', 'location'];

/** A log that writes JSON lines, or short lines for people, to `sink`; nothing secret passes (style 18). */
export function createLog(
  level: Config['logLevel'],
  sink: LineSink,
  form: 'json' | 'human' = 'json',
): Log {
  return pino(
    {
      level,
      base: null,
      redact: {
        paths: secretPaths.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      hooks: {
        streamWrite: (line) => (form === 'human' ? humanLine(redacted(line)) : redacted(line)),
      },
    },
    sink,
  );
}

/** Log of the process on standard error: short lines on a terminal, JSON otherwise. */
export function processLog(level: Config['logLevel']): Log {
  return createLog(level, process.stderr, process.stderr.isTTY ? 'human' : 'json');
}

/** A log that writes nothing, for parts that need one where nobody reads. */
export const silentLog: Log = pino({ level: 'silent' });

const record = z.looseObject({
  level: z.number(),
  time: z.number(),
  msg: z.string().default(''),
  err: z.looseObject({ message: z.string(), stack: z.string().optional() }).optional(),
});

function humanLine(line: string): string {
  const read = record.safeParse(JSON.parse(line));
  if (!read.success) return line;
  const { level, time, msg, err, ...fields } = read.data;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const label = (pino.levels.labels[level] ?? '').padEnd(5);
  const cause = err === undefined ? '' : `\n  ${err.stack ?? err.message}`;
  return `${[clock, label, msg, ...parts].join(' ')}${cause}\n`;
}
