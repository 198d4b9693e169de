import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** The way out of a socket for frames that are made already. */
export type Wire = {
  /** Whether the kernel takes what is written; where not, `onReady` says when it does. */
  ready: () => boolean;
  write: (frame: Buffer) => void;
  /** Calls `listener` whenever more can be written; returns how to stop. */
  onReady: (listener: () => void) => () => void;
};

/**
 * Writes whole frames to the stream that a socket was opened over. Between them the socket's own are whole too, because
 * without compression it writes each at once.
 */
export function wireOf(socket: WebSocket, stream: Duplex): Wire {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  return {
    ready: () => !stream.writableNeedDrain,
    write(frame) {
      // Nothing may follow the frame that closes a socket (RFC 6455 5.5.1).
      if (socket.readyState === socket.OPEN) stream.write(frame);
    },
    onReady(listener) {
      if (listeners.size === 0) stream.on('drain', tell);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stream.off('drain', tell);
      };
    },
  };
}
