import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { errorEnvelope } from './envelope.ts';

const system = z.object({ code: z.string() });

const sentences: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and headers are longer than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive within a minute.',
};

/** Answers what is no HTTP request at all with the envelope, and closes the connection. */
export function answerMalformed(cause: Error, socket: Socket): void {
  const code = system.safeParse(cause).data?.code ?? '';
  if (code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const error = new ServiceError('invalid_request', sentences[code] ?? 'This is not valid HTTP.');
  const requestId = randomUUID();
  const body = JSON.stringify(errorEnvelope(error, requestId));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
