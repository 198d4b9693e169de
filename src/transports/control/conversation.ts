import type { Socket } from 'node:net';
import { within } from '../../base/disposables.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { SECOND_MS } from '../../base/units.ts';
import {
  CONTROL_VERSION,
  LineTooLongError,
  linesOf,
  MAX_REQUEST_BYTES,
  requestLine,
} from './protocol.ts';
import { callVerb, type VerbContext } from './verbs.ts';

/** How long a verb may take. */
const VERB_MS = 30 * SECOND_MS;

/** How long a refused connection is read on, so that the refusal arrives before the end. */
const LINGER_MS = SECOND_MS;

export type ConversationOptions = {
  context: VerbContext;
  log: Log;
  /** How long the client may be silent [ms]. */
  idleMs: number;
};

/** One client of the control socket. */
export type Conversation = {
  /** Ends after the verb that runs, at once when none does. */
  finish: () => void;
  destroy: () => void;
};

function parseRequest(line: string): { verb: string; args: unknown } {
  try {
    return requestLine.parse(JSON.parse(line));
  } catch (cause) {
    throw new ServiceError(
      'invalid_request',
      `The request is not a line {"version":${CONTROL_VERSION},"verb":...,"args":{...}}.`,
      { cause },
    );
  }
}

function refusal(cause: unknown, log: Log): string {
  if (!(cause instanceof ServiceError)) log.error({ err: cause }, 'A control verb failed.');
  const { code, message, fields } =
    cause instanceof ServiceError
      ? cause
      : new ServiceError('internal_error', 'The service failed; its log says why.');
  const error = { code, message, fields };
  return `${JSON.stringify({ version: CONTROL_VERSION, ok: false, error })}\n`;
}

async function answer(line: string, { context, log }: ConversationOptions): Promise<string> {
  try {
    const { verb, args } = parseRequest(line);
    const result = await within(VERB_MS, callVerb(context, verb, args), `The verb ${verb}`);
    return `${JSON.stringify({ version: CONTROL_VERSION, ok: true, result })}\n`;
  } catch (cause) {
    return refusal(cause, log);
  }
}

/** Answers a client's requests one after the other until either side ends. Never throws. */
export function converse(socket: Socket, options: ConversationOptions): Conversation {
  let busy = false;
  let finishing = false;
  socket.on('error', (cause) => options.log.debug({ err: cause }, 'A control connection broke.'));
  // The time a verb takes is silence too, and has its own limit.
  socket.setTimeout(options.idleMs, () => {
    if (!busy) socket.destroy();
  });

  async function answerAll(): Promise<void> {
    for await (const line of linesOf(socket, MAX_REQUEST_BYTES)) {
      busy = true;
      const text = await answer(line, options);
      busy = false;
      if (!socket.writable) return;
      socket.write(text);
      if (finishing) break;
    }
    socket.end();
  }

  answerAll().catch((cause) => {
    if (!(cause instanceof LineTooLongError)) {
      socket.destroy();
      return;
    }
    socket.end(refusal(new ServiceError('payload_too_large', cause.message), options.log));
    socket.resume();
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
  });

  return {
    finish() {
      finishing = true;
      if (!busy) socket.destroy();
    },
    destroy: () => socket.destroy(),
  };
}
