/** What may be asked of one exchange; times in milliseconds, sizes in bytes. */
type ExchangeLimits = { timeoutMs: number; maxBytes: number; signal?: AbortSignal };

/** How one request ended: with a whole answer, or without one. */
export type Exchange =
  | { kind: 'answered'; status: number; headers: Headers; body: string }
  | { kind: 'timeout' }
  | { kind: 'closed'; code: string }
  | { kind: 'too_large'; status: number };

/**
 * Sends a request and reads its whole answer; never throws and never follows a redirection, because the credential
 * would follow too. The time limit covers the body. A failure carries a code and never the error's text, which can
 * quote headers.
 */
export async function exchange(
  url: string,
  request: RequestInit,
  { timeoutMs, maxBytes, signal }: ExchangeLimits,
): Promise<Exchange> {
  if (signal?.aborted === true) return { kind: 'closed', code: 'STOPPED' };
  // Not AbortSignal.any: on Node 20 a signal that lives as long as the process collects what was derived from it.
  const controller = new AbortController();
  const stop = () => controller.abort('STOPPED');
  const timer = setTimeout(() => controller.abort('LATE'), timeoutMs);
  signal?.addEventListener('abort', stop);
  try {
    const options = { ...request, redirect: 'manual', signal: controller.signal } as const;
    const response = await fetch(url, options);
    const body = await bodyWithin(response, maxBytes);
    if (body === null) return { kind: 'too_large', status: response.status };
    return { kind: 'answered', status: response.status, headers: response.headers, body };
  } catch (error) {
    const reason: unknown = controller.signal.reason;
    if (reason === 'LATE') return { kind: 'timeout' };
    return { kind: 'closed', code: reason === 'STOPPED' ? reason : codeOf(error) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** The text of a body, or null where it is larger than `maxBytes` once decompressed. */
async function bodyWithin(response: Response, maxBytes: number): Promise<string | null> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body and with it the connection.
    if (bytes > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const codeWord = /^[A-Z][A-Z0-9_]{1,40}$/;

/** The system's word for a failed connection, such as `ECONNREFUSED`. */
function codeOf(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; depth += 1) {
    if ('code' in cause && typeof cause.code === 'string' && codeWord.test(cause.code)) {
      return cause.code;
    }
    cause = cause.cause;
  }
  return 'FAILED';
}
