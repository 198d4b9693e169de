// @ts-check
// The thread of the embedded database. Plain JavaScript, because Node 20 cannot load a worker written in TypeScript
// while a loader such as tsx is in charge (versions.md, trap 4).
import { rmSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** Status with which an error inside PostgreSQL unwinds to the main loop of PGlite. */
const longJump = 100;
/** Time in which the last answer still leaves the socket of a dead engine. */
const farewellMs = 100;

/** @type {{ folder: string, socketPath: string, engine: WebAssembly.Module }} */
const { folder, socketPath, engine } = workerData;
if (parentPort === null) throw new Error('The embedded database runs only as a worker thread.');
const port = parentPort;

let lastWords = '';
const database = await open();
dieOfPanics();
dieOfFailures();

// One connection is in use; more may overlap while a broken one is being replaced.
const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 8 });
await server.start();

port.on('message', async (/** @type {unknown} */ message) => {
  if (message !== 'stop') return;
  await server.stop();
  await database.close();
  rmSync(socketPath, { force: true });
  port.postMessage({ type: 'stopped' });
  port.close();
});

port.postMessage({ type: 'ready' });

async function open() {
  try {
    return await PGlite.create({
      dataDir: folder,
      pgliteWasmModule: engine,
      onStderr: keepLastWords,
    });
  } catch (cause) {
    throw new Error(`${cause} ${lastWords}`, { cause });
  }
}

/** @param {string} line */
function keepLastWords(line) {
  lastWords = /(?:FATAL|PANIC):.*/.exec(line)?.[0] ?? lastWords;
  return true;
}

/**
 * An error inside PostgreSQL unwinds with a status that PGlite knows. With any other, PostgreSQL has exited, as it does
 * when the disk is too full for its log; PGlite would go on calling it for ever. Reading the status ends that.
 */
function dieOfPanics() {
  const engine = database.Module;
  const mainLoopOnce = engine._PostgresMainLoopOnce;
  engine._PostgresMainLoopOnce = () => {
    try {
      mainLoopOnce();
    } catch (error) {
      const status = error instanceof Object && 'status' in error ? error.status : null;
      if (status === longJump) throw error;
      throw Object.defineProperty(new Error('PostgreSQL exited.'), 'status', {
        get() {
          throw new Error('PostgreSQL exited.', { cause: error });
        },
      });
    }
  };
}

/** What is thrown to the socket server instead of told in the protocol is the end; it would leave all others waiting. */
function dieOfFailures() {
  const run = database.execProtocolRawStream.bind(database);
  /** @type {typeof run} */
  database.execProtocolRawStream = async (message, options) => {
    try {
      await run(message, options);
    } catch (error) {
      port.postMessage({ type: 'failed', message: `${error} ${lastWords}` });
      await sleep(farewellMs);
      process.exit(1);
    }
  };
}
