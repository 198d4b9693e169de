import { systemClock } from '../base/clock.ts';
import { type Config, loadConfig } from '../base/config.ts';
import { within } from '../base/disposables.ts';
import { type Log, processLog } from '../base/log.ts';
import { SECOND_MS } from '../base/units.ts';
import { type RunningService, startServer } from '../server.ts';
import { portHolder } from '../transports/http/port-holder.ts';
import { banner } from './banner.ts';
import { listenToKeys, openInBrowser } from './keys.ts';
import { exitCodeOf, failureText } from './operator-words.ts';
import { summaryOf } from './summary.ts';

/** Flags of `odograph serve`, as they were typed. */
export type ServeFlags = {
  port?: string;
  host?: string;
  dataDir?: string;
  json?: true;
  /** False after `--no-open`. */
  open: boolean;
};

/** Longest time from the wish to stop to the end of the process. */
const STOP_MS = 10 * SECOND_MS;

/** A wish to stop that comes this soon after another is the same: npm passes on the Ctrl-C that the terminal sent to both. */
const SAME_WISH_MS = 300;

/** What a shell reports for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Runs the service until it is asked to stop, and ends the process: with 0 after a stop, with 1 when it could not start
 * or go on, with 2 for a wrong setting. A second Ctrl-C ends it at once.
 */
export async function serve(flags: ServeFlags): Promise<void> {
  const config = configOrExit(flags);
  const log = processLog(config.logLevel);
  const stopping = new AbortController();
  let wishedAt = Number.NEGATIVE_INFINITY;
  const stop = () => {
    const sinceMs = performance.now() - wishedAt;
    if (stopping.signal.aborted && sinceMs > SAME_WISH_MS) process.exit(INTERRUPTED);
    wishedAt = performance.now();
    if (!stopping.signal.aborted) stopping.abort();
  };
  let broken = false;
  const fail = (cause: unknown) => {
    broken = true;
    log.fatal({ err: cause }, 'The service cannot go on.');
    if (!stopping.signal.aborted) stopping.abort(cause);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  process.on('uncaughtException', fail).on('unhandledRejection', fail);
  // Whoever read the JSON line may have closed the pipe.
  process.stdout.on('error', () => {});

  const service = await startedOrExit(config, log, stopping.signal);
  if (!stopping.signal.aborted) announce(service, flags, stop);
  await aborted(stopping.signal);
  const ended = await closed(service, log);
  process.exit(ended && !broken ? 0 : 1);
}

function configOrExit({ port, host, dataDir }: ServeFlags): Config {
  try {
    return loadConfig(process.env, { port, host, dataDir });
  } catch (cause) {
    return exitWith(cause);
  }
}

async function startedOrExit(
  config: Config,
  log: Log,
  signal: AbortSignal,
): Promise<RunningService> {
  try {
    return await startServer(config, { log, clock: systemClock, signal });
  } catch (cause) {
    // Given up because a stop was wished; its reason is set only where something broke.
    if (signal.aborted) process.exit(signal.reason instanceof DOMException ? 0 : 1);
    return exitWith(await explained(cause, config));
  }
}

/** An error that says which port is taken, by whom if it can be known, and which flag changes it. */
async function explained(cause: unknown, { host, port }: Config): Promise<unknown> {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (code === 'EACCES') {
    return new Error(`Port ${port} may not be opened by this user; --port takes one above 1023.`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`No address of this machine is ${host}; --host takes another.`);
  }
  if (code !== 'EADDRINUSE') return cause;
  const holder = await portHolder({ host, port });
  const who = holder.odograph ? 'another Odograph' : 'another program';
  const process = holder.process ? ` (process ${holder.process.id}, ${holder.process.name})` : '';
  return new Error(
    `Port ${port} on ${host} is taken by ${who}${process}. Choose another with --port, such as --port ${port + 1}.`,
  );
}

function exitWith(cause: unknown): never {
  process.stderr.write(failureText(cause));
  process.exit(exitCodeOf(cause));
}

function announce(service: RunningService, flags: ServeFlags, stop: () => void): void {
  // Measured from the start of the process, as the person who waits does.
  const summary = summaryOf(service, performance.now());
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(summary)}\n`);
    return;
  }
  const keys = process.stdin.isTTY && process.stdout.isTTY;
  const color = process.stdout.isTTY && !process.env.NO_COLOR;
  process.stdout.write(banner(summary, { color, keys, opens: flags.open }));
  if (!keys) return;
  listenToKeys({
    q: stop,
    ...(flags.open ? { o: () => openInBrowser(summary.graphiqlUrl) } : {}),
    interrupt: stop,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function closed(service: RunningService, log: Log): Promise<boolean> {
  log.info('Stopping; running requests may end.');
  try {
    await within(STOP_MS, service.close(), 'Stopping');
    log.info('Stopped.');
    return true;
  } catch (cause) {
    log.error({ err: cause }, 'The service did not stop in time.');
    return false;
  }
}
