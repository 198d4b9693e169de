import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as the receiver got it. */
export type Received = { headers: IncomingHttpHeaders; body: string };

/** How a receiver answers a call. */
export type Answer = (response: ServerResponse, call: Received) => void;

/** A person's own server, on a port of this machine; it takes everything unless told otherwise. */
export type Receiver = AsyncDisposable & {
  url: string;
  calls: Received[];
  /** How it answers from now on. */
  answer: (answer: Answer) => void;
  /** Resolves when so many calls have come since the start. */
  came: (count: number) => Promise<void>;
};

/** An answer with a status and nothing else. */
export const withStatus =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end();

/** Starts it. */
export async function startReceiver(): Promise<Receiver> {
  const calls: Received[] = [];
  const waiting = new Set<() => void>();
  let answer: Answer = withStatus(204);
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const call = { headers: request.headers, body };
      calls.push(call);
      for (const look of waiting) look();
      answer(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    answer: (next) => {
      answer = next;
    },
    came: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (calls.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
