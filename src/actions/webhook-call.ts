import { type Dispatcher, errors, request } from 'undici';
import { RefusedTarget } from '../base/outbound.ts';
import { packageVersion } from '../base/package-root.ts';
import { redacted } from '../base/redact.ts';
import { waitAskedMs } from '../base/retry-after.ts';
import type { CallError } from '../contract/webhooks.ts';
import type { CallOutcome } from './webhook-fate.ts';

/** What of an answer is read [bytes], and what of that is kept [characters]. */
const READ_BYTES = 2_048;
const KEPT_CHARACTERS = 500;

/** A call to make, and when it is given up from outside. */
export type Call = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Epoch ms. */
  at: number;
  stop: AbortSignal;
  /** How long it may take. */
  limitMs: number;
};

/**
 * Sends a body by POST and reads the beginning of the answer, in the time from the look-up of the host to the end of the
 * answer. Rejects only when `stop` was given.
 */
export async function makeCall(agent: Dispatcher, call: Call): Promise<CallOutcome> {
  const { at, stop, limitMs } = call;
  const startedAt = performance.now();
  const given = new AbortController();
  const giveUp = () => given.abort();
  const timer = setTimeout(giveUp, limitMs);
  stop.addEventListener('abort', giveUp, { once: true });
  let status: number | null = null;
  let excerpt: string | null = null;
  let retryAfterMs: number | null = null;
  let error: CallError | null = null;
  try {
    stop.throwIfAborted();
    const answer = await request(call.url, { dispatcher: agent, ...sent(call, given.signal) });
    status = answer.statusCode;
    const { 'retry-after': asked } = answer.headers;
    retryAfterMs = waitAskedMs(typeof asked === 'string' ? asked : null, at);
    excerpt = excerptOf(await beginningOf(answer.body));
    error =
      status >= 200 && status < 300 ? null : status >= 300 && status < 400 ? 'redirect' : 'status';
  } catch (cause) {
    stop.throwIfAborted();
    error = given.signal.aborted ? 'timeout' : errorOf(cause);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', giveUp);
  }
  const durationMs = Math.round(performance.now() - startedAt);
  return { status, durationMs, error, excerpt, retryAfterMs };
}

function sent({ headers, body, limitMs }: Call, signal: AbortSignal) {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `Odograph/${packageVersion}`,
      ...headers,
    },
    body,
    signal,
    headersTimeout: limitMs,
    bodyTimeout: limitMs,
  } as const;
}

/** The first bytes of an answer; the rest is left unread, and its connection closed. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length >= READ_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, READ_BYTES);
}

function excerptOf(bytes: Buffer): string | null {
  const text = redacted(bytes.toString('utf8')).replaceAll(/[^\P{Cc}\n\t]/gu, '');
  return text === '' ? null : [...text].slice(0, KEPT_CHARACTERS).join('');
}

const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;

function errorOf(cause: unknown): CallError {
  if (cause instanceof RefusedTarget) return 'address_refused';
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (tlsCode.test(code)) return 'tls';
  if (cause instanceof errors.HTTPParserError || cause instanceof errors.HeadersOverflowError) {
    return 'protocol';
  }
  const late = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];
  return late.includes(code) ? 'timeout' : 'connection';
}
