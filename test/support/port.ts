import { once } from 'node:events';
import { createServer } from 'node:net';

/** Where ports of sockets begin that nobody asked for a number (Linux: 32768); below it nobody takes one by chance. */
const FIRST_EPHEMERAL = 32_768;
const FIRST = 12_000;

/**
 * A free port of 127.0.0.1 for what has to come up on a port known before, or come back on one. It stays free meanwhile: no
 * listener on port 0 and no outgoing connection is given it.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * (FIRST_EPHEMERAL - FIRST));
    const server = createServer().listen(port, '127.0.0.1');
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error('There is no free port.');
}
