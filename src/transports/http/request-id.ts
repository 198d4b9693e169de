import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const acceptable = /^[A-Za-z0-9._:-]{8,128}$/;

/** The caller's `X-Request-Id` when it is 8 to 128 harmless characters, otherwise a new one. */
export function requestIdOf(request: { headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
