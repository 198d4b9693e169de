import { createConnection, type Socket } from 'node:net';
import { within } from '../../base/disposables.ts';
import { ServiceError } from '../../base/errors.ts';
import { SECOND_MS } from '../../base/units.ts';
import {
  answerLine,
  CONTROL_VERSION,
  controlSocketPath,
  linesOf,
  MAX_ANSWER_BYTES,
} from './protocol.ts';
import { readResult, type VerbArgs, type VerbName, type VerbResult } from './verbs.ts';

const CONNECT_MS = 2 * SECOND_MS;

/** Longer than a verb may take at the other end. */
const ANSWER_MS = 35 * SECOND_MS;

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

/** A connection to a socket, or null when nobody listens there. Throws when it may not be used or does not answer. */
async function connect(path: string): Promise<Socket | null> {
  const socket = createConnection(path);
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    // Stays for the life of the socket: what breaks later shows where its lines are read.
    socket.on('error', reject);
  });
  try {
    await within(CONNECT_MS, connected, 'Connecting to the running service');
    return socket;
  } catch (cause) {
    socket.destroy();
    const code = codeOf(cause);
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return null;
    const why =
      code === 'EACCES'
        ? 'it belongs to another user.'
        : 'the running service does not take calls.';
    throw new ServiceError('service_unavailable', `No call through ${path}: ${why}`, { cause });
  }
}

/** Whether a live process listens on a socket. */
export async function somebodyListens(path: string): Promise<boolean> {
  const socket = await connect(path);
  socket?.destroy();
  return socket !== null;
}

async function exchange(socket: Socket, line: string): Promise<string> {
  socket.write(line);
  for await (const answer of linesOf(socket, MAX_ANSWER_BYTES)) return answer;
  throw new Error('The connection ended before the answer.');
}

/**
 * Has the service that runs on a data folder run a verb; null when none runs there. Throws the service's own refusal,
 * or `service_unavailable` when it went away or does not speak this version.
 */
export async function callService<V extends VerbName>(
  dataDir: string,
  verb: V,
  args: VerbArgs<V>,
): Promise<{ result: VerbResult<V> } | null> {
  const socket = await connect(controlSocketPath(dataDir));
  if (socket === null) return null;
  try {
    const request = `${JSON.stringify({ version: CONTROL_VERSION, verb, args })}\n`;
    const line = await within(ANSWER_MS, exchange(socket, request), 'The answer of the service');
    const answer = answerLine.parse(JSON.parse(line));
    if (answer.ok) return { result: readResult(verb, answer.result) };
    const { code, message, fields } = answer.error;
    throw new ServiceError(code, message, fields === null ? {} : { fields });
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError(
      'service_unavailable',
      'The running service gave no answer that can be read; what was asked may have been done.',
      { cause },
    );
  } finally {
    socket.destroy();
  }
}
