import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchema } from 'graphql';
import { useServer as serveStock } from 'graphql-ws/use/ws';
import { createPubSub } from 'graphql-yoga';
import { WebSocket, WebSocketServer } from 'ws';
import { createToken } from '../../src/actions/manage-access.ts';
import { systemClock } from '../../src/base/clock.ts';
import { loadConfig } from '../../src/base/config.ts';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { startServer } from '../../src/server.ts';
import { writeEvents } from '../../src/store/outbox.ts';

/**
 * Tells one vehicle's updates to many sockets and measures messages per CPU-second of the serving process and its memory
 * per idle subscription: a raw `ws` broadcast, stock graphql-ws with Yoga's pub/sub, and this service with its database,
 * one after the other in the same run. `tsx test/bench/fan-out.ts [sockets] [updates] [subjects]`.
 */

const query = 'subscription { vehicleUpdated { publicId name status } }';
const stockSchema =
  'type Query { a: Int } type Vehicle { publicId: ID! name: String status: String! } type Subscription { vehicleUpdated: Vehicle! }';

/** A serving process: where it listens, the tokens that open it, and how it tells one update. */
type Subject = { url: string; tokens: string[]; tell: (count: number) => Promise<void> };

const vehicleNow = (count: number) => ({ publicId: 'car', name: `v${count}`, status: 'UNKNOWN' });

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return `ws://127.0.0.1:${address.port}/graphql`;
}

async function raw(): Promise<Subject> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  return {
    url: await listening(server),
    tokens: [],
    tell: async (count) => {
      const data = { vehicleUpdated: vehicleNow(count) };
      const text = JSON.stringify({ id: '1', type: 'next', payload: { data } });
      for (const socket of sockets.clients) socket.send(text);
    },
  };
}

async function stock(): Promise<Subject> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const pubSub = createPubSub<{ updated: [{ vehicleUpdated: object }] }>();
  const subscribe = () => pubSub.subscribe('updated');
  const schema = buildSchema(stockSchema);
  const field = schema.getSubscriptionType()?.getFields().vehicleUpdated;
  if (field !== undefined) field.subscribe = subscribe;
  serveStock({ schema }, sockets);
  return {
    url: await listening(server),
    tokens: [],
    tell: async (count) => pubSub.publish('updated', { vehicleUpdated: vehicleNow(count) }),
  };
}

async function ours(sockets: number): Promise<Subject> {
  const dataDir = mkdtempSync(join(tmpdir(), 'odo-fan-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const config = loadConfig({
    PORT: '0',
    ODOGRAPH_DATA_DIR: dataDir,
    ODOGRAPH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    ODOGRAPH_GARAGE: 'off',
  });
  const { port, access } = await startServer(config, { log: silentLog, clock: systemClock });
  const { prisma } = access;
  const account = await prisma.account.create({ data: { id: newUuid(), name: 'Ada' } });
  const vehicle = await prisma.vehicle.create({
    data: { id: newUuid(), accountId: account.id, publicId: 'car', vin: 'V1', maker: 'simulator' },
  });
  const tokens: string[] = [];
  // Five connections a token, as the service allows.
  while (tokens.length * 5 < sockets) {
    const wish = { accountId: account.id, name: 'bench', scopes: ['vehicles'] as const };
    tokens.push((await createToken(access, { ...wish, vehicleIds: null })).token);
  }
  return {
    url: `ws://127.0.0.1:${port}/graphql`,
    tokens,
    tell: (count) =>
      prisma.$transaction(async (tx) => {
        const { name } = vehicleNow(count);
        await tx.vehicle.update({ where: { id: vehicle.id }, data: { name } });
        const event = { type: 'vehicle.updated', occurredAt: Date.now(), data: {} } as const;
        await writeEvents(tx, vehicle, [event]);
      }),
  };
}

const subjects: Record<string, (sockets: number) => Promise<Subject>> = { raw, stock, ours };

async function serve(name: string, sockets: number): Promise<void> {
  const subject = await subjects[name]?.(sockets);
  if (subject === undefined) throw new Error(`There is no ${name}.`);
  process.on('message', async (asked: { tell?: number; measure?: true; stop?: true }) => {
    if (asked.stop) process.exit(0);
    if (asked.tell !== undefined) await subject.tell(asked.tell);
    if (!asked.measure) return;
    const { user, system } = process.cpuUsage();
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send?.({ cpuS: (user + system) / 1e6, rss, heap: heapUsed + external });
  });
  process.send?.({ url: subject.url, tokens: subject.tokens });
}

function kbPer(sockets: number, bytes: number): number {
  return Math.round(bytes / 102.4 / sockets) / 10;
}

async function measured(name: string, sockets: number, updates: number) {
  const child = fork(fileURLToPath(import.meta.url), ['serve', name, String(sockets)], {
    execArgv: ['--expose-gc', '--import', 'tsx'],
  });
  const answer = <T>() => new Promise<T>((resolve) => child.once('message', resolve as never));
  const measure = () => {
    const got = answer<{ cpuS: number; rss: number; heap: number }>();
    child.send({ measure: true });
    return got;
  };
  const { url, tokens } = await answer<{ url: string; tokens: string[] }>();
  const empty = await measure();
  let received = 0;
  let wanted = 0;
  let reached = () => {};
  const open: WebSocket[] = [];
  const receive = () => {
    received += 1;
    if (received >= wanted) reached();
  };
  const until = (count: number) => {
    received = 0;
    wanted = count;
    return new Promise<void>((resolve) => {
      reached = resolve;
    });
  };
  // Our subscriptions tell the present first.
  const begun = name === 'ours' ? until(sockets) : null;
  for (let index = 0; index < sockets; index += 1) {
    const socket = new WebSocket(url, ['graphql-transport-ws'], { perMessageDeflate: false });
    open.push(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.on('message', (data) => {
        if (String(data).includes('connection_ack')) {
          socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
          resolve();
        } else receive();
      });
      socket.once('open', () => {
        if (name === 'raw') return resolve();
        const token = tokens[Math.floor(index / 5)];
        const payload = token === undefined ? {} : { authorization: `Bearer ${token}` };
        socket.send(JSON.stringify({ type: 'connection_init', payload }));
      });
    });
  }
  await begun;
  await new Promise((resolve) => setTimeout(resolve, 500));
  const idle = await measure();
  for (let count = 0; count < updates; count += 1) {
    const told = until(sockets);
    child.send({ tell: count });
    await told;
  }
  const after = await measure();
  for (const socket of open) socket.terminate();
  child.send({ stop: true });
  await new Promise((resolve) => child.once('exit', resolve));
  return {
    subject: name,
    messagesPerCpuS: Math.round((sockets * updates) / (after.cpuS - idle.cpuS)),
    heapKbPerIdleSocket: kbPer(sockets, idle.heap - empty.heap),
    rssKbPerIdleSocket: kbPer(sockets, idle.rss - empty.rss),
  };
}

const [, , first = '1000', second = '20', third = 'raw,stock,ours'] = process.argv;
if (first === 'serve') await serve(second, Number(third));
else {
  const results = [];
  for (const name of third.split(',')) {
    results.push(await measured(name, Number(first), Number(second)));
  }
  const about = { node: process.version, sockets: Number(first), updates: Number(second) };
  process.stdout.write(`${JSON.stringify({ ...about, results }, null, 2)}\n`);
}
