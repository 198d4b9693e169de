import { WebSocket } from 'ws';

/** A WebSocket that notes what it is told. */
export type RawSocket = {
  send: (message: unknown) => void;
  sendText: (text: string) => void;
  /** The next message that was not taken yet. */
  message: () => Promise<Record<string, unknown>>;
  /** Code and reason of the closing. */
  closed: Promise<{ code: number; reason: string }>;
  terminate: () => void;
  socket: WebSocket;
};

/** Opens one, with the protocol of graphql-ws unless told otherwise. */
export async function openSocket(
  url: string,
  {
    protocol = 'graphql-transport-ws',
    headers = {},
  }: { protocol?: string | null; headers?: Record<string, string> } = {},
): Promise<RawSocket> {
  const socket = new WebSocket(url, protocol === null ? [] : [protocol], { headers });
  const inbox: Record<string, unknown>[] = [];
  const asking: ((message: Record<string, unknown>) => void)[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    const asked = asking.shift();
    if (asked === undefined) inbox.push(message);
    else asked(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  return {
    socket,
    send: (message) => socket.send(JSON.stringify(message)),
    sendText: (text) => socket.send(text),
    message: () => {
      const waiting = inbox.shift();
      if (waiting !== undefined) return Promise.resolve(waiting);
      return new Promise((resolve) => asking.push(resolve));
    },
    closed,
    terminate: () => socket.terminate(),
  };
}

/** Opens one and initialises it with a token. */
export async function openWith(url: string, token: string): Promise<RawSocket> {
  const socket = await openSocket(url);
  socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
  const ack = await socket.message();
  if (ack.type !== 'connection_ack') throw new Error(`Not acknowledged: ${JSON.stringify(ack)}`);
  return socket;
}
