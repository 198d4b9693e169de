import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import { MINUTE_MS } from '../base/units.ts';
import { compiledEngine } from './embedded-engine.ts';

/** The thread of the embedded database, serving its socket. */
export type EmbeddedThread = {
  /** Settles when the thread is gone: null after `stop`, otherwise why it died. */
  ended: Promise<Error | null>;
  /** Writes everything out and ends the thread; ends it by force when it does not answer. */
  stop(): Promise<void>;
};

/** A small machine that reads its log again after a kill takes its time; broken off, it would begin anew for ever. */
const startTimeoutMs = 5 * MINUTE_MS;
const stopTimeoutMs = 15_000;

const messageSchema = z.object({
  type: z.enum(['ready', 'stopped', 'failed']),
  message: z.string().optional(),
});

/** Starts the thread on a folder of its own and waits until its socket answers. Throws with the reason when it dies. */
export async function startEmbeddedThread(place: {
  folder: string;
  socketPath: string;
}): Promise<EmbeddedThread> {
  const engine = await compiledEngine().catch((error: unknown) => notStarted(place.folder, error));
  // `execArgv` keeps the loader of the main thread out: the worker is plain JavaScript.
  const worker = new Worker(new URL('./embedded-worker.mjs', import.meta.url), {
    workerData: { ...place, engine },
    execArgv: [],
  });
  let failure: unknown = null;
  let stopping = false;
  let announceReady = () => {};
  const ready = new Promise<'ready'>((resolve) => {
    announceReady = () => resolve('ready');
  });
  worker.on('message', (received) => {
    const { type, message } = messageSchema.parse(received);
    if (type === 'ready') announceReady();
    if (type === 'failed') failure ??= new Error(message);
  });
  worker.on('error', (error) => {
    failure ??= error;
  });
  const ended = new Promise<Error | null>((resolve) => {
    worker.once('exit', (code) => {
      const cause = failure ?? new Error(`The thread ended with code ${code}.`);
      resolve(stopping ? null : new Error('The embedded database died.', { cause }));
    });
  });

  const first = await Promise.race([ready, ended, after(startTimeoutMs)]);
  if (first !== 'ready') {
    await worker.terminate();
    notStarted(place.folder, failure ?? new Error(`No answer in ${startTimeoutMs / 1000} s.`));
  }
  return {
    ended,
    async stop() {
      if (!stopping) {
        stopping = true;
        worker.postMessage('stop');
      }
      await Promise.race([ended, after(stopTimeoutMs)]);
      await worker.terminate();
    },
  };
}

function notStarted(folder: string, cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The embedded database in ${folder} did not start: ${reason}`;
  throw new ServiceError('service_unavailable', message, { cause });
}

function after(ms: number): Promise<'late'> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, 'late').unref();
  });
}
