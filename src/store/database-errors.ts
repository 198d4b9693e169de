import { ServiceError } from '../base/errors.ts';

/** What of an unknown error is looked at: the driver, the adapter and Prisma each keep their part elsewhere. */
type ErrorParts = {
  code: string | null;
  kind: string | null;
  message: string;
  constraint: string | null;
};

/** Prisma's words for a database that is out of reach, too busy, or gone in the middle. */
const unavailablePrismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037']);
const unavailableKinds = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
]);
const unavailableSystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const systemCall = /\b(connect|read|write|getaddrinfo) E/;
/** Connection exceptions, shutdown, start-up, and no connection left (PostgreSQL, Appendix A). */
const unavailableSqlState = /^(08...|57P0[1235]|53300)$/;
/** The driver gives these no code. */
const unavailableMessage =
  /^(Connection terminated|Connection ended|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after calling end)|Unable to start a transaction in the given time/;

/**
 * Whether the error of a database call says that the database is out of reach for now, so that asking again later may
 * help. Errors of other calls share some of its words: what has been made a ServiceError, or comes from `fetch`, is not
 * meant.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof ServiceError || error instanceof TypeError) return false;
  return partsOf(error).some(
    ({ code, kind, message }) =>
      (code !== null &&
        (unavailablePrismaCodes.has(code) ||
          (unavailableSystemCodes.has(code) && systemCall.test(message)) ||
          unavailableSqlState.test(code))) ||
      (kind !== null && unavailableKinds.has(kind)) ||
      unavailableMessage.test(message),
  );
}

/** Whether an error says that the disk of the database is full (SQLSTATE 53100). */
export function isDiskFull(error: unknown): boolean {
  return partsOf(error).some(
    ({ code, message }) =>
      code === '53100' || code === 'ENOSPC' || /No space left on device|ENOSPC/.test(message),
  );
}

/** Whether an error says that nothing can be stored for now, whatever it was: it is to be tried again, not given up. */
export function isOutage(error: unknown): boolean {
  return isDatabaseUnavailable(error) || isDiskFull(error);
}

/** Whether an error says that a text holds a character that PostgreSQL cannot store: NUL (SQLSTATE 22021 and 22P05). */
export function isUnstorableText(error: unknown): boolean {
  return partsOf(error).some(({ code }) => code === '22021' || code === '22P05');
}

/**
 * Name of the unique index that a write would have broken, or null when the error is anything else. Prisma's own
 * `meta.target` is empty with driver adapters (versions.md, trap 8).
 */
export function uniqueViolationOf(error: unknown): string | null {
  const parts = partsOf(error);
  const violated = parts.some(
    ({ code, kind }) =>
      code === '23505' || code === 'P2002' || kind === 'UniqueConstraintViolation',
  );
  if (!violated) return null;
  return parts.find(({ constraint }) => constraint !== null)?.constraint ?? null;
}

/** The error and everything it hangs on, outermost first. */
function partsOf(error: unknown): ErrorParts[] {
  const parts: ErrorParts[] = [];
  const seen = new Set<unknown>();
  const waiting: unknown[] = [error];
  while (waiting.length > 0) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    parts.push({
      code: textAt(next, 'code') ?? textAt(next, 'originalCode'),
      kind: textAt(next, 'kind'),
      message: textAt(next, 'message') ?? '',
      constraint: textAt(next, 'constraint') ?? textAt(valueAt(next, 'constraint'), 'index'),
    });
    waiting.push(valueAt(next, 'cause'), valueAt(valueAt(next, 'meta'), 'driverAdapterError'));
    const several = valueAt(next, 'errors');
    if (Array.isArray(several)) waiting.push(...several);
  }
  return parts;
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function textAt(value: unknown, key: string): string | null {
  const found = valueAt(value, key);
  return typeof found === 'string' ? found : null;
}
