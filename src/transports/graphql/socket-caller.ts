import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { type PresentedCredentials, presentedIn } from '../../auth/credential.ts';

const parameters = z.record(z.string(), z.unknown()).catch({});

/**
 * The credentials of a WebSocket: those of the request that opened it, and `authorization`, in any case, of the payload of
 * `connection_init`, which is where a browser can put one. Cookies never count.
 */
export function presentedBySocket(
  { rawHeaders, url = '', socket }: IncomingMessage,
  payload: unknown,
): PresentedCredentials {
  const presented = presentedIn({ rawHeaders, url, ip: socket.remoteAddress ?? null });
  const given = Object.entries(parameters.parse(payload ?? {})).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' && value != null ? [String(value)] : [],
  );
  return { ...presented, authorization: [...presented.authorization, ...given] };
}
