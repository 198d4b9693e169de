import type { Socket } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { type ErrorCode, errorTable } from '../../base/errors.ts';

/** Spoken by both ends; a change that an older end would misread gets a new number. */
export const CONTROL_VERSION = 1;

/** Longest request line [bytes]. */
export const MAX_REQUEST_BYTES = 64 * 1024;

/** Longest answer line [bytes]. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** One line from the client. */
export const requestLine = z.strictObject({
  version: z.literal(CONTROL_VERSION),
  verb: z.string(),
  args: z.unknown().default({}),
});

const errorCode = z
  .custom<ErrorCode>((word) => typeof word === 'string' && Object.hasOwn(errorTable, word))
  .catch('internal_error');

/** One line from the server. */
export const answerLine = z.discriminatedUnion('ok', [
  z.object({ version: z.literal(CONTROL_VERSION), ok: z.literal(true), result: z.unknown() }),
  z.object({
    version: z.literal(CONTROL_VERSION),
    ok: z.literal(false),
    error: z.object({
      code: errorCode,
      message: z.string(),
      fields: z.record(z.string(), z.array(z.string())).nullable(),
    }),
  }),
]);

/** Where the socket of a data folder is. Throws when the system cannot take so long a path. */
export function controlSocketPath(dataDir: string): string {
  const path = join(dataDir, 'control.sock');
  // `sun_path` holds 108 bytes on Linux and 104 elsewhere, with the NUL at its end.
  const limit = process.platform === 'linux' ? 107 : 103;
  if (Buffer.byteLength(path) <= limit) return path;
  throw new Error(
    `The path of the data folder is too long for a socket (${path}); choose one of at most ${limit - 'control.sock'.length - 1} bytes.`,
  );
}

/** The other end sent a line longer than it may. */
export class LineTooLongError extends Error {
  constructor(maxBytes: number) {
    super(`A line is longer than ${maxBytes} bytes.`);
    this.name = 'LineTooLongError';
  }
}

/**
 * The lines that arrive on a socket, until its other end finishes; an unfinished last line is dropped. Throws
 * LineTooLongError for a longer one, leaving the socket open so that the refusal can be written.
 */
export async function* linesOf(socket: Socket, maxBytes: number): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    let rest: Buffer = chunk;
    for (;;) {
      const end = rest.indexOf(0x0a);
      const part = end < 0 ? rest : rest.subarray(0, end);
      pendingBytes += part.length;
      if (pendingBytes > maxBytes) throw new LineTooLongError(maxBytes);
      pending.push(part);
      if (end < 0) break;
      yield Buffer.concat(pending).toString('utf8');
      pending = [];
      pendingBytes = 0;
      rest = rest.subarray(end + 1);
    }
  }
}
