import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { CloseCode, handleProtocols } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EventFeed } from '../../actions/event-feed.ts';
import { createOpenSlots } from '../../auth/open-slots.ts';
import { SECOND_MS } from '../../base/units.ts';
import { type Connection, type SocketServerParts, socketServer } from './socket-server.ts';
import { wireOf } from './wire.ts';

/** Largest message taken, in bytes (security §4.1). */
const MESSAGE_LIMIT_BYTES = 65_536;

/** What may wait to be sent to a socket before it is given up; operations wait by themselves, answers to pings do not. */
const UNSENT_LIMIT_BYTES = 1_048_576;

/** How often each socket is asked whether it is there; one that did not answer the last time is gone. */
const PING_MS = 15 * SECOND_MS;

/** How long a socket may take to close when the service stops. */
const CLOSE_MS = SECOND_MS;

/** Sockets of one token, of one address without a token, and operations on one socket (contract §14). */
export const socketLimits = {
  connections: { credential: 5, address: 50 },
  subscriptions: 50,
  initMs: 10 * SECOND_MS,
} as const;

/** What sockets need from the rest of the service. */
export type SocketParts = Omit<SocketServerParts, 'slots' | 'limits'> & {
  feed: Pick<EventFeed, 'whenClosed'>;
  limits?: Partial<{ subscriptions: number; initMs: number; pingMs: number }>;
};

/**
 * graphql-ws at `/graphql`, on the port of everything else. Any origin may connect, because nothing but the token that is
 * given counts (contract §0, CORS).
 */
export function graphqlSockets({ feed, limits, ...parts }: SocketParts) {
  return async (app: FastifyInstance): Promise<void> => {
    const { subscriptions, initMs, pingMs } = { ...socketLimits, pingMs: PING_MS, ...limits };
    const slots = createOpenSlots(socketLimits.connections);
    const protocol = socketServer({ ...parts, slots, limits: { subscriptions, initMs } });
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: MESSAGE_LIMIT_BYTES,
      perMessageDeflate: false,
      handleProtocols: (offered) => handleProtocols(offered),
    });
    const silent = new WeakSet<WebSocket>();
    const pinging = setInterval(() => {
      for (const socket of server.clients) {
        if (silent.has(socket)) socket.terminate();
        else {
          silent.add(socket);
          socket.ping();
        }
      }
    }, pingMs);

    const open = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      if (request.url?.split('?', 1)[0] !== '/graphql') {
        stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, stream, head, (socket) => {
        socket.on('pong', () => silent.delete(socket));
        serve(socket, stream, request);
      });
    };

    function serve(socket: WebSocket, stream: Duplex, request: IncomingMessage): void {
      const close = (code: number, reason: string) => socket.close(code, reason);
      const connection: Connection = {
        request,
        wire: wireOf(socket, stream),
        close,
        leaving: [],
        presented: null,
        starting: 0,
        closed: false,
      };
      // What is wrong with a frame closes the socket by itself, with the code of RFC 6455.
      socket.on('error', (error) => parts.log.debug({ err: error }, 'A socket broke.'));
      const failed = (error: unknown) => {
        parts.log.error({ err: error }, 'A message of a socket could not be handled.');
        close(CloseCode.InternalServerError, 'Something went wrong here.');
      };
      const closed = protocol.opened(
        {
          protocol: socket.protocol,
          send: (text) => send(socket, text),
          close,
          onMessage: (handle) =>
            socket.on('message', (data) => {
              if (socket.readyState !== socket.OPEN) return;
              if (socket.bufferedAmount > UNSENT_LIMIT_BYTES) socket.terminate();
              else handle(String(data)).catch(failed);
            }),
        },
        connection,
      );
      socket.once('close', (code, reason) => {
        connection.closed = true;
        for (const leave of connection.leaving.splice(0)) leave();
        closed(code, String(reason)).catch(failed);
      });
    }

    app.server.on('upgrade', open);
    const end = () => {
      clearInterval(pinging);
      app.server.off('upgrade', open);
      for (const socket of server.clients) {
        socket.close(1001, 'Going away');
        setTimeout(() => socket.terminate(), CLOSE_MS).unref();
      }
    };
    // Before the subscriptions end: a client that is told they are complete would not come again.
    const unhook = feed.whenClosed(end);
    app.addHook('preClose', async () => {
      unhook();
      end();
    });
  };
}

/** Settles when the text has left the process, so that a slow reader slows what is told to it. */
function send(socket: WebSocket, text: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  return new Promise((resolve) => {
    // A failure is told by the closing of the socket.
    socket.send(text, () => resolve());
  });
}
