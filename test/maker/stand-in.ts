import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { CallGate } from '../../src/maker/gate.ts';

/** A request as the stand-in saw it. */
export type Seen = {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
};

type Respond = (seen: Seen, response: ServerResponse) => void;

/** A server on loopback that answers every request with `respond`, until the test has finished. */
export async function standIn(respond: Respond): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      seen.push(one);
      respond(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { baseUrl: baseUrlOf(server), seen };
}

/** A base URL on loopback where nobody listens. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = baseUrlOf(server);
  await new Promise((resolve) => server.close(resolve));
  return baseUrl;
}

function baseUrlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return `http://127.0.0.1:${address.port}`;
}

/** Answers every request with one status, body and headers; an object becomes JSON. */
export function always(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): Respond {
  return (_seen, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
}

/** A gate that lets everything pass and counts nothing. */
export const open: CallGate = async () => ({ kind: 'passed', settle: async () => {} });
