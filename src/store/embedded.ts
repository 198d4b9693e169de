import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../base/errors.ts';
import { type EmbeddedThread, startEmbeddedThread } from './embedded-thread.ts';
import { optimizeWasmLate } from './wasm-tiers.ts';

/** The embedded database: PostgreSQL as WebAssembly in a thread of its own, behind a Unix socket (architecture §4.1). */
export type EmbeddedDatabase = {
  /** Folder of the socket; the `host` of a connection. */
  socketFolder: string;
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  dataDir: string;
  /** Called whenever the database dies unasked, or cannot be started again; a next try follows after `retryInMs`. */
  onDeath(error: Error, retryInMs: number): void;
  /** Called when it is back. */
  onReturn(): void;
};

const socketName = '.s.PGSQL.5432';
/** Longest path of a Unix socket that every platform takes [bytes]: 103 on macOS, 107 on Linux. */
const socketPathMaxBytes = 103;
const retryMinMs = 500;
const retryMaxMs = 30_000;

/**
 * Starts the embedded database on `<dataDir>/database` and keeps it alive: after a death, as by a full disk, it is started
 * again with growing pauses until it works or `stop` is called. The caller holds the lock of the data folder, so
 * a socket that is already there was left behind. Throws when the first start fails.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  optimizeWasmLate();
  const { dataDir } = options;
  const place = { folder: join(dataDir, 'database'), socketPath: join(dataDir, socketName) };
  refuseLongPath(place.socketPath, dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);

  const start = () => {
    rmSync(place.socketPath, { force: true });
    return startEmbeddedThread(place);
  };
  const keeper = keepAlive(await start(), start, options);
  return {
    socketFolder: dataDir,
    async stop() {
      await keeper.stop();
      rmSync(place.socketPath, { force: true });
    },
  };
}

function keepAlive(
  first: EmbeddedThread,
  start: () => Promise<EmbeddedThread>,
  { onDeath, onReturn }: EmbeddedOptions,
): { stop(): Promise<void> } {
  let thread: EmbeddedThread | null = first;
  let stopped = false;
  let wake = () => {};

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const startAgain = async (death: Error) => {
    thread = null;
    let error = death;
    for (let retryInMs = retryMinMs; ; retryInMs = Math.min(retryInMs * 2, retryMaxMs)) {
      onDeath(error, retryInMs);
      await pause(retryInMs);
      if (stopped) return;
      try {
        thread = await start();
        if (stopped) await thread.stop();
        else onReturn();
        return;
      } catch (cause) {
        error = cause instanceof Error ? cause : new Error(String(cause));
      }
    }
  };

  const watch = async () => {
    while (!stopped && thread !== null) {
      const death = await thread.ended;
      if (death !== null) await startAgain(death);
    }
  };
  const watching = watch();

  return {
    async stop() {
      stopped = true;
      wake();
      await thread?.stop();
      await watching;
    },
  };
}

function refuseLongPath(socketPath: string, dataDir: string): void {
  const bytes = Buffer.byteLength(socketPath);
  if (bytes <= socketPathMaxBytes) return;
  throw new ServiceError(
    'service_unavailable',
    `The path of the data folder is too long for a socket: ${dataDir} makes ${bytes} bytes, of which ` +
      `${socketPathMaxBytes} are possible. Choose a shorter one with ODOGRAPH_DATA_DIR.`,
  );
}
