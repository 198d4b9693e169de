import { chmod, lstat, mkdir, unlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { Log } from '../../base/log.ts';
import { SECOND_MS } from '../../base/units.ts';
import { somebodyListens } from './control-client.ts';
import { type Conversation, converse } from './conversation.ts';
import { controlSocketPath } from './protocol.ts';
import type { VerbContext } from './verbs.ts';

/** How long the end of the server waits for verbs that run. */
const CLOSE_MS = 3 * SECOND_MS;

/** How long a connection may be silent. */
const IDLE_MS = 10 * SECOND_MS;

const MAX_CONNECTIONS = 32;

/** A listening control socket. */
export type ControlServer = {
  path: string;
  /** Lets verbs that run finish for a moment, then ends and removes the socket. */
  close: () => Promise<void>;
};

export type ControlOptions = {
  dataDir: string;
  context: VerbContext;
  log: Log;
  /** How long a connection may be silent [ms]. */
  idleMs?: number;
};

/** Removes what a dead process left. Throws when the path is taken by a live one or is no socket. */
async function clearStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) throw new Error(`${path} is in the way: it is no socket.`);
  if (await somebodyListens(path)) throw new Error(`Another service answers at ${path}.`);
  await unlink(path);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Listens on the control socket of a data folder, for its owner alone (folder 0700, socket 0600). Call it while
 * holding the folder's lock. Throws when another service answers there or the folder cannot be used.
 */
export async function startControlServer(options: ControlOptions): Promise<ControlServer> {
  const { dataDir, context, log } = options;
  const path = controlSocketPath(dataDir);
  await mkdir(dataDir, { recursive: true });
  await chmod(dataDir, 0o700);
  await clearStaleSocket(path);
  const conversations = new Set<Conversation>();
  // Half open, so that a client that ends its side after the request gets its answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const conversation = converse(socket, { context, log, idleMs: options.idleMs ?? IDLE_MS });
    conversations.add(conversation);
    socket.once('close', () => conversations.delete(conversation));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, path);
  server.on('error', (cause) => log.error({ err: cause }, 'The control socket failed.'));
  await chmod(path, 0o600);
  return { path, close: () => close(server, conversations) };
}

function close(server: Server, conversations: ReadonlySet<Conversation>): Promise<void> {
  for (const conversation of conversations) conversation.finish();
  const deadline = setTimeout(() => {
    for (const conversation of conversations) conversation.destroy();
  }, CLOSE_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
  });
}
